"""Routes: questions and answers."""

from typing import Annotated

from fastapi import APIRouter, Body, Query

from askance.service.api.callers import Admin, CallerRoute, InService, Labeller, StreamId
from askance.service.api.shapes import (
    AnswerShape,
    ChangeShape,
    HistoryShape,
    QuestionShape,
    QuestionsShape,
    ReceiptShape,
)
from askance.service.session import HistoryEntry, ShownQuestion

__all__ = ["router"]

router = APIRouter(prefix="/api/v1/streams/{stream}", tags=["questions"], route_class=CallerRoute)

Position = Annotated[int, Query(ge=1, le=2**53)]


def _shape(question: ShownQuestion) -> QuestionShape:
    return QuestionShape(**question._asdict())


@router.post("/questions")
def lease(stream: StreamId, service: InService, account: Labeller) -> QuestionsShape:
    """The current question and the next one, which nobody else gets for a while."""
    found = [_shape(question) for question in service.session.lease(stream, account.id)]
    reason = None if found else service.session.why_nothing(stream, account.id)
    return QuestionsShape(questions=found, reason=reason)


@router.post("/questions/heartbeat")
def heartbeat(
    stream: StreamId, numbers: list[int], service: InService, account: Labeller
) -> list[int]:
    """Say that one still looks at questions; which of them are still one's own."""
    return service.session.heartbeat(stream, account.id, numbers[:100])


@router.delete("/questions/{number}", status_code=204)
def withdraw(stream: StreamId, number: int, service: InService, admin: Admin) -> None:
    """Give a question up; its label is refunded."""
    service.session.withdraw(stream, number, admin.id)


@router.post("/answers")
def answer(
    stream: StreamId, shape: AnswerShape, service: InService, account: Labeller
) -> ReceiptShape:
    """Answer a question or skip it. The receipt comes when the answer is on the disk."""
    receipt = service.session.answer(
        stream,
        account.id,
        shape.number,
        shape.label,
        key=shape.id,
        admin=account.role == "admin",
    )
    return ReceiptShape(**receipt._asdict())


@router.put("/answers/{position}")
def change(
    stream: StreamId, position: int, shape: ChangeShape, service: InService, account: Labeller
) -> ReceiptShape:
    """Change an answer of one's own; admins may change any."""
    admin = account.role == "admin"
    receipt = service.session.change(
        stream, account.id, shape.number, position, shape.label, admin=admin
    )
    return ReceiptShape(**receipt._asdict())


@router.post("/undo")
def undo(
    stream: StreamId,
    service: InService,
    account: Labeller,
    answer: Annotated[str | None, Body(embed=True, max_length=100)] = None,
) -> QuestionShape | None:
    """Take an answer back, the last one or that of an id; the question waits again.

    Null if there is none. With an id, a retry changes nothing.
    """
    question = service.session.undo(stream, account.id, answer)
    return None if question is None else _shape(question)


@router.get("/history")
def history(
    stream: StreamId,
    service: InService,
    account: Labeller,
    most: Annotated[int, Query(ge=1, le=500)] = 50,
    before: Position | None = None,
    everybody: bool = False,
) -> list[HistoryShape]:
    """One's own answers, newest first; admins may see everybody's."""
    person = None if everybody and account.role == "admin" else account.id
    return [_history(entry) for entry in service.session.history(stream, person, most, before)]


def _history(entry: HistoryEntry) -> HistoryShape:
    vote = entry.vote
    return HistoryShape(
        number=entry.number,
        id=entry.id,
        record=None if entry.record is None else dict(entry.record),
        position=vote.position,
        actor=vote.actor,
        label=vote.label,
        counts=vote.counts,
        outcome=entry.outcome,
    )


@router.get("/ties")
def ties(stream: StreamId, service: InService, admin: Admin) -> list[QuestionShape]:
    """Questions that an admin has to decide, by an answer."""
    return [_shape(question) for question in service.session.ties(stream)]
