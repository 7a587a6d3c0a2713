"""The labelling view: the current and the next question, replies, history."""

from typing import Annotated, Any

from fastapi import Form, Response

from askance.errors import AskanceError
from askance.service.page.choices import choices
from askance.service.page.glances import Glance
from askance.service.page.records import in_short, record_view
from askance.service.page.visitors import Signed, SignedCall, Visitor, pages
from askance.service.session import HistoryEntry, ShownQuestion
from askance.service.settings import StreamSettings
from askance.types import StreamStatus

__all__ = ["router"]

router = pages()

MOST = 100
"""Replies that the history shows."""


@router.get("/streams/{stream}/label")
def _label(stream: str, visitor: Signed) -> Response:
    """The page on which a person answers."""
    settings = visitor.settings(stream)
    # Questions first: to ask for them brings examples in, which the figures should count.
    leased = _leased(visitor, stream)
    context = {
        "stream": Glance.of(visitor.session.status(stream), settings),
        "choices": choices(settings.classes),
        **leased,
    }
    return visitor.page("label.html", context, hosts=settings.pictures)


@router.get("/streams/{stream}/questions")
def _questions(stream: str, visitor: Signed) -> Response:
    """The questions that are a person's now, as a fragment."""
    settings = visitor.settings(stream)
    return visitor.page("_questions.html", _leased(visitor, stream), hosts=settings.pictures)


def _leased(visitor: Visitor, stream: str) -> dict[str, Any]:
    settings = visitor.settings(stream)
    leased = visitor.session.lease(stream, visitor.id)
    why = "" if leased else visitor.session.why_nothing(stream, visitor.id)
    return {
        "questions": [_shown(question, settings) for question in leased],
        "reason": why,
        "more": bool(leased) or _may_ask_more(visitor.session.status(stream)),
    }


def _may_ask_more(status: StreamStatus) -> bool:
    """Whether another question may come without anybody doing something about it."""
    is_spent = status.left is not None and status.left <= 0 and not status.waiting
    return status.state != "stopped" and not is_spent


def _shown(question: ShownQuestion, settings: StreamSettings) -> dict[str, Any]:
    return {
        "number": question.number,
        "view": record_view(question.record, settings.pictures),
        "opinion": question.opinion,
    }


@router.get("/streams/{stream}/history")
def _history(stream: str, visitor: Signed) -> Response:
    """What a person said, newest first."""
    return _said_before(visitor, stream)


@router.post("/streams/{stream}/history/{number}/{position}")
def _change(
    stream: str, number: int, position: int, visitor: SignedCall, label: Annotated[str, Form()]
) -> Response:
    """Change an old reply."""
    visitor.settings(stream)
    try:
        visitor.session.change(stream, visitor.id, number, position, label, admin=visitor.is_admin)
    except AskanceError as error:
        return _said_before(visitor, stream, str(error))
    return _said_before(visitor, stream)


def _said_before(visitor: Visitor, stream: str, fault: str = "") -> Response:
    settings = visitor.settings(stream)
    entries = visitor.session.history(stream, visitor.id, MOST)
    context = {
        "stream": Glance.of(visitor.session.status(stream), settings),
        "said": [_said(entry, settings) for entry in entries],
        "fault": fault,
    }
    return visitor.page("_history.html", context, hosts=settings.pictures)


def _said(entry: HistoryEntry, settings: StreamSettings) -> dict[str, Any]:
    shown = record_view(entry.record, settings.pictures)
    return {
        "number": entry.number,
        "position": entry.vote.position,
        "label": entry.vote.label,
        "picture": shown.pictures[0].source if shown.pictures else None,
        "short": in_short(shown),
        "outcome": _outcome(entry),
    }


def _outcome(entry: HistoryEntry) -> str:
    if not entry.vote.counts:
        return "came after others"
    if entry.outcome is None:
        return "given up" if entry.vote.label is None else "open"
    return "as you said" if entry.outcome == entry.vote.label else f"others said {entry.outcome}"
