"""Pieces decide as the whole does, in any order and any division."""

from collections import Counter

import numpy as np
import pytest
from tests.scale.conftest import ROWS

from askance.data.reading.files import find_files
from askance.data.reading.intake import Intake, Reading
from askance.data.reading.readers import pieces_of
from askance.learners.auto_rounds import Rule
from askance.learners.outcomes import Outcomes
from askance.learners.pacing import Pace
from askance.scale.deciding import RoundJob, decide_piece, merged
from askance.scale.draws import draws_of

RATE = 0.3


@pytest.fixture
def job(pool):
    reading = Reading(id="doc", bits=8)
    features = Intake(pool, reading).features
    pace = Pace(-1.0, RATE, RATE, RATE, 0.1)
    return RoundJob(Rule(None, pace, Outcomes()), features, reading, 5, 1, 4, 0.5)


def test_the_rows_of_a_round_are_those_of_their_draws(pool, job):
    found = merged(decide_piece(job, piece) for piece in pieces_of(find_files(pool)))
    ids = [f"={part}{i}" for part in "ab" for i in range(ROWS // 2)]
    draws = draws_of(5, ids, 0, ROWS)
    turn = np.flatnonzero(draws.rounds(4) == 1)
    asked = np.flatnonzero(draws.coin[turn] < RATE)
    assert found.examples == len(turn)
    assert found.positions.tolist() == asked.tolist()
    assert [record.id for record in found.records] == [ids[turn[i]] for i in asked]
    assert found.passed == Counter({RATE: len(turn) - len(asked)})
    kept = np.flatnonzero((draws.rounds(4) == 2) & (draws.pick < 0.5))
    assert [record.id for _, record in found.kept] == [ids[i] for i in kept]
    assert [pick for pick, _ in found.kept] == draws.pick[kept].tolist()


def test_nothing_is_found_in_nothing(job):
    found = merged([])
    assert (found.examples, len(found.positions), found.records) == (0, 0, [])
