"""A typed client of the REST API."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self

import httpx

from askance.errors import AskanceError

__all__ = [
    "AnswerReceipt",
    "Client",
    "OfferedExample",
    "PredictedClass",
    "ServiceRefused",
    "WaitingQuestion",
    "WaitingQuestions",
]

Fields = Mapping[str, Any]

_AT_ONCE = 1000
"""Examples that go into one request."""


class ServiceRefused(AskanceError):
    """The service refused something; ``status`` is the HTTP status."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


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


class Client:
    """Calls a service.

    Parameters
    ----------
    address
        Such as ``"http://127.0.0.1:8400"``.
    token
        That an admin made.
    timeout
        Seconds to wait for an answer.

    Examples
    --------
    >>> client = Client("http://127.0.0.1:8400", "a token")
    >>> client.close()
    """

    def __init__(self, address: str, token: str, *, timeout: float = 30.0) -> None:
        self._http = httpx.Client(
            base_url=f"{address.rstrip('/')}/api/v1",
            headers={"Authorization": f"Bearer {token}"},
            timeout=timeout,
        )

    def __enter__(self) -> Self:
        """Use it in a ``with`` statement."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    # ------------------------------------------------------------------ streams

    def create_stream(self, name: str, classes: Sequence[str], **settings: Any) -> str:
        """Create a stream; its id. The settings are those of the API."""
        shape = {"name": name, "classes": list(classes), **settings}
        id: str = self._call("POST", "/streams", json=shape).json()["id"]
        return id

    def streams(self) -> list[dict[str, Any]]:
        """All streams, with where they stand."""
        found: list[dict[str, Any]] = self._call("GET", "/streams").json()
        return found

    def status(self, stream: str) -> dict[str, Any]:
        """Where a stream stands."""
        found: dict[str, Any] = self._call("GET", f"/streams/{stream}").json()
        return found

    def set_state(self, stream: str, state: Literal["running", "paused", "stopped"]) -> None:
        """Pause a stream, let it run again, or stop it."""
        self._call("PUT", f"/streams/{stream}/state", json={"state": state})

    # ------------------------------------------------------------------ examples

    def offer(
        self, stream: str, examples: Iterable[tuple[str | None, Fields]]
    ) -> list[OfferedExample]:
        """Offer examples, each with an id of your own and its record, as many as there are.

        An id makes a retry harmless; None is one that the service makes.
        """
        shapes = [{"id": id, "record": dict(record)} for id, record in examples]
        found: list[OfferedExample] = []
        for start in range(0, len(shapes), _AT_ONCE):
            batch = {"examples": shapes[start : start + _AT_ONCE]}
            answer = self._call("POST", f"/streams/{stream}/examples", json=batch).json()
            found += [OfferedExample(**one) for one in answer]
        return found

    def predict(self, stream: str, records: Sequence[Fields]) -> list[PredictedClass]:
        """The class of each record."""
        body = {"records": [dict(record) for record in records]}
        answer = self._call("POST", f"/streams/{stream}/predictions", json=body).json()
        return [PredictedClass(**one) for one in answer]

    def erase(self, stream: str, id: str) -> None:
        """Erase what an example holds, by the id of its sender."""
        self._call("DELETE", f"/streams/{stream}/examples/{id}")

    def model(self, stream: str) -> bytes:
        """The model as a file, which :meth:`askance.ActiveLearner.load` reads."""
        return self._call("GET", f"/streams/{stream}/model").content

    def labels(self, stream: str, format: Literal["csv", "parquet"] = "csv") -> bytes:
        """The labels with weights and records, as a file."""
        return self._call("GET", f"/streams/{stream}/labels", params={"format": format}).content

    # ------------------------------------------------------------------ questions

    def questions(self, stream: str) -> WaitingQuestions:
        """The current question and the next one, which nobody else gets for a while."""
        answer = self._call("POST", f"/streams/{stream}/questions").json()
        waiting = [WaitingQuestion(**one) for one in answer["questions"]]
        return WaitingQuestions(waiting, answer["reason"])

    def answer(
        self, stream: str, number: int, label: str | None, id: str | None = None
    ) -> AnswerReceipt:
        """Answer a question, or skip it with None.

        It is on the server's disk when this returns. With the same ``id`` it can be sent again.
        """
        body = {"number": number, "label": label, "id": id or uuid.uuid4().hex}
        answer = self._call("POST", f"/streams/{stream}/answers", json=body).json()
        return AnswerReceipt(**answer)

    def undo(self, stream: str) -> WaitingQuestion | None:
        """Take the last answer back; the question waits again."""
        answer = self._call("POST", f"/streams/{stream}/undo").json()
        return None if answer is None else WaitingQuestion(**answer)

    def change(self, stream: str, number: int, position: int, label: str | None) -> AnswerReceipt:
        """Change an answer, by the position of its receipt."""
        body = {"number": number, "label": label}
        answer = self._call("PUT", f"/streams/{stream}/answers/{position}", json=body).json()
        return AnswerReceipt(**answer)

    def _call(self, method: str, path: str, **options: Any) -> httpx.Response:
        try:
            answer = self._http.request(method, path, **options)
        except httpx.HTTPError as error:
            raise ServiceRefused(0, f"the service did not answer: {error}") from error
        if answer.is_success:
            return answer
        try:
            detail = answer.json()["detail"]
        except (ValueError, KeyError, TypeError):
            detail = f"the service answered with status {answer.status_code}"
        raise ServiceRefused(answer.status_code, detail)
