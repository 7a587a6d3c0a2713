"""Saved learners in the database: a cache, so that a stream need not be folded from its start."""

import logging
import tempfile
from pathlib import Path
from typing import NamedTuple, cast

import sqlalchemy as sa

from askance.errors import FileUnreadable
from askance.live import ActiveLearner
from askance.protocols import RefittingLearner, refitting
from askance.service.log import Statement
from askance.service.schema import snapshots
from askance.service.settings import StreamSettings

__all__ = ["LearnerSnapshots", "Taken", "learner_bytes"]

logger = logging.getLogger("askance.service")

KEPT = 3
"""Snapshots of a stream that are kept: an answer that is changed needs an older one."""


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
        newest = (
            sa.select(snapshots.c.position)
            .where(mine)
            .order_by(snapshots.c.position.desc())
            .limit(KEPT)
        )
        with self._engine.connect() as connection:
            kept = list(connection.scalars(newest))
        state = learner_bytes(learner)
        row = {"stream": self._stream, "position": position, "begun": begun, "state": state}
        old = mine & (snapshots.c.position <= (kept[KEPT - 1] if len(kept) == KEPT else 0))
        return [(snapshots.delete().where(old), [{}]), (snapshots.insert(), [row])]

    def dropping(self, since: int) -> Statement:
        """The statement that drops those that hold what happened at a position."""
        mine = snapshots.c.stream == self._stream
        return snapshots.delete().where(mine & (snapshots.c.position >= since)), [{}]


def learner_bytes(learner: ActiveLearner) -> bytes:
    """A learner as its file has it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "learner.askance"
        learner.save(path)
        return path.read_bytes()
