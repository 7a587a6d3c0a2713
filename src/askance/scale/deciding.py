"""The one pure function of a round: a piece of the pool in, the rows that are asked about out."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from askance.data.features import FeatureMap
from askance.data.features.records import Batch, Record
from askance.data.reading.files import Piece
from askance.data.reading.intake import Intake, Reading
from askance.learners.auto import Verdicts
from askance.learners.auto_rounds import Rule
from askance.scale.draws import Draws, draws_of
from askance.types import Integers

__all__ = ["Found", "RoundJob", "decide_piece", "merged"]


class RoundJob(NamedTuple):
    """What a round is decided by, the same for every piece.

    ``number`` counts the rounds from 0 on, of ``rounds``. Rows of the next round whose pick is
    below ``picked`` are given back as well, and so are rows of any round below ``taught``.
    """

    rule: Rule
    features: FeatureMap
    reading: Reading
    seed: int
    number: int
    rounds: int
    picked: float
    taught: float = 0.0


class Found(NamedTuple):
    """What a round has found in some rows of the pool.

    ``examples`` were decided. Of those asked about there are ``positions`` among them, records and
    verdicts; ``passed`` counts the others by P. ``kept`` are records of the next round, and
    ``lessons`` of any, each with its pick.
    """

    examples: int
    positions: Integers
    records: list[Record]
    verdicts: Verdicts
    passed: Counter[float]
    kept: list[tuple[float, Record]]
    lessons: list[tuple[float, Record]]


def decide_piece(job: RoundJob, piece: Piece) -> Found:
    """Decide for the rows of a piece whose turn it is, in constant memory."""
    # Threads may share a job, and what one piece teaches of columns must not reach another.
    return merged(_decided(job._replace(features=job.features.aside(names=False)), piece))


def _decided(job: RoundJob, piece: Piece) -> Iterator[Found]:
    first = piece.first
    for batch in Intake(piece, job.reading, job.features, every_id=True).batches():
        count = len(batch.ids)
        yield _decide_batch(job, batch, first)
        first += count


def _decide_batch(job: RoundJob, batch: Batch, first: int) -> Found:
    ids = None if job.reading.id is None else batch.ids
    draws = draws_of(job.seed, ids, first, len(batch.ids))
    rounds = draws.rounds(job.rounds)
    turn = np.flatnonzero(rounds == job.number)
    part = batch.take(turn)
    verdicts = _NONE
    if len(turn):
        verdicts = job.rule.verdicts(job.features.encode_batch(part), draws.coin[turn])
    asked = np.flatnonzero(verdicts.queried)
    passed = verdicts.probability[~verdicts.queried]
    kept = np.flatnonzero((rounds == job.number + 1) & (draws.pick < job.picked))
    return Found(
        len(turn),
        asked,
        list(part.take(asked).records()),
        verdicts.at(asked),
        Counter(dict(zip(*map(np.ndarray.tolist, np.unique_counts(passed)), strict=True))),
        _with_picks(batch, draws, kept),
        _with_picks(batch, draws, np.flatnonzero(draws.pick < job.taught)),
    )


def _with_picks(batch: Batch, draws: Draws, places: Integers) -> list[tuple[float, Record]]:
    return list(zip(draws.pick[places].tolist(), batch.take(places).records(), strict=True))


def merged(parts: Iterable[Found]) -> Found:
    """What was found in several parts of the pool, in their order."""
    examples, passed = 0, Counter[float]()
    positions: list[Integers] = [np.zeros(0, np.int64)]
    verdicts = [_NONE]
    records: list[Record] = []
    kept: list[tuple[float, Record]] = []
    lessons: list[tuple[float, Record]] = []
    for part in parts:
        positions.append(examples + part.positions)
        verdicts.append(part.verdicts)
        records += part.records
        kept += part.kept
        lessons += part.lessons
        passed += part.passed
        examples += part.examples
    whole = Verdicts(*map(np.concatenate, zip(*verdicts, strict=True)))
    return Found(examples, np.concatenate(positions), records, whole, passed, kept, lessons)


_NONE = Verdicts(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, bool), np.zeros(0, bool))
