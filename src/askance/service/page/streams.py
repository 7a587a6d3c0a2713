"""Streams at a glance, the page of one, and the forms by which admins run them."""

import hashlib
import logging
import shutil
import tempfile
import uuid
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from fastapi import Response
from fastapi.responses import RedirectResponse
from starlette.background import BackgroundTask
from starlette.datastructures import UploadFile

from askance.data.reading.intake import Reading
from askance.errors import AskanceError, InvalidParameter
from askance.service.demo import answer_for
from askance.service.page.forms import StreamForm, listed
from askance.service.page.glances import Glance
from askance.service.page.records import record_view
from askance.service.page.visitors import AdminForm, AdminPage, Signed, Visitor, pages
from askance.service.settings import LEARNERS

__all__ = ["router"]

router = pages()

logger = logging.getLogger("askance.service")

DEMO_ANSWERS = 200
"""Questions of a demo that one press of a button answers."""

_STATES = {"pause": "paused", "resume": "resumed", "stop": "stopped"}


@router.get("/")
def _streams(visitor: Signed, part: str = "") -> Response:
    """All streams that a person may see."""
    found = [_seen_or_broken(visitor, stream) for stream in visitor.streams()]
    template = "_cards.html" if part == "cards" else "streams.html"
    return visitor.page(template, {"here": "streams", "streams": found})


class _Broken(NamedTuple):
    """A stream that cannot be read."""

    name: str
    is_broken: bool = True


def _seen_or_broken(visitor: Visitor, stream: str) -> Glance | _Broken:
    """A stream at a glance; one that cannot be read keeps nobody from the others."""
    try:
        return _seen(visitor, stream)
    except Exception:
        logger.exception("stream %s cannot be read", stream)
        return _Broken(visitor.name_of(stream))


def _seen(visitor: Visitor, stream: str) -> Glance:
    return Glance.of(visitor.session.status(stream), visitor.settings(stream))


@router.get("/new")
def _new(visitor: AdminPage) -> Response:
    """The form for a new stream."""
    return visitor.page("new.html", _form(StreamForm()))


def _form(form: StreamForm, fault: str = "") -> dict[str, object]:
    return {"here": "new", "form": form, "learners": LEARNERS, "fault": fault}


@router.post("/new")
def _create(visitor: AdminForm) -> Response:
    """Create a stream as the form says."""
    form = StreamForm.of(visitor.form)
    try:
        stream = visitor.session.create(form.settings(), visitor.id)
    except AskanceError as error:
        return visitor.page("new.html", _form(form, str(error)), status=422)
    return RedirectResponse(f"/streams/{stream}", 303)


@router.get("/streams/{stream}")
def _stream(
    stream: str,
    visitor: Signed,
    uploaded: int | None = None,
    new: int | None = None,
    answering: int | None = None,
) -> Response:
    """The page of a stream."""
    note = "" if uploaded is None else _came_in(uploaded, uploaded if new is None else new)
    if answering is not None:
        them = "1 question is" if answering == 1 else f"{answering} questions are"
        note = f"{them} being answered: the figures and charts move by themselves."
    return _page(visitor, stream, note)


def _came_in(records: int, new: int) -> str:
    """What is said of a file.

    >>> _came_in(300, 300), _came_in(300, 299)
    ('300 records came in.', '299 new records came in; 1 was there already.')
    """
    old = records - new
    came = f"{new:,} {'new ' if old else ''}record{'' if new == 1 else 's'} came in"
    there = f"{old:,} {'was' if old == 1 else 'were'} there already"
    return f"{came if new else 'Nothing new came in'}{f'; {there}' if old else ''}."


def _page(visitor: Visitor, stream: str, note: str = "", fault: str = "") -> Response:
    settings = visitor.settings(stream)
    hosts = settings.pictures
    names = {account.id: account.name for account in visitor.people.accounts()}
    context = {
        "stream": _seen(visitor, stream),
        "ties": _ties(visitor, stream, names) if visitor.is_admin else [],
        "agreement": _agreement(visitor, stream, names) if visitor.is_admin else None,
        "most_megabytes": visitor.limits.body >> 20,
        "note": note,
        "fault": fault,
        "demo_answers": DEMO_ANSWERS if settings.demo else 0,
    }
    return visitor.page("stream.html", context, hosts=hosts, status=422 if fault else 200)


def _ties(visitor: Visitor, stream: str, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """The questions that people do not agree on, with who said what."""
    opened = visitor.session.stream(stream)
    tied = visitor.session.ties(stream)
    with opened.lock:
        votes = {q.number: list(opened.books.question(q.number).votes.values()) for q in tied}
    return [
        {
            "number": question.number,
            "view": record_view(question.record, opened.settings.pictures),
            "said": [
                (names.get(vote.actor, "somebody"), vote.label)
                for vote in votes[question.number]
                if vote.label is not None
            ],
        }
        for question in tied
    ]


def _agreement(visitor: Visitor, stream: str, names: Mapping[str, str]) -> dict[str, Any] | None:
    """How much people agree, in words; None where one person answers each question."""
    if visitor.settings(stream).overlap < 2:
        return None
    found = visitor.session.agreement(stream)
    if not found.questions:
        return {"all": "No question has two answers yet.", "pairs": []}
    pairs = [
        f"{names.get(one, 'somebody')} and {names.get(other, 'somebody')}: {kappa:.2f} (Cohen)"
        for (one, other), kappa in found.pairs.items()
        if kappa is not None
    ]
    kappa = "not known yet" if found.fleiss is None else f"{found.fleiss:.2f}"
    said = f"Fleiss' kappa is {kappa}, by {found.questions:,} questions with two answers or more."
    return {"all": said, "pairs": pairs}


@router.get("/streams/{stream}/glance")
def _glance(stream: str, visitor: Signed) -> Response:
    """Where a stream stands, as a fragment."""
    return visitor.page("_glance.html", {"stream": _seen(visitor, stream)})


@router.post("/streams/{stream}/state")
def _state(stream: str, visitor: AdminForm) -> Response:
    """Pause, resume or stop a stream."""
    visitor.settings(stream)
    kind = _STATES.get(visitor.text("to"))
    if kind is None:
        raise InvalidParameter("a stream can be paused, resumed or stopped")
    visitor.session.set_state(stream, kind, visitor.id)
    return RedirectResponse(f"/streams/{stream}", 303)


@router.post("/streams/{stream}/upload")
def _upload(stream: str, visitor: AdminForm) -> Response:
    """Take the records of a file in; they are offered as people answer."""
    visitor.settings(stream)
    file = visitor.form.get("file")
    if not isinstance(file, UploadFile) or not file.filename:
        return _page(visitor, stream, fault="Choose a file first.")
    reading = Reading(id=visitor.text("id") or None, ignore=listed(visitor.text("ignore")))
    with tempfile.TemporaryDirectory() as folder:
        # Of a stranger's name only the suffixes are used: they tell the format.
        suffixes = [suffix[:20] for suffix in PurePath(file.filename).suffixes[-2:]]
        path = Path(folder) / "".join(["upload", *suffixes])
        with path.open("wb") as copy:
            shutil.copyfileobj(file.file, copy)
        try:
            kept = visitor.session.upload(stream, path, reading, _prefix(path, reading))
        except AskanceError as error:
            return _page(visitor, stream, fault=str(error).replace(str(path), file.filename))
    return RedirectResponse(f"/streams/{stream}?uploaded={kept.records}&new={kept.new}", 303)


def _prefix(path: Path, reading: Reading) -> str:
    """What ids begin with where a file has none: the same file sent twice has the same ids."""
    if reading.id is not None:
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:12] + "-"


@router.post("/streams/{stream}/ties/{number}")
def _decide(stream: str, number: int, visitor: AdminForm) -> Response:
    """Decide a question that people do not agree on."""
    visitor.settings(stream)
    key = f"tie-{uuid.uuid4().hex}"
    visitor.session.answer(stream, visitor.id, number, visitor.text("label"), key=key, admin=True)
    left = [question.number for question in visitor.session.ties(stream)]
    # The next one, so that who decides many stays where they were.
    coming = next((n for n in left if n > number), left[0] if left else None)
    return RedirectResponse(
        f"/streams/{stream}#{'now' if coming is None else f'tie-{coming}'}", 303
    )


@router.post("/streams/{stream}/demo")
def _demo(stream: str, visitor: AdminForm) -> Response:
    """Answer some questions of a demo stream with the labels that are known."""
    if not visitor.settings(stream).demo:
        raise InvalidParameter("this stream is no demo: its labels are not known")
    status = visitor.session.status(stream)
    most = min(
        DEMO_ANSWERS, status.waiting + (DEMO_ANSWERS if status.left is None else status.left)
    )
    for_me = BackgroundTask(answer_for, visitor.session, stream, visitor.id, most)
    here = f"/streams/{stream}?answering={most}"
    return RedirectResponse(here, 303, background=for_me)
