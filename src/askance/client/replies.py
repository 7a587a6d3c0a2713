"""What the service says, as records."""

import math
from typing import Any, NamedTuple

from askance.types import Interval, StreamStatus

__all__ = [
    "AnswerReceipt",
    "OfferedExample",
    "PastAnswer",
    "PredictedClass",
    "WaitingQuestion",
    "WaitingQuestions",
    "as_status",
]


class OfferedExample(NamedTuple):
    """What was decided about an example."""

    id: str
    number: int | None
    wanted: bool
    reason: str | None
    probability: float
    predicted: str | None
    new: bool


class WaitingQuestion(NamedTuple):
    """A question: the number by which it is answered, the sender's id, and the record."""

    number: int
    id: str
    record: dict[str, Any]
    opinion: str | None


class WaitingQuestions(NamedTuple):
    """The current question and the next one, or a reason why there is none."""

    questions: list[WaitingQuestion]
    reason: str | None


class AnswerReceipt(NamedTuple):
    """An answer that is on the server's disk."""

    number: int
    position: int
    label: str | None
    counts: bool


class PredictedClass(NamedTuple):
    """A predicted class, with probabilities where the learner has them."""

    label: str
    probabilities: dict[str, float] | None


class PastAnswer(NamedTuple):
    """An answer that was given, and the label that its question has now, its ``outcome``.

    ``record`` is None if it was erased. By its number and position an answer is changed.
    """

    number: int
    id: str
    record: dict[str, Any] | None
    position: int
    actor: str
    label: str | None
    counts: bool
    outcome: str | None


def as_status(found: dict[str, Any]) -> StreamStatus:
    """A status that came as JSON, which knows no NaN: there an estimate that is none is null."""
    error = found["error"]
    if error is not None:
        estimate = math.nan if error["estimate"] is None else error["estimate"]
        error = Interval(**{**error, "estimate": estimate})
    return StreamStatus(**{**found, "error": error})
