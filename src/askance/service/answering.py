"""People answer: the current and the next question, an answer, a skip, an undo, a change."""

from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

from askance.errors import InvalidParameter, LabelConflict, UnknownQuestion
from askance.service.books import AskedQuestion
from askance.service.log import can_be_key
from askance.service.reasons import budget_left, why_nothing_waits
from askance.service.resolution import GivenVote, QuestionOutcome, is_given_up
from askance.service.status import new_point
from askance.service.stream import OpenStream
from askance.types import Event
from askance.validation import shown

__all__ = [
    "Receipt",
    "answer",
    "change",
    "give_up",
    "lease",
    "reason",
    "stop_if_due",
    "undo",
]

AHEAD = 2
"""Questions that a person gets at a time: the current one and the next."""

LONGEST_KEY = 100
"""Characters of the id of an answer."""


class Receipt(NamedTuple):
    """What became of a reply, which is on the disk.

    ``counts`` is false if the question had its answers already; then the reply is kept and shown.
    """

    number: int
    position: int
    label: str | None
    counts: bool


def lease(stream: OpenStream, person: str, most: int = AHEAD) -> list[AskedQuestion]:
    """The questions that a person should look at now; nobody else gets them meanwhile."""
    with stream.lock:
        books, leases, now = stream.books, stream.leases, stream.clock()
        if books.state != "running":
            return []
        overlap = stream.settings.overlap
        mine = [n for n in leases.of(person, now) if _is_wanted_of(stream, n, person)][:most]
        leases.renew(person, mine, now)
        for number, question in ((n, books.questions[n]) for n in list(books.open)):
            if len(mine) >= most:
                break
            if number not in mine and leases.is_free(question, person, overlap, now):
                leases.give(number, person, now)
                stream.happen(stream.event("leased", number=number, actor=person))
                mine.append(number)
        return [books.questions[number] for number in mine]


def _is_wanted_of(stream: OpenStream, number: int, person: str) -> bool:
    question = stream.books.questions[number]
    return number in stream.books.open and question.vote_of(person) is None


def reason(stream: OpenStream, person: str) -> str:
    """Why there is no question for somebody, in a sentence."""
    with stream.lock:
        stats = None if stream.learner is None else stream.learner.stats()
        return why_nothing_waits(stream.books, stats, len(stream.books.open), stream.clock())


def answer(
    stream: OpenStream,
    person: str,
    number: int,
    label: str | None,
    key: str,
    *,
    admin: bool = False,
) -> Receipt:
    """Answer a question, or skip it with a label of None; it is on the disk when this returns.

    ``key`` is an id that the caller made. The same answer with the same id changes nothing; an
    admin's answer to a tie decides it.
    """
    if not can_be_key(key, LONGEST_KEY):
        raise InvalidParameter(
            f"the id of an answer must be text of 1 to {LONGEST_KEY} characters, got {shown(key)}"
        )
    if label is not None:
        stream.settings.code(label)
    with stream.lock:
        question = stream.books.question(number)
        # The first try of a reply that is sent again may not be on the disk yet.
        futures = stream.unwritten([f"a:{key}"])
        known = _known(stream, key)
        if known is not None:
            receipt = _same(known, person, number, label)
        else:
            event = _reply(stream, question, person, label, f"a:{key}", admin)
            receipt = _receipt(event)
            futures = _entered(stream, question, event)
    stream.wait(futures)
    return receipt


def _entered(stream: OpenStream, question: AskedQuestion, event: Event) -> list["Future[None]"]:
    """Take a reply in, with what comes of it."""
    futures = [stream.happen(event)]
    if question.is_decided:
        # Nobody waits for a chart.
        stream.write([], None, new_point(stream))
    stream.leases.end(question.number, None if question.is_decided else event.actor)
    stop_if_due(stream)
    return futures


def _known(stream: OpenStream, key: str) -> Event | None:
    """The reply with a key; one that nobody has given is not looked for in the database."""
    key = f"a:{key}"
    return stream.find([key]).get(key) if stream.books.may_have(key) else None


def _reply(
    stream: OpenStream,
    question: AskedQuestion,
    person: str,
    label: str | None,
    key: str,
    admin: bool,
) -> Event:
    if question.erased:
        raise LabelConflict(f"the record of question {question.number} was erased")
    before = question.vote_of(person)
    tied = question.outcome == "tie"
    final = tied and admin and label is not None
    if before is not None and before.counts and not final:
        raise LabelConflict(
            f"you answered question {question.number} already: change that answer instead"
        )
    data: dict[str, Any] = {} if label is None else {"label": label}
    if final:
        data["final"] = True
    elif question.is_decided or tied:
        data["counts"] = False
    kind = "skipped" if label is None else "answered"
    return stream.event(kind, number=question.number, actor=person, key=key, data=data)


def _same(known: Event, person: str, number: int, label: str | None) -> Receipt:
    """The receipt of an answer that came before, if it was the same one."""
    if (known.actor, known.number, known.data.get("label")) != (person, number, label):
        raise LabelConflict("another answer has this id: make a new one for each answer")
    return _receipt(known)


def _receipt(event: Event) -> Receipt:
    assert event.number is not None
    data = event.data
    return Receipt(event.number, event.position, data.get("label"), data.get("counts", True))


def undo(stream: OpenStream, person: str, key: str | None = None) -> AskedQuestion | None:
    """Take a reply of somebody back, the last one or that of a key; the question waits again.

    None if there is none, if it was taken back before (with a key, a retry changes nothing), or if
    the record was erased since.
    """
    with stream.lock:
        position = _last_reply(stream, person) if key is None else _reply_of(stream, person, key)
        if position is None:
            return None
        number = stream.books.votes_of[person][position]
        question = stream.books.questions[number]
        _check_room(stream, question, (v for p, v in question.votes.items() if p != position))
        _revise(stream, question, "undone", person, {"answer": position})
        if stream.books.state == "running" and number in stream.books.open:
            stream.leases.give(number, person, stream.clock(), first=True)
        return question


def _last_reply(stream: OpenStream, person: str) -> int | None:
    votes = stream.books.votes_of.get(person, {})
    return next((p for p in reversed(votes) if not _erased(stream, votes[p])), None)


def _reply_of(stream: OpenStream, person: str, key: str) -> int | None:
    known = _known(stream, key)
    if known is None or known.actor != person:
        raise UnknownQuestion(f"no answer of yours has the id {key!r:.60}")
    number = stream.books.votes_of.get(person, {}).get(known.position)
    return None if number is None or _erased(stream, number) else known.position


def change(
    stream: OpenStream,
    person: str,
    number: int,
    position: int,
    label: str | None,
    *,
    admin: bool = False,
) -> Receipt:
    """Change a reply that was given before, by its position: one's own, or any for an admin."""
    if label is not None:
        stream.settings.code(label)
    with stream.lock:
        vote = stream.books.check_vote(number, position, person, may_all=admin)
        if vote.label != label:
            question = stream.books.questions[number]
            votes = question.votes | {position: vote._replace(label=label)}
            _check_room(stream, question, votes.values())
            _revise(stream, question, "changed", person, {"answer": position, "label": label})
        return Receipt(number, position, label, vote.counts)


def give_up(stream: OpenStream, person: str, numbers: Sequence[int]) -> None:
    """Withdraw questions that nobody answered; their labels are refunded."""
    with stream.lock:
        for number in numbers:
            question = stream.books.question(number)
            if question.is_decided:
                raise LabelConflict(f"question {number} is decided and cannot be withdrawn")
            stream.wait([stream.happen(stream.event("withdrawn", number=number, actor=person))])
            stream.leases.end(number)


def _check_room(stream: OpenStream, question: AskedQuestion, votes: Iterable[GivenVote]) -> None:
    """Refuse votes by which a question that was given up wants its label again, if none is left.

    It was refunded, and another question may have got it since.
    """
    books = stream.books
    if not is_given_up(question.outcome) or is_given_up(books.outcome_of(votes)):
        return
    stats = None if stream.learner is None else stream.learner.stats()
    if budget_left(books, stats) == 0:
        raise LabelConflict(
            f"question {question.number} was given up, and since then the budget of"
            f" {books.settings.total} labels was spent on others"
        )


def _revise(
    stream: OpenStream, question: AskedQuestion, kind: str, person: str, data: dict[str, Any]
) -> None:
    """Change the past, and drop the snapshots that hold it as it was."""
    before = question.outcome
    since = before.position if isinstance(before, QuestionOutcome) else data["answer"]
    since = min(since, data["answer"])
    # What the last refit has seen must be fitted again.
    data |= {
        "since": since,
        "refit": since <= stream.fold.begun_at,
    }
    event = stream.event(kind, number=question.number, actor=person, data=data)
    stream.happen(event, [stream.fold.snapshots.dropping(since)])
    stop_if_due(stream)


def _erased(stream: OpenStream, number: int) -> bool:
    return stream.books.questions[number].erased


def stop_if_due(stream: OpenStream) -> None:
    """End the questions if a rule of the stream says so."""
    rules, learner = stream.settings.stop, stream.learner
    if not rules or learner is None or stream.books.state != "running":
        return
    ended = None
    labels = sum(stream.books.labels.values())
    if labels >= rules.get("labels", labels + 1):
        ended = f"{labels} labels were given"
    error = learner.stats().error if "error" in rules and labels else None
    if error is not None and error.high < rules["error"]:
        ended = f"the error is below {rules['error']:g}"
    if ended is not None:
        stream.happen(stream.event("stopped", data={"reason": ended}))
        stream.told(stream, "stopped")
