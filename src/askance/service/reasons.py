"""Why no question waits: a sentence that people see."""

import itertools

from askance.service.books import Books
from askance.types import Stats

__all__ = ["budget_left", "rate_now", "spent", "why_nothing_waits"]

NOW = 200
"""Examples by which it is told how much is asked now."""


def why_nothing_waits(books: Books, stats: Stats | None, mine: int, now: float) -> str:
    """A sentence for somebody for whom there is no question.

    ``mine`` is how many questions wait for others only: they hold them, or this person had their
    say.
    """
    if books.state != "running":
        ended = f"The questions have ended: {books.ended}."
        return ended if books.state == "stopped" else "This stream is paused."
    if mine:
        several = f"Others are at the {mine} open questions."
        return several if mine > 1 else "Somebody else is at the only open question."
    if books.ties:
        return f"{len(books.ties)} questions are tied and wait for an admin."
    if stats is None or not stats.seen:
        return "Nothing has come in yet."
    idle = f"Nothing new has come in that it asks about. It {_rate(books, stats)}."
    return spent(books, stats, now) or idle


def spent(books: Books, stats: Stats, now: float) -> str | None:
    """A sentence if no label may be bought now."""
    span = books.refusal(now)
    if span is not None:
        return f"The labels of this {span} are spent."
    if budget_left(books, stats) == 0:
        return f"The budget of {books.settings.total} labels is spent."
    return None


def budget_left(books: Books, stats: Stats | None) -> int | None:
    """How many labels of the total may still be bought; None if there is no total."""
    total = books.settings.total
    if total is None or stats is None:
        return total
    # Logs of earlier versions may have more: a skip could be changed when the budget was spent.
    return max(0, total - stats.answered - stats.pending)


def rate_now(books: Books, seen: int) -> float:
    """The share of the last examples that were asked about; there are :data:`NOW` of them at most.

    Questions have the numbers of their examples, so only the newest are looked at.
    """
    among = min(seen, NOW)
    newest = itertools.takewhile(lambda number: number >= seen - among, reversed(books.questions))
    return sum(1 for _ in newest) / among if among else 0.0


def _rate(books: Books, stats: Stats) -> str:
    if not stats.asked:
        return "has asked about nothing so far"
    rate = rate_now(books, stats.seen)
    if not rate:
        return f"has asked about none of the last {NOW} examples"
    return f"asks about 1 in {max(1, round(1 / rate))} examples now"
