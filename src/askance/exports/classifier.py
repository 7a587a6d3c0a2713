"""The classifier as others hold it: weights by name, ``LogisticRegression``, ONNX."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from askance.errors import InvalidParameter
from askance.exports.member_onnx import member_to_onnx
from askance.live import CLASSES, ActiveLearner
from askance.oracles.classes import LinearClasses
from askance.oracles.linear import LinearOracle
from askance.storage.files import write_atomically
from askance.types import Floats, State

__all__ = [
    "NamedWeight",
    "coefficients",
    "has_lanes",
    "is_linear",
    "named_weights",
    "names_by_column",
    "to_onnx",
    "to_sklearn",
    "write_coefficients",
    "write_onnx",
]


class NamedWeight(NamedTuple):
    """The weight of a feature, ``coefficient``, in the units of its values, and its ``column``.

    ``feature`` is ``#`` and the column's number where the name is not known. ``centre`` is what is
    taken off its values first, zero for most features. ``largest`` is the largest absolute value
    seen then, beyond which the score does not grow; infinite where it does. ``shared_with`` are the
    other names that hashing put into the same column.
    """

    feature: str
    column: int
    coefficient: float
    centre: float
    largest: float
    shared_with: tuple[str, ...]

    def plain(self) -> State:
        """Without an infinity, which JSON has no word for."""
        largest = self.largest if np.isfinite(self.largest) else None
        return self._asdict() | {"largest": largest, "shared_with": list(self.shared_with)}


def named_weights(live: ActiveLearner, code: int | None = None) -> list[NamedWeight]:
    """Every weight of the learner ``live`` that is not zero, those that can move the score first.

    Of a learner that has a lane for each class, those of the class with this ``code``.

    >>> live = ActiveLearner("passive", n_features=3)
    >>> live.tell(live.ask([0.0, 2.0, 0.0]), +1)
    >>> [(weight.feature, weight.largest) for weight in named_weights(live)]
    [('1', 2.0)]
    """
    oracle, side = _linear(live, code)
    weights = side * oracle.coefficients()[0]
    adaptive = oracle.state.rates == "adaptive"
    largest = oracle.state.scales.astype(float) if adaptive else np.full(len(weights), np.inf)
    by_column = names_by_column(live, np.flatnonzero(weights).tolist())
    each = [(name, column, sign) for column, ns in by_column.items() for name, sign in ns.items()]
    names, columns = [name for name, _, _ in each], np.array([j for _, j, _ in each], np.int64)
    scales = None if live.features is None else live.features.scales
    centres: Floats = np.zeros(len(each))
    spreads: Floats = np.ones(len(each))
    if scales is not None:
        centres, spreads = scales.terms(names, columns)
    found: list[NamedWeight] = []
    for k, (name, column, sign) in enumerate(each):
        centre, spread = float(centres[k]), float(spreads[k])
        others = tuple(other for other in by_column[column] if other != name)
        weight = sign * float(weights[column]) / spread
        most = float(largest[column]) * spread
        found.append(NamedWeight(name, column, weight, centre, most, others))
    return sorted(found, key=lambda weight: (-_influence(weight), weight.column, weight.feature))


def _influence(weight: NamedWeight) -> float:
    """How far the feature can move the score, or its weight where there is no telling."""
    return abs(weight.coefficient) * (weight.largest if np.isfinite(weight.largest) else 1.0)


def names_by_column(live: ActiveLearner, columns: list[int]) -> dict[int, dict[str, float]]:
    """The names of each column, each with the sign that hashing gave it."""
    found: dict[int, dict[str, float]] = {column: {} for column in columns}
    if live.features is not None:
        names, places = live.features.known()
        signs = zip(places.indices.tolist(), places.signs.tolist(), strict=True)
        for name, (column, sign) in zip(names, signs, strict=True):
            if sign and column in found:
                found[column][name] = sign
    unknown = "{}" if live.features is None else "#{}"
    return {column: names or {unknown.format(column): 1.0} for column, names in found.items()}


def coefficients(live: ActiveLearner) -> State:
    """The classifier of ``live`` as plain values: classes, intercept and weights by name.

    The score is the intercept plus, for each feature that a record has, its coefficient times its
    value less its centre, this cut off at plus or minus ``largest`` where that is given; it is
    positive for the class ``positive``. Where each class has a score, the highest one wins, and
    ``by_class`` has intercept and coefficients of each.

    >>> live = ActiveLearner("passive", n_features=1, classes=("ham", "spam"))
    >>> coefficients(live)["classes"]
    {'negative': 'ham', 'positive': 'spam'}
    """
    if has_lanes(live):
        return {
            "classes": list(live.classes),
            "n_features": _linear(live, 0)[0].state.n_features,
            "by_class": {
                name: {
                    "intercept": _intercept(live, code),
                    "coefficients": [weight.plain() for weight in named_weights(live, code)],
                }
                for code, name in enumerate(live.classes)
            },
        }
    negative, positive = live.classes
    return {
        "classes": {"negative": negative, "positive": positive},
        "n_features": _linear(live)[0].state.n_features,
        "intercept": _intercept(live),
        "coefficients": [weight.plain() for weight in named_weights(live)],
    }


def _intercept(live: ActiveLearner, code: int | None = None) -> float:
    oracle, side = _linear(live, code)
    return side * oracle.coefficients()[1]


def write_coefficients(path: str | Path, live: ActiveLearner) -> None:
    """Write :func:`coefficients` of the learner ``live`` to a JSON file."""
    text = json.dumps(coefficients(live), indent=1)
    with write_atomically(path) as file:
        file.write(text.encode() + b"\n")


def to_sklearn(live: ActiveLearner) -> Any:
    """The classifier as a fitted ``LogisticRegression``, over rows as ``live.features`` encodes.

    Its classes are -1 and +1, or the names that the learner was given. It agrees with the learner
    wherever no value is larger than all that were seen. Where each class has a score, predictions
    agree and probabilities do not: scikit-learn's are the softmax of the scores.

    >>> live = ActiveLearner("passive", n_features=2)
    >>> live.tell(live.ask([1.0, 0.0]), +1)
    >>> to_sklearn(live).predict([[1.0, 0.0]]).tolist()
    [1]
    """
    # Here, so that reading a sample does not wait for scikit-learn.
    from sklearn.linear_model import LogisticRegression

    several = live.n_classes is not None
    codes: Sequence[int | None] = range(len(live.classes)) if has_lanes(live) else [None]
    lanes = [_linear(live, code) for code in codes]
    weights = np.array([side * oracle.coefficients()[0] for oracle, side in lanes])
    intercepts = np.array([_intercept(live, code) for code in codes])
    if len(lanes) == 2:
        # Two classes share one score in scikit-learn.
        weights, intercepts = weights[1:] - weights[:1], intercepts[1:] - intercepts[:1]
    model = LogisticRegression()
    model.coef_, model.intercept_ = weights, intercepts
    plain = live.classes == CLASSES and not several
    model.classes_ = np.array([-1, 1]) if plain else np.array(live.classes)
    model.n_features_in_ = weights.shape[1]
    model.n_iter_ = np.array([1], np.int32)
    return model


def to_onnx(live: ActiveLearner, member: str | None = None) -> bytes:
    """The classifier of ``live``, or one ``member`` of a mixture, as an ONNX model.

    It takes ``X``, in single precision, to labels and probabilities.
    """
    if member is not None or live.preset["algorithm"] == "auto":
        return member_to_onnx(live, member)
    try:
        from skl2onnx import to_onnx as convert
        from skl2onnx.common.data_types import FloatTensorType
    except ImportError as error:
        raise InvalidParameter(
            f"ONNX needs the packages of askance[onnx], but {error.name} is not installed"
        ) from error
    model = to_sklearn(live)
    rows = FloatTensorType([None, model.n_features_in_])
    converted = convert(model, initial_types=[("X", rows)], options={"zipmap": False})
    content: bytes = converted.SerializeToString()
    return content


def write_onnx(path: str | Path, live: ActiveLearner, member: str | None = None) -> None:
    """Write :func:`to_onnx` of the learner ``live``, or of one ``member``, to a file."""
    content = to_onnx(live, member)
    with write_atomically(path) as file:
        file.write(content)


def is_linear(live: ActiveLearner) -> bool:
    """Whether the classifier of ``live`` is linear, and so has weights to show.

    >>> [is_linear(ActiveLearner(name, n_features=1)) for name in ("passive", "auto")]
    [True, False]
    """
    return isinstance(_erm(live), LinearOracle | LinearClasses)


def has_lanes(live: ActiveLearner) -> bool:
    """Whether each class of the classifier of ``live`` has a linear score of its own.

    >>> [has_lanes(ActiveLearner(name, n_features=1)) for name in ("passive", "coal")]
    [False, True]
    """
    return isinstance(_erm(live), LinearClasses)


def _erm(live: ActiveLearner) -> Any:
    return getattr(getattr(live.learner, "coded", live.learner), "erm", None)


def _linear(live: ActiveLearner, code: int | None = None) -> tuple[LinearOracle, float]:
    """The oracle, or the lane of a class, and the sign by which its scores speak for the class."""
    erm = _erm(live)
    if isinstance(erm, LinearClasses) and code is not None:
        return LinearOracle(erm.state, code), -1.0 if erm.is_squared else 1.0
    if not isinstance(erm, LinearOracle):
        kind = type(live.learner).__name__
        raise InvalidParameter(f"{kind} has no coefficients, as it is not over a linear oracle")
    return erm, 1.0
