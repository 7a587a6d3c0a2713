"""A River classifier that asks for the labels it needs."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import expit

try:
    from river import base
except ImportError as error:
    raise ImportError(
        "askance.adapters.river needs River: install it with pip install 'askance[river]'"
    ) from error

from askance.adapters.settings import budget_of, settings_of
from askance.data.features import FeatureMap
from askance.data.features.indexers import Hashing
from askance.errors import InvalidLabel, InvalidParameter, LabelConflict, LabelMissing
from askance.live import ActiveLearner, Question, Stats
from askance.sparse import from_rows
from askance.types import Label, Row

__all__ = ["ActiveRiver"]

Features = Mapping[Any, Any]


class ActiveRiver(base.Classifier):
    """A classifier for dictionaries of features that needs few labels.

    Two ways to use it:

    - *Labels cost something.* Ask first, then give the label if it is wanted: ``question =
      model.ask_one(x)`` and, if ``question.wanted``, ``model.learn_one(x, y)``. The label may come
      later, after other questions: ``learn_one`` finds the open question about the same features.
      Where a pipeline has changed them in between, say which one: ``model.learn_one(x, y,
      question=question)``. A question that will not be answered is given up by ``withdraw_one``.
    - *All labels are there*, as in ``evaluate.progressive_val_score``: ``learn_one`` without an
      open question tosses the coin itself, and uses the label only if it would have asked for it.
      ``n_labels`` counts those.

    Features are hashed by name, so they may come and go; numbers, booleans, strings, lists and
    mappings are encoded as :class:`~askance.data.features.feature_map.FeatureMap` does.

    Parameters
    ----------
    algorithm
        One of :data:`askance.ALGORITHMS`; of more than two classes ``"auto"`` or one of
        :data:`askance.presets.CLASS_ALGORITHMS`.
    classes
        The labels, two or more. None finds them on the way, any number of them.
    label_budget
        How many labels may be used in all; by default as many as the algorithm wants. When it is
        spent, nothing is learned any more.
    c0
        Scale of the threshold: larger asks more. By default that of the algorithm.
    learning_rate
        Of the online linear oracle; by default its own.
    bits
        Features are hashed to 2 to the power of ``bits`` columns.
    parameters
        Further parameters of :func:`askance.make_learner` by name.
    seed
        Seed of the coins.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> active = ActiveRiver(label_budget=300, seed=1)
    >>> model = preprocessing.StandardScaler() | active
    >>> metric = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    >>> metric.get() > 0.85, active.n_labels
    (True, 300)

    With labels that have to be asked for:

    >>> spam = ActiveRiver(classes=("ham", "spam"))
    >>> question = spam.ask_one({"offer": 1.0, "hello": 1.0})
    >>> question.wanted, question.probability, question.weight
    (True, 1.0, 1.0)
    >>> spam.learn_one({"offer": 1.0, "hello": 1.0}, "spam")
    >>> spam.predict_one({"offer": 1.0})
    'spam'
    """

    def __init__(
        self,
        algorithm: str = "online_active_cover",
        *,
        classes: Sequence[Any] | None = (False, True),
        label_budget: int | None = None,
        c0: float | None = None,
        learning_rate: float | None = None,
        bits: int = 16,
        parameters: dict[str, Any] | None = None,
        seed: int = 0,
    ) -> None:
        known = [] if classes is None else list(classes)
        if classes is not None and not (len(known) > 1 and len(set(known)) == len(known)):
            raise InvalidParameter(f"classes must be two different labels or more, got {classes!r}")
        self.algorithm = algorithm
        self.classes = classes
        self.label_budget = label_budget
        self.c0 = c0
        self.learning_rate = learning_rate
        self.bits = bits
        self.parameters = parameters
        self.seed = seed
        self._hashing = Hashing(bits)
        self._features = FeatureMap(self._hashing)
        self._places: dict[str, tuple[int, float]] = {}
        self._labels = known
        # Room for the first classes, which are not known yet.
        several: dict[str, Any] = {}
        if len(known) != 2:
            several["n_classes"] = max(len(known), 3)
        self._learner = ActiveLearner(
            algorithm,
            n_features=self._hashing.n_features,
            random_state=seed,
            budget=budget_of(label_budget),
            **several,
            **settings_of(parameters, c0=c0, learning_rate=learning_rate),
        )
        self._open: dict[int, tuple[bytes, bytes]] = {}

    @property
    def _multiclass(self) -> bool:
        return self.classes is None or len(self.classes) > 2

    @property
    def n_labels(self) -> int:
        """Labels asked for or used so far, those of open questions included."""
        stats = self.stats
        return stats.answered + stats.pending

    @property
    def stats(self) -> Stats:
        """Counts, rates and a warning, as they are now."""
        return self._learner.stats()

    def ask_one(self, x: Features) -> Question:
        """Offer an example, and learn whether its label is wanted and with what probability.

        An example whose label is not wanted is learned at once: ``learn_one`` is not called for it.
        In a pipeline, ask the last step: ``active.ask_one(pipeline.transform_one(x))``.
        """
        row = self._row(x)
        question = self._learner.ask(row)
        if question.wanted:
            self._open[question.id] = _key(row)
        return question

    def learn_one(self, x: Features, y: Any, question: Question | None = None) -> None:
        """Answer an open question, or decide on a new example and use its label if wanted.

        Parameters
        ----------
        x
            The features. If the question is given they are not looked at: what was asked counts.
        y
            The label; may be None with a question that wants none.
        question
            What :meth:`ask_one` said. By default the oldest open question about equal features, if
            there is one; if all open questions are about others, it must be told.
        """
        if question is not None:
            if question.wanted:
                self._tell(question.id, y)
            return
        row = self._row(x)
        key = _key(row)
        label = self._label(y)
        about = next((id for id, other in self._open.items() if other == key), None)
        if about is not None:
            self._tell(about, y)
        elif self._open:
            raise LabelConflict(
                f"{len(self._open)} open question(s) are about other features: pass question=, or "
                "give them up with withdraw_one"
            )
        else:
            asked = self._learner.ask(row)
            if asked.wanted:
                self._learner.tell(asked, label)

    def withdraw_one(self, question: Question) -> None:
        """Give up on a ``question``: it counts as not asked, and its label is refunded."""
        self._learner.withdraw(question)
        self._open.pop(question.id)

    def predict_proba_one(self, x: Features, **kwargs: Any) -> dict[Any, float]:
        """The probability of each class so far; ``kwargs`` of River mean nothing here."""
        row = self._row(x)
        if not self._multiclass:
            negative, positive = self._labels
            margin = self._learner.margin(row)
            return {negative: float(expit(-margin)), positive: float(expit(margin))}
        shares = self._learner.probabilities(from_rows([row]))[0, : len(self._labels)]
        total = float(shares.sum())
        if not total:
            shares, total = np.ones(len(self._labels)), float(len(self._labels))
        return dict(zip(self._labels, (shares / total).tolist(), strict=True))

    def _tell(self, id: int, y: Any) -> None:
        self._learner.tell(id, self._label(y))
        del self._open[id]

    def _label(self, y: Any) -> Label:
        if y is None:
            raise LabelMissing(f"a label was asked for, got None, expected one of {self.classes}")
        if y not in self._labels:
            if self.classes is not None:
                raise InvalidLabel(f"a label must be one of classes={self.classes}, got {y!r}")
            self._labels.append(y)
            if len(self._labels) > len(self._learner.classes):
                self._learner.add_class(str(len(self._labels) - 1))
        code = self._labels.index(y)
        return code if self._multiclass else 2 * code - 1

    def _row(self, x: Features) -> Row:
        """The row that the feature map's ``encode`` gives, faster for one example."""
        sums: dict[int, float] = {}
        fields = {str(name): value for name, value in x.items()}
        for name, value in self._features.features(fields, "an example"):
            column, sign = self._places.get(name) or self._place(name)
            sums[column] = sums.get(column, 0.0) + sign * value
        columns = sorted(column for column, value in sums.items() if value)
        values = [sums[column] for column in columns]
        return Row(np.array(columns, np.int64), np.array(values, np.float64))

    def _place(self, name: str) -> tuple[int, float]:
        """The column of a name, and its sign there; remembered while there are not too many."""
        if len(self._places) >= self._hashing.n_features:
            self._places.clear()
        (column,), (sign,) = (part.tolist() for part in self._hashing.find([name]))
        self._places[name] = column, sign
        return column, sign


def _key(row: Row) -> tuple[bytes, bytes]:
    return row.indices.tobytes(), row.values.tobytes()
