"""What a stream is created with: checked once, and kept in its first event."""

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from askance.data.features import FeatureMap
from askance.data.features.indexers import Hashing
from askance.data.reading.intake import Reading
from askance.errors import InvalidLabel, InvalidParameter
from askance.live import ActiveLearner, Budget
from askance.presets import ALGORITHMS, BATCH_ALGORITHMS
from askance.service.estimators import named_estimator, try_to_fit
from askance.types import Label, State
from askance.validation import is_encodable, require_whole, shown

__all__ = ["LEARNERS", "StreamSettings"]

LEARNERS = ("auto", "coal", *ALGORITHMS, *BATCH_ALGORITHMS)
"""The learners that a stream may have."""

MOST_CLASSES = 100
"""Classes that a stream may have: more fit on no page."""

LONGEST_NAME = 200
"""Characters of a name, of a stream or of a class."""

LONGEST_GUIDELINES = 100_000
"""Characters of a stream's guidelines."""

_OWN = {
    *("budget", "classes", "estimator", "features", "horizon", "lag", "n_classes", "n_features"),
    *("known_from", "random_state", "rate", "reading", "region", "rounds", "until"),
    *("algorithm", "learner", "self"),
}
"""Parameters that the other settings of a stream stand for, or that it has no choice in."""

_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[0-9]{1,5})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamSettings:
    """A stream as somebody described it.

    Parameters
    ----------
    name
        What people call it.
    classes
        The names of the answers, two or more.
    learner, parameters
        As :class:`askance.ActiveLearner` takes them; one of :data:`LEARNERS`. The ``estimator`` of
        one that learns in epochs is the name of a class of scikit-learn, or ``class`` and
        ``parameters`` of it.
    total, horizon
        Labels in all, and examples in all if they are known.
    rate
        The share of examples to ask about, where no total and horizon are given.
    per_hour, per_day
        Labels that may be asked for within an hour and within a day.
    overlap
        How many people answer each question.
    skips
        After how many skips a question is given up.
    guidelines
        What people should know who answer.
    opinion
        Whether people see what the model predicts.
    lease
        Seconds for which a question is kept for somebody who is silent.
    text, ngrams, bits, scale
        How records become features, as :class:`askance.data.reading.intake.Reading` has it.
    ignore, hide
        Fields of the records that are not learned from, and that people do not see.
    stop
        Rules by which the questions end: ``labels``, how many answers, or ``error``, below which
        the upper end of the error's interval must fall.
    pictures
        Hosts from which pictures may be shown.
    seed
        Of the coins.
    demo
        The data whose labels are known, if this stream only shows what one looks like.

    >>> settings = StreamSettings(name="mail", classes=("ham", "spam"))
    >>> settings.code("spam"), settings.class_name(-1)
    (1, 'ham')
    """

    name: str
    classes: tuple[str, ...]
    learner: str = "auto"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    total: int | None = None
    horizon: int | None = None
    rate: float | None = None
    per_hour: int | None = None
    per_day: int | None = None
    overlap: int = 1
    skips: int = 1
    guidelines: str = ""
    opinion: bool = False
    lease: float = 120.0
    text: tuple[str, ...] | None = None
    ngrams: int = 1
    bits: int = 18
    scale: bool = True
    ignore: tuple[str, ...] = ()
    hide: tuple[str, ...] = ()
    stop: Mapping[str, Any] = field(default_factory=dict)
    pictures: tuple[str, ...] = ()
    seed: int = 0
    demo: str = ""

    def __post_init__(self) -> None:
        _check_text("name", self.name, LONGEST_NAME, 1)
        _check_text("guidelines", self.guidelines, LONGEST_GUIDELINES)
        _check_classes(self.classes)
        counts = ("total", "horizon", "per_hour", "per_day", "overlap", "skips")
        for name in counts:
            if (count := getattr(self, name)) is not None:
                require_whole(1, **{name: count})
        _check_stop(self.stop)
        _check_hosts(self.pictures)
        if not 1 <= self.lease <= 86400:
            raise InvalidParameter(f"lease must be from 1 to 86400 seconds, got {self.lease}")
        if self.horizon is not None and self.total is None:
            raise InvalidParameter("a horizon needs a total, the labels for so many examples")
        _check_learner(self.learner, self.parameters)
        Reading(ngrams=self.ngrams, bits=self.bits, scale=self.scale)
        # Whether the learner can be made, now rather than with the first example.
        self.make_learner(FeatureMap(Hashing(1)))

    # The one place where names of classes become the codes of learners, and back.

    def code(self, name: str) -> Label:
        """The label that a class has inside."""
        if name not in self.classes:
            raise InvalidLabel(
                f"a label must be one of {', '.join(self.classes)}, got {shown(name)}"
            )
        place = self.classes.index(name)
        return place if len(self.classes) > 2 else (-1, 1)[place]

    def class_name(self, code: Label) -> str:
        """The name of a label."""
        return self.classes[code if len(self.classes) > 2 else int(code > 0)]

    def make_learner(self, features: FeatureMap) -> ActiveLearner:
        """The learner before the first example."""
        parameters = dict(self.parameters)
        if self.learner == "auto":
            # A refit serves when it is done, so that no answer waits for it.
            parameters |= {"lag": None} | ({} if self.rate is None else {"rate": self.rate})
        elif self.rate is not None:
            raise InvalidParameter(f"a rate is for the learner auto, got one for {self.learner}")
        if self.learner in BATCH_ALGORITHMS:
            parameters |= {"lag": None, "estimator": named_estimator(parameters, self.bits)}
        if self.learner == "active_cover":
            # The one-call test would fit for every example, while people wait.
            parameters["known_from"] = 0
        budget = Budget(total=self.total)
        return ActiveLearner(
            self.learner,
            random_state=self.seed,
            budget=budget,
            horizon=self.horizon,
            features=features,
            classes=self.classes,
            **parameters,
        )

    def try_to_fit(self) -> None:
        """Refuse an estimator whose parameters do not go together, by fitting it to a few rows.

        Only a new stream is tried: one that has labels must open, whatever it fits.

        >>> StreamSettings(name="mail", classes=("ham", "spam"), learner="batch_iwal").try_to_fit()
        """
        if self.learner in BATCH_ALGORITHMS:
            within: Any = self.make_learner(FeatureMap(Hashing(1))).learner
            try_to_fit(within.oracle)

    def as_json(self) -> State:
        """As plain values, for an event.

        >>> settings = StreamSettings(name="a", classes=("no", "yes"), total=50)
        >>> StreamSettings.from_json(settings.as_json()) == settings
        True
        """
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, state: Mapping[str, Any]) -> Self:
        """Bring back what :meth:`as_json` gave."""
        listed: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in state.items()
        }
        return cls(**listed)


def _check_text(name: str, text: object, most: int, least: int = 0) -> None:
    if not (isinstance(text, str) and least <= len(text) <= most and text.isprintable()):
        fits = isinstance(text, str) and least <= len(text) <= most and is_encodable(text)
        if fits and name == "guidelines":
            return
        raise InvalidParameter(
            f"{name} must be text of {least} to {most} characters, got {shown(text)}"
        )


def _check_classes(classes: tuple[str, ...]) -> None:
    if not 2 <= len(classes) <= MOST_CLASSES or len(set(classes)) < len(classes):
        raise InvalidParameter(
            f"classes must be 2 to {MOST_CLASSES} different names, got {shown(list(classes))}"
        )
    for name in classes:
        _check_text("the name of a class", name, LONGEST_NAME, 1)


def _check_learner(learner: str, parameters: Mapping[str, Any]) -> None:
    free = {"estimator"} if learner in BATCH_ALGORITHMS else set()
    taken = sorted((_OWN - free) & parameters.keys())
    if taken:
        raise InvalidParameter(f"parameters of a stream's learner cannot have {taken[0]}")


def _check_hosts(hosts: tuple[str, ...]) -> None:
    # They are a part of a header, so nothing else may be in them.
    wrong = [host for host in hosts if not _HOST.fullmatch(host)]
    if wrong:
        raise InvalidParameter(
            f"pictures must be hosts such as images.example.org, got {shown(wrong[0])}"
        )


def _check_stop(stop: Mapping[str, Any]) -> None:
    if not stop.keys() <= {"labels", "error"}:
        raise InvalidParameter(f"stop knows the rules labels and error, got {shown(dict(stop))}")
    if "labels" in stop:
        require_whole(1, labels=stop["labels"])
    error = stop.get("error", 0.5)
    if not (isinstance(error, int | float) and 0 < error < 1):
        raise InvalidParameter(f"the error to stop at must lie between 0 and 1, got {shown(error)}")
