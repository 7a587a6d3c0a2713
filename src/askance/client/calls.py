"""A typed client of the REST API."""

import os
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import quote

import httpx

from askance.client.replies import (
    AnswerReceipt,
    OfferedExample,
    PastAnswer,
    PredictedClass,
    WaitingQuestion,
    WaitingQuestions,
    as_status,
)
from askance.errors import AskanceError
from askance.types import Agreement, ChartPoint, StreamStatus

__all__ = ["Client", "ServiceRefused"]

Fields = Mapping[str, Any]

_AT_ONCE = 1000
"""Examples that go into one request."""


class ServiceRefused(AskanceError):
    """The service refused something; ``status`` is the HTTP status."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


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

    def streams(self) -> list[StreamStatus]:
        """All streams, with where they stand."""
        return [as_status(one) for one in self._call("GET", "/streams").json()]

    def status(self, stream: str) -> StreamStatus:
        """Where a stream stands."""
        return as_status(self._call("GET", _at(stream)).json())

    def chart(self, stream: str) -> list[ChartPoint]:
        """The error, its interval and the query rate, by how many labels there were."""
        return [ChartPoint(**one) for one in self._call("GET", _at(stream, "/chart")).json()]

    def agreement(self, stream: str) -> Agreement:
        """How much people agree on the questions that several of them answered."""
        found = self._call("GET", _at(stream, "/agreement")).json()
        pairs = {(one, other): kappa for one, other, kappa in found["pairs"]}
        return Agreement(found["questions"], found["fleiss"], pairs)

    def set_state(self, stream: str, state: Literal["running", "paused", "stopped"]) -> None:
        """Pause a stream, let it run again, or stop it."""
        self._call("PUT", _at(stream, "/state"), json={"state": state})

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
            answer = self._call("POST", _at(stream, "/examples"), json=batch).json()
            found += [OfferedExample(**one) for one in answer]
        return found

    def offer_lines(self, stream: str, lines: bytes) -> list[OfferedExample]:
        """Offer examples as JSON lines, one object of ``id`` and ``record`` a line."""
        sent = {"content": lines, "headers": {"Content-Type": "application/x-ndjson"}}
        answer = self._call("POST", _at(stream, "/examples/lines"), **sent).json()
        return [OfferedExample(**one) for one in answer]

    def upload(
        self,
        stream: str,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        id: str | None = None,
        prefix: str = "",
    ) -> int:
        """Send a file, whose records are offered while people answer; how many there are.

        The format is that of the suffix, unless it is given. ``id`` names the column of ids; else
        records are numbered, behind the ``prefix``.
        """
        source = Path(path)
        chosen = {"format": format or source.suffix[1:], "prefix": prefix}
        kept: int = self._call(
            "POST",
            _at(stream, "/files"),
            params=chosen if id is None else chosen | {"id": id},
            content=source.read_bytes(),
            headers={"Content-Type": "application/octet-stream"},
        ).json()["records"]
        return kept

    def predict(self, stream: str, records: Sequence[Fields]) -> list[PredictedClass]:
        """The class of each record."""
        body = {"records": [dict(record) for record in records]}
        answer = self._call("POST", _at(stream, "/predictions"), json=body).json()
        return [PredictedClass(**one) for one in answer]

    def erase(self, stream: str, id: str) -> None:
        """Erase what an example holds, by the id of its sender."""
        # In a path, an id with a slash or dots would be another one.
        self._call("DELETE", _at(stream, "/examples"), params={"id": id})

    def model(self, stream: str) -> bytes:
        """The model as a file, which :meth:`askance.ActiveLearner.load` reads."""
        return self._call("GET", _at(stream, "/model")).content

    def labels(self, stream: str, format: Literal["csv", "parquet"] = "csv") -> bytes:
        """The labels with weights and records, as a file."""
        return self._call("GET", _at(stream, "/labels"), params={"format": format}).content

    # ------------------------------------------------------------------ questions

    def questions(self, stream: str) -> WaitingQuestions:
        """The current question and the next one, which nobody else gets for a while."""
        answer = self._call("POST", _at(stream, "/questions")).json()
        waiting = [WaitingQuestion(**one) for one in answer["questions"]]
        return WaitingQuestions(waiting, answer["reason"])

    def answer(
        self, stream: str, number: int, label: str | None, id: str | None = None
    ) -> AnswerReceipt:
        """Answer a question, or skip it with None.

        It is on the server's disk when this returns. With the same ``id`` it can be sent again.
        """
        body = {"number": number, "label": label, "id": id or uuid.uuid4().hex}
        answer = self._call("POST", _at(stream, "/answers"), json=body).json()
        return AnswerReceipt(**answer)

    def heartbeat(self, stream: str, numbers: Sequence[int]) -> list[int]:
        """Say that one still looks at questions; which of them are still one's own."""
        path = _at(stream, "/questions/heartbeat")
        mine: list[int] = self._call("POST", path, json=list(numbers)).json()
        return mine

    def undo(self, stream: str, id: str | None = None) -> WaitingQuestion | None:
        """Take an answer back, the last one or that of an ``id``; the question waits again."""
        answer = self._call("POST", _at(stream, "/undo"), json={"answer": id}).json()
        return None if answer is None else WaitingQuestion(**answer)

    def change(self, stream: str, number: int, position: int, label: str | None) -> AnswerReceipt:
        """Change an answer, by the position of its receipt."""
        body = {"number": number, "label": label}
        answer = self._call("PUT", _at(stream, f"/answers/{position}"), json=body).json()
        return AnswerReceipt(**answer)

    def history(
        self, stream: str, most: int = 50, before: int | None = None, *, everybody: bool = False
    ) -> list[PastAnswer]:
        """One's own answers, newest first; an admin may see those of ``everybody``.

        ``before`` is a position: the answers that were given before that one.
        """
        chosen: dict[str, Any] = {"most": most, "everybody": everybody}
        chosen |= {} if before is None else {"before": before}
        answer = self._call("GET", _at(stream, "/history"), params=chosen).json()
        return [PastAnswer(**one) for one in answer]

    def ties(self, stream: str) -> list[WaitingQuestion]:
        """Questions that an admin has to decide, by an answer."""
        return [WaitingQuestion(**one) for one in self._call("GET", _at(stream, "/ties")).json()]

    def withdraw(self, stream: str, number: int) -> None:
        """Give a question up; its label is refunded."""
        self._call("DELETE", _at(stream, f"/questions/{number}"))

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


def _at(stream: str, rest: str = "") -> str:
    """The path of a stream, whatever its id holds: dots would lead to another one."""
    return f"/streams/{quote(stream, safe='').replace('.', '%2E')}{rest}"
