"""Saved learners in the database: a cache, so that a stream need not be folded from its start."""

import logging
import tempfile
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa

from askance.errors import FileUnreadable
from askance.learners.auto import Auto
from askance.live import ActiveLearner
from askance.protocols import ProbabilisticClassifier, ProbabilisticOracle
from askance.service.log import Statement
from askance.service.schema import snapshots
from askance.service.settings import StreamSettings
from askance.types import Floats, Integers, Matrix

__all__ = ["KnownClassifier", "LearnerSnapshots", "Taken", "learner_bytes"]

logger = logging.getLogger("askance.service")

KEPT = 3
"""Snapshots of a stream that are kept: an answer that is changed needs an older one."""


class Taken(NamedTuple):
    """A snapshot: where it was taken, where the refit that was under way began, and a learner."""

    position: int
    begun: int
    state: bytes


class KnownClassifier:
    """In the place of an oracle: what it would fit is known already."""

    def __init__(self, oracle: ProbabilisticOracle, classifier: ProbabilisticClassifier) -> None:
        self.versions = oracle.versions
        self._classifier = classifier

    def fit(
        self, X: Matrix, targets: Integers, importance: Floats, unlabeled: Matrix
    ) -> ProbabilisticClassifier:
        """The classifier that is known."""
        return self._classifier


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

        If there is one that is ``like`` it but later, and decides by a classifier, nothing is
        fitted: the classifier is that one.
        """
        auto = None if like is None or not isinstance(like.learner, Auto) else like.learner
        known = None if auto is None else auto.served.classifier
        try:
            with tempfile.NamedTemporaryFile(suffix=".askance") as file:
                Path(file.name).write_bytes(state)
                if like is None or known is None:
                    return ActiveLearner.load(file.name)
                assert like.features is not None
                learner = self._settings.make_learner(like.features).learner
                assert isinstance(learner, Auto)
                oracle = learner.oracle
                learner.oracle = KnownClassifier(oracle, known)
                loaded = ActiveLearner.load(file.name, learner)
                learner.oracle = oracle
                return loaded
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
