"""Where a stream stands: counts, the error with its interval, and what charts show."""

import json
import math
from typing import Any

from askance.live import ActiveLearner
from askance.service.log import Statement
from askance.service.reasons import budget_left, rate_now, why_nothing_waits
from askance.service.schema import points
from askance.service.stream import OpenStream
from askance.types import ChartPoint, StreamStatus

__all__ = ["chart", "new_point", "point_due", "status"]


def status(stream: OpenStream) -> StreamStatus:
    """Where a stream stands now."""
    with stream.lock:
        books, learner, within = stream.books, stream.learner, stream.refitting
        stats = None if learner is None else learner.stats()
        waiting = len(books.open)
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
            left=budget_left(books, stats),
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
