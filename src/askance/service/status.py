"""Where a stream stands: counts, the error with its interval, and what charts show."""

import json
import math
from dataclasses import dataclass
from typing import Any

from askance.live import ActiveLearner
from askance.service.log import Statement
from askance.service.reasons import rate_now, why_nothing_waits
from askance.service.schema import points
from askance.service.stream import OpenStream
from askance.types import Interval

__all__ = ["ChartPoint", "StreamStatus", "chart", "new_point", "point_due", "status"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamStatus:
    """Where a stream stands.

    ``seen`` examples came in, of which ``refused`` were left out for lack of budget; ``asked``
    questions were asked, of which ``waiting`` want replies, ``tied`` an admin's word, ``answered``
    have a label and ``withdrawn`` were given up. ``left`` is how many labels may still be bought,
    ``query_rate`` the share of examples that were asked about since the start and ``rate_now`` that
    of the last ones, ``error`` that of the predictions so far, ``classes`` how often each label was
    given, and ``reason`` a sentence on why no question waits, if none does. ``refitting`` tells
    whether a new classifier is on its way, and ``fitted`` of how many labels the one is that
    serves.
    """

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
    error: Interval | None
    classes: dict[str, int]
    reason: str | None
    refitting: bool
    fitted: int
    warning: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartPoint:
    """What was known after so many ``labels``: the error, its interval and the query rate.

    ``rate_now`` is None in points that are older than it.
    """

    labels: int
    seen: int
    query_rate: float
    error: float | None
    low: float | None
    high: float | None
    classes: dict[str, int]
    rate_now: float | None = None


def status(stream: OpenStream) -> StreamStatus:
    """Where a stream stands now."""
    with stream.lock:
        books, learner, within = stream.books, stream.learner, stream.refitting
        stats = None if learner is None else learner.stats()
        waiting, total = len(books.open), stream.settings.total
        idle = not waiting or books.state != "running"
        asked = len(books.questions)
        return StreamStatus(
            id=stream.id,
            name=stream.settings.name,
            state=books.state,
            seen=0 if stats is None else stats.seen,
            refused=0 if stats is None else stats.refused,
            asked=asked,
            answered=sum(books.labels.values()),
            waiting=waiting,
            tied=len(books.ties),
            withdrawn=0 if stats is None else stats.withdrawn,
            left=None
            if total is None
            else total - (0 if stats is None else stats.answered + stats.pending),
            query_rate=0.0 if stats is None else stats.query_rate,
            rate_now=0.0 if stats is None else rate_now(books, stats.seen),
            error=None if stats is None else stats.error,
            classes={name: books.labels[name] for name in stream.settings.classes},
            reason=why_nothing_waits(books, stats, 0, stream.clock()) if idle else None,
            refitting=within is not None and within.coming is not None,
            fitted=0 if within is None else within.fitted,
            warning=None if stats is None else stats.warning,
        )


def point_due(labels: int) -> bool:
    """Whether a chart shows what was known after so many labels: all of the first, later fewer.

    >>> [n for n in range(395, 410) if point_due(n)]
    [396, 398, 402, 405, 408]
    """
    return labels > 0 and labels % (1 + labels // 200) == 0


def new_point(stream: OpenStream) -> list[Statement]:
    """The statements that keep what a chart shows of now, if that is due."""
    labels = sum(stream.books.labels.values())
    if stream.learner is None or not point_due(labels):
        return []
    row = {
        "stream": stream.id,
        "labels": labels,
        "data": json.dumps(_point(stream.learner, stream)),
    }
    mine = (points.c.stream == stream.id) & (points.c.labels >= labels)
    return [(points.delete().where(mine), [{}]), (points.insert(), [row])]


def _point(learner: ActiveLearner, stream: OpenStream) -> dict[str, Any]:
    stats, books = learner.stats(), stream.books
    error = stats.error
    known = error is not None and not math.isnan(error.estimate)
    return {
        "labels": sum(books.labels.values()),
        "seen": stats.seen,
        "query_rate": stats.query_rate,
        "rate_now": rate_now(books, stats.seen),
        "error": error.estimate if error is not None and known else None,
        "low": None if error is None else error.low,
        "high": None if error is None else error.high,
        "classes": {name: books.labels[name] for name in stream.settings.classes},
    }


def chart(stream: OpenStream) -> list[ChartPoint]:
    """What charts show, by the number of labels; the last point is of now.

    Points beyond the labels of now are of answers that were taken back.
    """
    with stream.lock:
        now = None if stream.learner is None else ChartPoint(**_point(stream.learner, stream))
    if now is None or not now.labels:
        return []
    before = (points.c.stream == stream.id) & (points.c.labels < now.labels)
    query = points.select().where(before).order_by(points.c.labels)
    with stream.log.engine.connect() as connection:
        rows = connection.execute(query).all()
    return [*(ChartPoint(**json.loads(row.data)) for row in rows), now]
