"""Saved learners in the database: a cache, so that a stream need not be folded from its start."""

import logging
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, cast

import sqlalchemy as sa

from askance.errors import FileUnreadable
from askance.live import ActiveLearner
from askance.protocols import RefittingLearner, refitting
from askance.service.log import Statement
from askance.service.schema import snapshots
from askance.service.settings import StreamSettings

__all__ = ["LearnerSnapshots", "Taken", "kept", "learner_bytes"]

logger = logging.getLogger("askance.service")

KEPT = 12
"""Snapshots of a stream that are kept: an answer that is changed needs one from before it."""

NEAR = 1000
"""Events that are folded in no time: snapshots need not be nearer to each other."""


class Taken(NamedTuple):
    """A snapshot: where it was taken, where the refit that was under way began, and a learner."""

    position: int
    begun: int
    state: bytes


class LearnerSnapshots:
    """The snapshots of one stream."""

    def __init__(self, engine: sa.Engine, stream: str, settings: StreamSettings) -> None:
        self._engine, self._stream, self._settings = engine, stream, settings

    def latest(self, before: int | None = None) -> Taken | None:
        """The latest, or the latest before a position."""
        query = sa.select(snapshots.c.position, snapshots.c.begun, snapshots.c.state).where(
            snapshots.c.stream == self._stream
        )
        if before is not None:
            query = query.where(snapshots.c.position < before)
        with self._engine.connect() as connection:
            row = connection.execute(query.order_by(snapshots.c.position.desc()).limit(1)).first()
        return None if row is None else Taken(*row)

    def load(self, state: bytes, like: ActiveLearner | None = None) -> ActiveLearner | None:
        """The learner of a snapshot; None if it is damaged.

        If there is one that is ``like`` it but later, nothing is fitted: what that one decides by
        is taken over.
        """
        later = None if like is None else refitting(like.learner)
        try:
            with tempfile.NamedTemporaryFile(suffix=".askance") as file:
                Path(file.name).write_bytes(state)
                if later is None or like is None or like.features is None:
                    return ActiveLearner.load(file.name)
                within = self._settings.make_learner(like.features).learner
                cast(RefittingLearner, within).expect(later.served)
                return ActiveLearner.load(file.name, within)
        except FileUnreadable as error:
            logger.warning("skipped a damaged snapshot of %s: %s", self._stream, error)
            return None

    def saving(self, learner: ActiveLearner, position: int, begun: int) -> list[Statement]:
        """The statements that save a learner as it is at a position, and drop older ones."""
        mine = snapshots.c.stream == self._stream
        with self._engine.connect() as connection:
            found = list(connection.scalars(sa.select(snapshots.c.position).where(mine)))
        # By their positions: one that is not on the disk yet must stay.
        old = mine & snapshots.c.position.in_(set(found) - kept(found, position))
        state = learner_bytes(learner)
        row = {"stream": self._stream, "position": position, "begun": begun, "state": state}
        return [(snapshots.delete().where(old), [{}]), (snapshots.insert(), [row])]

    def dropping(self, since: int) -> Statement:
        """The statement that drops those that hold what happened at a position."""
        mine = snapshots.c.stream == self._stream
        return snapshots.delete().where(mine & (snapshots.c.position >= since)), [{}]


def kept(positions: Iterable[int], newest: int) -> set[int]:
    """Which snapshots to keep when a new one is taken: :data:`KEPT` with it, fewer farther back.

    While there are more, the one goes whose neighbours are nearest to each other by the ratio of
    their distances. So what is folded again for an old answer grows with how old it is, not with
    the log.

    >>> sorted(kept(range(0, 100_000, 5_000), 100_000))
    [20000, 30000, 40000, 50000, 60000, 70000, 75000, 80000, 85000, 90000, 95000]
    """
    # From the newest to the start of the log, which needs none.
    back = [NEAR, *sorted(newest - at + NEAR for at in positions), newest + NEAR]
    while len(back) > KEPT + 1:
        del back[min(range(1, len(back) - 1), key=lambda i: back[i + 1] / back[i - 1])]
    return {newest + NEAR - distance for distance in back[1:-1]}


def learner_bytes(learner: ActiveLearner) -> bytes:
    """A learner as its file has it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "learner.askance"
        learner.save(path)
        return path.read_bytes()
