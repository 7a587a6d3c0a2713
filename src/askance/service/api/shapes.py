"""What goes over the wire, for OpenAPI and for checks."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from askance.service.offering import LONGEST_ID, MOST_EXAMPLES
from askance.service.settings import LONGEST_GUIDELINES, LONGEST_NAME, MOST_CLASSES

__all__ = [
    "AgreementShape",
    "AnswerShape",
    "ChangeShape",
    "ExampleShape",
    "ExamplesShape",
    "HistoryShape",
    "IntervalShape",
    "KeptShape",
    "MadeStream",
    "OfferedShape",
    "PredictionShape",
    "QuestionShape",
    "QuestionsShape",
    "ReceiptShape",
    "RecordsShape",
    "StateShape",
    "StatusShape",
    "StreamShape",
]

Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Count = Annotated[int, Field(ge=1, le=2**53)]


Plain = bool | int | float | str | None
"""A value that is no list and no object."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class StreamShape(_Strict):
    """A new stream; the fields are those of ``StreamSettings``."""

    name: Name
    classes: Annotated[list[Name], Field(min_length=2, max_length=MOST_CLASSES)]
    learner: Annotated[str, Field(max_length=40)] = "auto"
    parameters: dict[str, Plain | list[str] | list[int] | dict[str, Plain | dict[str, Plain]]] = {}
    total: Count | None = None
    horizon: Count | None = None
    rate: Annotated[float, Field(gt=0, le=1)] | None = None
    per_hour: Annotated[int, Field(ge=1, le=10**6)] | None = None
    per_day: Annotated[int, Field(ge=1, le=10**6)] | None = None
    overlap: Annotated[int, Field(ge=1, le=20)] = 1
    skips: Annotated[int, Field(ge=1, le=20)] = 1
    guidelines: Annotated[str, Field(max_length=LONGEST_GUIDELINES)] = ""
    opinion: bool = False
    lease: Annotated[float, Field(ge=1, le=86400)] = 120.0
    text: list[str] | None = None
    ngrams: Annotated[int, Field(ge=1, le=9)] = 1
    bits: Annotated[int, Field(ge=1, le=24)] = 18
    scale: bool = True
    ignore: list[str] = []
    hide: list[str] = []
    stop: dict[str, float | int] = {}
    pictures: list[Annotated[str, Field(max_length=253)]] = []
    seed: Annotated[int, Field(ge=0, le=2**53)] = 0


class MadeStream(BaseModel):
    """The id of a stream."""

    id: str
    name: str


class IntervalShape(BaseModel):
    """What is known of an error; the estimate is null where there is none."""

    estimate: float | None
    low: float
    high: float
    level: float
    of: str
    holds: str


class StatusShape(BaseModel):
    """Where a stream stands; the fields are those of ``StreamStatus``."""

    id: str
    name: str
    state: str
    seen: int
    refused: int
    asked: int
    answered: int
    waiting: int
    tied: int
    withdrawn: int
    left: int | None
    query_rate: float
    rate_now: float
    error: IntervalShape | None
    classes: dict[str, int]
    reason: str | None
    refitting: bool
    fitted: int
    warning: str | None


class ExampleShape(_Strict):
    """An example: an id of the sender's own, by which a retry is noticed, and the record."""

    id: Annotated[str, Field(min_length=1, max_length=LONGEST_ID)] | None = None
    record: dict[str, Any]


class ExamplesShape(_Strict):
    """A batch of examples."""

    examples: Annotated[list[ExampleShape], Field(min_length=1, max_length=MOST_EXAMPLES)]


class KeptShape(BaseModel):
    """How many records a file had, which are offered while people answer."""

    records: int


class OfferedShape(BaseModel):
    """What was decided about an example."""

    id: str
    number: int | None
    wanted: bool
    reason: str | None
    probability: float
    predicted: str | None
    new: bool


class QuestionShape(BaseModel):
    """A question: the number by which it is answered, the sender's id and the record."""

    number: int
    id: str
    record: dict[str, Any]
    opinion: str | None


class QuestionsShape(BaseModel):
    """The current question and the next one, or the reason why there is none."""

    questions: list[QuestionShape]
    reason: str | None


class AnswerShape(_Strict):
    """An answer; a label of null is a skip. The id is made by the client, one for each answer."""

    number: Annotated[int, Field(ge=0, le=2**53)]
    label: str | None
    id: Annotated[str, Field(min_length=1, max_length=100)]


class ChangeShape(_Strict):
    """The new label of an answer; null makes it a skip."""

    number: Annotated[int, Field(ge=0, le=2**53)]
    label: str | None


class ReceiptShape(BaseModel):
    """An answer that is on the disk. It does not count if the question was decided before."""

    number: int
    position: int
    label: str | None
    counts: bool


class HistoryShape(BaseModel):
    """An answer that was given, and the label that its question has now."""

    number: int
    id: str
    record: dict[str, Any] | None
    position: int
    actor: str
    label: str | None
    counts: bool
    outcome: str | None


class RecordsShape(_Strict):
    """Records to predict."""

    records: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=MOST_EXAMPLES)]


class PredictionShape(BaseModel):
    """A predicted class, with probabilities where the learner has them."""

    label: str
    probabilities: dict[str, float] | None


class StateShape(_Strict):
    """What a stream should do."""

    state: Annotated[str, Field(pattern="^(running|paused|stopped)$")]


class AgreementShape(BaseModel):
    """How much people agree: Fleiss' kappa of all, and Cohen's of each two."""

    questions: int
    fleiss: float | None
    pairs: list[tuple[str, str, float | None]]
