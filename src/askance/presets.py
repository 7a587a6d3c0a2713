"""From a name and parameters to a learner with its oracles: the one place that composes them."""

import inspect
import math
from typing import Any, Literal, overload

import numpy as np

from askance.errors import InvalidParameter
from askance.learners.active_cover import ActiveCover
from askance.learners.auto import Auto
from askance.learners.auto_rounds import AutoInRounds
from askance.learners.batch_iwal import BatchIWAL
from askance.learners.coal import Coal
from askance.learners.constants import PracticalConstants
from askance.learners.epochs import EpochLearner, EpochSettings
from askance.learners.iwal import IWAL0, IWAL1, OracularIWAL0, OracularIWAL1
from askance.learners.margin import MarginSampling
from askance.learners.online_active_cover import OnlineActiveCover
from askance.learners.outcomes import Outcomes
from askance.learners.passive import Passive
from askance.learners.streaming import StreamingLearner
from askance.oracles.classes import MOST_LANES, LinearClasses, mapped_costs
from askance.oracles.linear import LinearState, linear_oracles
from askance.protocols import ProbabilisticOracle
from askance.types import State
from askance.validation import require_at_least_one, require_switch, require_whole, shown

__all__ = [
    "ALGORITHMS",
    "BATCH_ALGORITHMS",
    "CLASS_ALGORITHMS",
    "MOST_MEMBERS",
    "SUGGESTED",
    "checked",
    "constructed",
    "make_learner",
    "members_of",
    "preset_of",
    "suggested",
]

_ONE_ORACLE: dict[str, type[StreamingLearner]] = {
    "passive": Passive,
    "margin": MarginSampling,
    "iwal0": IWAL0,
    "iwal1": IWAL1,
    "oracular_iwal0": OracularIWAL0,
    "oracular_iwal1": OracularIWAL1,
}

ALGORITHMS = ("online_active_cover", *_ONE_ORACLE)
"""Names that :func:`make_learner` knows for two classes beside ``"auto"``: those over the online
linear oracle."""

CLASS_ALGORITHMS = ("coal", "passive", "margin", "iwal0", "iwal1")
"""Names that :func:`make_learner` knows for any number of classes beside ``"auto"``."""

SUGGESTED: dict[str, dict[str, Any]] = {
    "online_active_cover": {"c0": 1.0, "learning_rate": 1.6},
    "passive": {"learning_rate": 1.6},
    "margin": {"b": 0.32, "learning_rate": 1.6},
    "iwal0": {"c0": 0.00625, "learning_rate": 1.6},
    "iwal1": {"c0": 0.0125, "learning_rate": 1.6},
    "oracular_iwal0": {"c0": 0.125, "learning_rate": 1.6},
    "oracular_iwal1": {"c0": 2.0, "learning_rate": 1.6},
    "coal": {"c0": 0.1, "c1": 0.5, "learning_rate": 0.5},
}
"""The defaults of each algorithm, the setting that gained most (``eq:auc-gain``) as the one setting
for all data sets of the study; for the cover among those of its default size. A test holds them
against the results in ``docs/results``. The constructors of the learners have the paper's own.
``coal`` has the defaults of Vowpal Wabbit, where it comes from."""

_CONSTRUCTED: dict[str, dict[str, Any]] = {
    "online_active_cover": {"c0": 1.0, "learning_rate": 0.4},
    "passive": {"learning_rate": 0.4},
    "margin": {"b": 0.1, "learning_rate": 0.4},
    "iwal0": {"c0": 0.1, "learning_rate": 0.4},
    "iwal1": {"c0": 0.1, "learning_rate": 0.4},
    "oracular_iwal0": {"c0": 1.0, "learning_rate": 0.4},
    "oracular_iwal1": {"c0": 1.0, "learning_rate": 0.4},
}

_COVER_SIZE = 12

MOST_MEMBERS = 10_000
"""Members that a cover may have. Each is an oracle of its own; the paper has at most 48."""

_FEW_CALLS: dict[str, Any] = {"region": "known", "probes": 16, "unlabeled": 2000}
"""What keeps the calls to an expensive oracle few."""

_BATCH: dict[str, dict[str, Any]] = {
    "active_cover": {
        "c0": 1.0,
        "alpha": 1.0,
        "beta_scale": math.sqrt(10.0),
        **_FEW_CALLS,
        "max_iterations": 1000,
    },
    "batch_iwal": {"c0": 0.1, **_FEW_CALLS},
    "oracular_cal": {"c0": 1.0, **_FEW_CALLS},
}

BATCH_ALGORITHMS = tuple(_BATCH)
"""Names that :func:`make_learner` knows if it is given an ``estimator``."""

_ORACLE_PARAMETERS = ("learning_rate", "rates", "dtype")
_CONSTANTS = ("c0", "alpha", "beta_scale", "xi_scale")


@overload
def make_learner(
    algorithm: Literal["auto"], *, n_features: int, estimator: Any = None, **parameters: Any
) -> Auto: ...


@overload
def make_learner(
    algorithm: str, *, n_features: int, estimator: None = None, **parameters: Any
) -> StreamingLearner: ...


@overload
def make_learner(
    algorithm: str, *, n_features: int, estimator: Any, **parameters: Any
) -> EpochLearner: ...


def make_learner(
    algorithm: str, *, n_features: int, estimator: Any = None, **parameters: Any
) -> StreamingLearner | EpochLearner | Auto:
    """Build a learner: ``auto``, one over the online linear oracle, or one over any estimator.

    Parameters
    ----------
    algorithm
        ``"auto"``, one of :data:`ALGORITHMS`, or with an ``estimator`` one of
        :data:`BATCH_ALGORITHMS`. ``"coal"`` and some others know more than two classes.
    n_features
        Number of features of a row.
    estimator
        A scikit-learn classifier whose ``fit`` takes ``sample_weight``, or a pipeline that ends in
        one: what ``"auto"`` fits in place of its mixture, and what those algorithms need that learn
        in batches. Seeds that it leaves open are set to 0, and
        it is handed dense arrays if it takes no sparse ones, or if ``dense`` says so.
    **parameters
        Of ``"auto"``: those of :class:`~askance.learners.auto.Auto`, ``seed`` (0) of what it fits,
        ``rounds`` (False) for one that changes between the rounds of a pool only, and those of its
        :class:`~askance.oracles.mixture.MixtureOracle`. Of the linear oracle: ``learning_rate``,
        ``rates``, ``dtype``. Of the cover: ``cover_size`` (12). Of ``"auto"`` and
        :data:`CLASS_ALGORITHMS`: ``n_classes`` (2), and ``cost_matrix``, what it costs to predict a
        class (column) where another one (row) is true. With more than two classes, with costs
        (``"auto"`` apart) and for ``"coal"`` labels are codes from 0 on, else -1 and +1.
        All others go to the learner; what is not given is as :data:`SUGGESTED`. With an
        ``estimator`` they are those of :class:`~askance.learners.active_cover.ActiveCover` and its
        practical constants, or of :class:`~askance.learners.batch_iwal.BatchIWAL`, and what is not
        given keeps the calls to the estimator few.

    Examples
    --------
    >>> make_learner("iwal1", n_features=10, c0=0.01).erm.learning_rate
    1.6
    >>> make_learner("iwal2", n_features=10)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    askance.errors.InvalidParameter: algorithm must be one of ..., got 'iwal2'
    >>> make_learner("iwal1", n_features=10, n_classes=5).n_classes
    5
    >>> from sklearn.linear_model import LogisticRegression
    >>> make_learner("active_cover", n_features=10, estimator=LogisticRegression()).region
    'known'
    """
    if algorithm not in ("auto", "coal", *ALGORITHMS, *BATCH_ALGORITHMS):
        raise InvalidParameter(
            f"algorithm must be one of auto, coal, {', '.join(ALGORITHMS)}, or with an estimator "
            f"{', '.join(BATCH_ALGORITHMS)}, got {algorithm!r}"
        )
    if algorithm == "auto":
        return _auto(n_features, estimator, dict(parameters))
    if (algorithm in BATCH_ALGORITHMS) != (estimator is not None):
        needs = "needs an estimator=, got none" if estimator is None else "takes no estimator"
        raise InvalidParameter(f"{algorithm} {needs}")
    complete = suggested(algorithm, parameters)
    classes = _classes(algorithm, complete)
    if classes is not None:
        return _over_classes(algorithm, n_features, classes, complete)
    if estimator is not None:
        return _in_epochs(algorithm, n_features, estimator, complete)
    return _streaming(algorithm, n_features, complete)


def checked(algorithm: str, parameters: State) -> StreamingLearner:
    """The learner for no feature at all that ``parameters`` make of an ``algorithm``.

    It checks them before there is any data.

    >>> checked("margin", {}).b
    0.32
    >>> checked("margin", {"b": -1.0})
    Traceback (most recent call last):
    askance.errors.InvalidParameter: b must be positive and finite, got -1.0
    """
    return make_learner(algorithm, n_features=0, **parameters)


def _streaming(algorithm: str, n_features: int, parameters: State) -> StreamingLearner:
    is_cover = algorithm == "online_active_cover"
    members = _cover_size(parameters) if is_cover else 0
    kind = OnlineActiveCover if is_cover else _ONE_ORACLE[algorithm]
    # The size has been taken out of the parameters already; here it is one of the names to tell.
    sizes = ["cover_size"] if is_cover else []
    _check_names(algorithm, parameters, [*sizes, *_parameters_of(kind), *_ORACLE_PARAMETERS])
    oracle = {name: parameters.pop(name) for name in _ORACLE_PARAMETERS if name in parameters}
    erm, *cover = linear_oracles(LinearState(n_features=n_features, lanes=1 + members, **oracle))
    if is_cover:
        return OnlineActiveCover(erm, cover, **parameters)
    return _ONE_ORACLE[algorithm](erm, **parameters)


def _classes(algorithm: str, parameters: State) -> State | None:
    """Take classes and costs out of the parameters; None if labels are -1 and +1."""
    n_classes, costs = parameters.pop("n_classes", None), parameters.pop("cost_matrix", None)
    if n_classes is None:
        n_classes = len(costs) if hasattr(costs, "__len__") else 2
    require_whole(2, MOST_LANES, n_classes=n_classes)
    if algorithm != "coal" and costs is None and n_classes == 2:
        return None
    if algorithm not in ("auto", *CLASS_ALGORITHMS):
        raise InvalidParameter(
            f"{algorithm} is for two classes without costs, got {n_classes} classes"
            f"{'' if costs is None else ' and a cost matrix'}; auto, {', '.join(CLASS_ALGORITHMS)} "
            "are for more"
        )
    return {"n_classes": n_classes, "cost_matrix": costs}


def _over_classes(
    algorithm: str, n_features: int, classes: State, parameters: State
) -> StreamingLearner:
    kind = Coal if algorithm == "coal" else _ONE_ORACLE[algorithm]
    names = [*_parameters_of(kind), *_ORACLE_PARAMETERS, "n_classes", "cost_matrix"]
    _check_names(algorithm, parameters, names)
    oracle = {name: parameters.pop(name) for name in _ORACLE_PARAMETERS if name in parameters}
    loss: Literal["logistic", "squared"] = "squared" if algorithm == "coal" else "logistic"
    return kind(LinearClasses(n_features=n_features, loss=loss, **classes, **oracle), **parameters)


def _outcomes(classes: State | None) -> Outcomes:
    if classes is None:
        return Outcomes()
    n_classes, costs = classes["n_classes"], classes["cost_matrix"]
    mapped = None if costs is None else mapped_costs(costs, n_classes)
    return Outcomes(n_classes if n_classes > 2 else None, mapped)


def _auto(n_features: int, estimator: Any, parameters: State) -> Auto:
    # Here, so that whoever needs no estimator does not wait for scikit-learn.
    from askance.oracles.estimator import RefittedEstimator, seeded, takes_sparse
    from askance.oracles.mixture import MixtureOracle

    outcomes = _outcomes(_classes("auto", parameters))
    seed = parameters.pop("seed", 0)
    require_whole(0, 2**32 - 1, seed=seed)
    rounds = parameters.pop("rounds", False)
    require_switch(rounds=rounds)
    own = [name for name in _parameters_of(Auto) if name != "n_features"]
    composed, coded = ("n_features", "seed", "coded"), outcomes.n_classes is not None
    mixed = [name for name in _parameters_of(MixtureOracle) if name not in composed]
    fitted = mixed if estimator is None else ["dense"]
    known = [*own, "rounds", "seed", "n_classes", "cost_matrix", *fitted]
    _check_names("auto", parameters, known)
    oracle: ProbabilisticOracle
    if estimator is None:
        options = {name: parameters.pop(name) for name in mixed if name in parameters}
        _check_mixture(options)
        oracle = MixtureOracle(n_features=n_features, seed=seed, coded=coded, **options)
    else:
        dense = parameters.pop("dense", not takes_sparse(estimator))
        oracle = RefittedEstimator(
            seeded(estimator, seed), n_features=n_features, dense=dense, coded=coded
        )
    kind = AutoInRounds if rounds else Auto
    return kind(oracle, n_features=n_features, **parameters).among(outcomes)


def _check_mixture(options: State) -> None:
    from askance.oracles.members import DENSE, WIDE

    members, known = options.get("members"), [*DENSE, *WIDE]
    if members is not None and not (
        isinstance(members, list | tuple) and members and all(one in known for one in members)
    ):
        raise InvalidParameter(f"members must be some of {', '.join(known)}, got {shown(members)}")
    clips = {name: options[name] for name in ("fit_clip", "vote_clip") if name in options}
    require_at_least_one(**clips)


def _in_epochs(algorithm: str, n_features: int, estimator: Any, parameters: State) -> EpochLearner:
    # Here, so that whoever needs no estimator does not wait for scikit-learn.
    from askance.oracles.estimator import EstimatorOracle, seeded, takes_sparse

    kind = ActiveCover if algorithm == "active_cover" else BatchIWAL
    shared = [name for name in EpochSettings.__annotations__ if name != "n_features"]
    own = [name for name in _parameters_of(kind) if name not in ("constants", "oracular")]
    constants = _CONSTANTS if algorithm == "active_cover" else ()
    _check_names(algorithm, parameters, [*constants, *own, *shared, "dense"])
    dense = parameters.pop("dense", not takes_sparse(estimator))
    oracle = EstimatorOracle(seeded(estimator, 0), n_features=n_features, dense=dense)
    chosen = {name: parameters.pop(name) for name in constants if name in parameters}
    if algorithm == "active_cover":
        return ActiveCover(
            oracle, PracticalConstants(**chosen), n_features=n_features, **parameters
        )
    oracular = algorithm == "oracular_cal"
    return BatchIWAL(oracle, oracular=oracular, n_features=n_features, **parameters)


def _parameters_of(kind: type) -> list[str]:
    """The names of a learner's own parameters, which are keywords; its oracles are not."""
    named = inspect.signature(kind).parameters.values()
    return [one.name for one in named if one.kind is inspect.Parameter.KEYWORD_ONLY]


def _check_names(algorithm: str, parameters: State, known: list[str]) -> None:
    for name in parameters:
        if name not in known:
            raise InvalidParameter(
                f"{algorithm} has no parameter {name!r}; its parameters are {', '.join(known)}"
            )


def suggested(algorithm: str, parameters: State) -> State:
    """Complete ``parameters`` with the defaults of an ``algorithm``.

    Use it to record what :func:`make_learner` will build.

    >>> suggested("margin", {"b": 0.5})
    {'b': 0.5, 'learning_rate': 1.6}
    """
    return {**SUGGESTED.get(algorithm, {}), **_BATCH.get(algorithm, {}), **parameters}


def constructed(algorithm: str) -> State:
    """The defaults of an ``algorithm`` in files up to version 2: those of the constructors.

    >>> constructed("iwal1")
    {'c0': 0.1, 'learning_rate': 0.4}
    """
    return dict(_CONSTRUCTED.get(algorithm, {}))


def preset_of(algorithm: str, parameters: State) -> State:
    """What a file keeps of an ``algorithm`` and its ``parameters``, complete.

    >>> preset_of("passive", {"n_features": 3})
    {'algorithm': 'passive', 'learning_rate': 1.6, 'n_features': 3}
    """
    complete = {"algorithm": algorithm, **suggested(algorithm, parameters)}
    if complete.get("cost_matrix") is not None:
        complete["cost_matrix"] = np.asarray(complete["cost_matrix"], np.float64).tolist()
    if complete.get("estimator") is not None:
        from askance.oracles.estimator import estimator_state

        complete["estimator"] = estimator_state(complete["estimator"])
    return complete


def members_of(preset: State) -> int:
    """How many members the cover of a ``preset`` has, if it has one.

    >>> members_of({"algorithm": "iwal1"}), members_of({"algorithm": "online_active_cover"})
    (0, 12)
    """
    return _cover_size(dict(preset)) if preset["algorithm"] == "online_active_cover" else 0


def _cover_size(parameters: State) -> int:
    """Remove and return the cover size: 0 if it always asks inside the region."""
    oracular = parameters.get("oracular", False)
    require_switch(oracular=oracular)
    size = parameters.pop("cover_size", 0 if oracular else _COVER_SIZE)
    if type(size) is not int or not 0 <= size <= MOST_MEMBERS:
        raise InvalidParameter(
            f"cover_size must be a whole number from 0 to {MOST_MEMBERS:,}, got {shown(size)}"
        )
    return size
