"""Pieces decide as the whole does, in any order and any division."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.linear_model import LogisticRegression
from tests.scale.conftest import ROWS, plan

from askance.data.reading.files import find_files
from askance.data.reading.intake import Intake, Reading
from askance.data.reading.readers import pieces_of
from askance.learners.auto_rounds import Rule
from askance.learners.outcomes import Outcomes
from askance.learners.pacing import Pace
from askance.scale import Workers, ask_pool, tell_pool
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
    assert found.lessons == []
    pieces = pieces_of(find_files(pool))
    taught = merged(decide_piece(job._replace(taught=0.1), piece) for piece in pieces)
    expected = [ids[i] for i in np.flatnonzero(draws.pick < 0.1)]
    assert [record.id for _, record in taught.lessons] == expected


def in_five_rounds(pool, model, **changed):
    """How many rows were decided in all."""
    examples = 0
    for number in range(5):
        chosen = plan(budget=100, questions=20, reading=Reading(bits=8), **changed)
        found = ask_pool(pool, model, chosen if number == 0 else None)
        examples += found.examples
        tell_pool(model, {q.id: ("down", "up")[i % 2] for i, q in enumerate(found.questions)})
        if not found.questions:
            tell_pool(model, {}, close=True)
    return examples


def lines_of(rng, form, rows):
    values = rng.normal(size=rows).round(3).tolist()
    if form == "csv":
        return "x\n" + "".join(f"{value}\n" for value in values)
    if form == "jsonl":
        return "".join(json.dumps({"x": value}) + "\n" for value in values)
    return "".join(f"1 1:{value}\n" for value in values)


@pytest.mark.parametrize(
    ("form", "sizes"), [("csv", [6] * 20), ("jsonl", [1025]), ("libsvm", [7, 40, 1, 60])]
)
def test_a_batch_may_have_no_row_of_a_round(tmp_path, model, form, sizes):
    rng = np.random.default_rng(0)
    for i, rows in enumerate(sizes):
        (tmp_path / f"{i:02}.{form}").write_text(lines_of(rng, form, rows))
    assert in_five_rounds(tmp_path / f"*.{form}", model) == sum(sizes)


@pytest.mark.parametrize("parameters", [{}, {"estimator": LogisticRegression()}])
def test_a_batch_of_parquet_may_have_no_row_of_a_round(tmp_path, model, parameters):
    """A batch has 16,384 rows, so that the last one is alone in its own."""
    x = np.random.default_rng(0).normal(size=16_385)
    pq.write_table(pa.table({"x": x}), tmp_path / "tail.parquet")
    assert in_five_rounds(tmp_path / "tail.parquet", model, parameters=parameters) == 16_385


def test_threads_may_share_a_job(tmp_path, pool):
    """Nothing is noted in what they share."""
    rng = np.random.default_rng(0)
    for part in range(8):
        words = rng.integers(200_000, size=(3000, 15))
        lines = (f"{i}," + " ".join(f"w{w}" for w in row) for i, row in enumerate(words))
        (tmp_path / f"text-{part}.csv").write_text("x,t\n" + "\n".join(lines) + "\n")
    files, reading = find_files(tmp_path / "text-*.csv"), Reading(bits=18)
    features = Intake(files, reading).features
    rule = Rule(None, Pace(-1.0, RATE, RATE, RATE, 0.1), Outcomes())
    job, pieces = RoundJob(rule, features, reading, 5, 0, 1, 0.5), pieces_of(files)
    before = features.get_state()
    with ThreadPoolExecutor(4) as threads:
        found = merged(threads.map(partial(decide_piece, job), pieces))
    assert found.examples == 24_000
    assert features.get_state() == before


@pytest.mark.parametrize("jobs", [1, 3])
def test_who_decides_says_nothing_of_columns(tmp_path, model, jobs):
    """A word and a number in a column that is else empty, in rows of which nothing is kept."""
    draws = draws_of(0, None, 0, 3000)
    quiet = np.flatnonzero((draws.rounds(3) == 0) & (draws.coin > 0.5) & (draws.pick > 0.5))
    odd = {int(quiet[quiet >= 1000][0]): "word", int(quiet[quiet >= 2000][0]): 1.5}
    for part in range(3):
        records = ({"x": i % 7, "c": odd.get(i)} for i in range(part * 1000, part * 1000 + 1000))
        text = "".join(json.dumps(record) + "\n" for record in records)
        (tmp_path / f"{part}.jsonl").write_text(text)
    chosen = plan(reading=Reading(bits=8))
    assert ask_pool(tmp_path / "*.jsonl", model, chosen, workers=Workers(jobs)).examples > 900


def test_nothing_is_found_in_nothing(job):
    found = merged([])
    assert (found.examples, len(found.positions), found.records) == (0, 0, [])
