"""Saved learners beside a journal, so that resuming need not learn everything again."""

import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from askance.errors import FileUnreadable
from askance.labelling.journal import GivenAnswer, label_of_reply
from askance.live import ActiveLearner

__all__ = ["ANSWERS", "Snapshots"]

logger = logging.getLogger("askance")

ANSWERS = 20
"""Answers after which a new snapshot is due."""

EXAMPLES = 20_000
"""Examples after which one is due, with the next answer."""

KEPT = 2

_NAME = re.compile(r"snapshot-(\d+)-([0-9a-f]+)\.askance")


class _Snapshot(NamedTuple):
    answers: int
    check: str
    path: Path


class Snapshots:
    """The snapshots of one folder, each named by the answers that led to it.

    A snapshot is that of a journal if the answer it was taken after has the same checksum there,
    since that covers all that was read and answered before.
    """

    def __init__(self, folder: Path, every: int = ANSWERS) -> None:
        self._folder, self._every = folder, every
        self._last = (0, 0)

    def latest(self, answers: Sequence[GivenAnswer]) -> tuple[ActiveLearner, int] | None:
        """The latest that leads to these answers, and how many of them it has taken in.

        One that is damaged is skipped, with a line in the log.
        """
        self._last = (0, 0)
        for snapshot in reversed(self._belonging(answers)):
            try:
                learner = ActiveLearner.load(snapshot.path)
                _check(learner, answers[: snapshot.answers])
            # Whatever is wrong with it: the journal is whole, and a snapshot only saves time.
            except Exception as error:
                logger.warning("skipped a damaged snapshot, %s: %s", snapshot.path.name, error)
                continue
            self._last = snapshot.answers, learner.stats().seen
            return learner, snapshot.answers
        return None

    def offer(self, learner: ActiveLearner, answers: Sequence[GivenAnswer]) -> None:
        """Save a learner that has just taken in all of these answers, if a snapshot is due."""
        seen = learner.stats().seen
        if len(answers) - self._last[0] < self._every and seen - self._last[1] < EXAMPLES:
            return
        name = f"snapshot-{len(answers)}-{answers[-1].check}.askance"
        learner.save(self._folder / name)
        self._last = len(answers), seen
        kept = {snapshot.path for snapshot in self._belonging(answers)[-KEPT:]}
        for snapshot in self._all():
            if snapshot.path not in kept:
                snapshot.path.unlink()

    def _all(self) -> list[_Snapshot]:
        found = []
        for path in self._folder.glob("snapshot-*.askance"):
            match = _NAME.fullmatch(path.name)
            if match:
                found.append(_Snapshot(int(match[1]), match[2], path))
        return sorted(found)

    def _belonging(self, answers: Sequence[GivenAnswer]) -> list[_Snapshot]:
        return [
            snapshot
            for snapshot in self._all()
            if 0 < snapshot.answers <= len(answers)
            and answers[snapshot.answers - 1].check == snapshot.check
        ]


def _check(learner: ActiveLearner, answers: Sequence[GivenAnswer]) -> None:
    """Raise unless a learner has taken in just these answers."""
    stats, sample = learner.stats(), learner.weighted_sample()
    taken, seen = (stats.answered + stats.withdrawn, stats.pending), stats.seen
    labelled = [given for given in answers if given.answer != "skip"]
    if (
        learner.features is None
        or (*taken, seen) != (len(answers), 0, answers[-1].example + 1)
        or sample.ids.tolist() != [given.example for given in labelled]
        or sample.y.tolist()
        != [label_of_reply(given.answer, learner.classes) for given in labelled]
        or sample.weight.tolist() != [1.0 / given.probability for given in labelled]
    ):
        raise FileUnreadable("it is not that of these answers")
