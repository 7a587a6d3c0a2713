"""The same results from any workers, also if one of them is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests.scale.conftest import plan, truth

from askance import ActiveLearner
from askance.errors import AskanceError, BadRecord, InvalidParameter
from askance.scale import Workers, ask_pool, predict_pool, tell_pool
from askance.scale.workers import _sent
from askance.storage.states import read_state


def squared(job, piece):
    return job, piece * piece


def dies_once(folder, piece):
    mark = Path(folder) / str(piece)
    if piece == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return piece


def dies(folder, piece):
    os.kill(os.getpid(), signal.SIGKILL)


def refuses(folder, piece):
    raise BadRecord("row 3 is bad")


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_the_order_of_the_pieces(jobs):
    with Workers(jobs).running() as each:
        assert list(each(squared, "job", range(20))) == [("job", i * i) for i in range(20)]


def test_what_a_killed_process_left_undone_is_done_again(tmp_path):
    with Workers(2).running() as each:
        assert list(each(dies_once, str(tmp_path), range(8))) == list(range(8))
    assert (tmp_path / "3").exists()


def test_a_piece_that_kills_every_process_is_given_up(tmp_path):
    with Workers(2).running() as each, pytest.raises(AskanceError, match="workers died 4 times"):
        list(each(dies, str(tmp_path), [1]))


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_a_piece_is_the_same_error_here(jobs):
    with Workers(jobs).running() as each, pytest.raises(BadRecord, match="row 3 is bad"):
        list(each(refuses, None, [1]))


def test_no_scheduler_is_said_in_one_sentence():
    start = time.monotonic()
    with (
        pytest.raises(InvalidParameter, match="no Dask scheduler"),
        Workers(1, "tcp://127.0.0.1:9").running(),
    ):
        pass
    assert time.monotonic() - start < 60
    with pytest.raises(InvalidParameter):
        Workers(0)


class DyingWorkers:
    """A cluster of which workers die while they are sent something, as Dask says it."""

    def __init__(self, deaths):
        self.deaths = deaths

    def scatter(self, job, broadcast):
        self.deaths -= 1
        if self.deaths >= 0:
            raise OSError("in <TCP (closed) ConnectionPool.scatter>")
        return job


def test_what_a_worker_died_over_while_it_was_sent_is_sent_again():
    assert _sent(DyingWorkers(3), "job") == "job"
    with pytest.raises(AskanceError, match="workers died 4 times before they began"):
        _sent(DyingWorkers(4), "job")


@pytest.fixture
def pieces(tmp_path):
    """A pool of twelve files, so that there is something to spread."""
    rng = np.random.default_rng(0)
    for part in range(12):
        rows = zip(range(100), *rng.normal(size=(2, 100)), strict=True)
        lines = "".join(f"{part}-{i},{x:.4f},{y:.4f}\n" for i, x, y in rows)
        (tmp_path / f"pool-{part:02}.csv").write_text("doc,x,y\n" + lines)
    return tmp_path / "pool-*.csv"


def two_rounds(pool, model, workers):
    asked = []
    for number in range(2):
        found = ask_pool(pool, model, plan() if number == 0 else None, workers=workers)
        asked.append([[question.id, question.probability] for question in found.questions])
        tell_pool(model, {one.id: truth(one.fields) for one in found.questions})
    return asked, read_state(model, "active learner")


@pytest.mark.parametrize("jobs", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_the_questions_and_the_model_are_the_same_from_any_processes(pieces, tmp_path, jobs):
    asked, state = two_rounds(pieces, tmp_path / "1.askance", Workers())
    others, other_state = two_rounds(pieces, tmp_path / "n.askance", Workers(jobs))
    assert others == asked
    assert len(asked[1]) > 20
    np.testing.assert_equal(other_state, state)


def pairs(chunk):
    return zip(chunk["id"].tolist(), chunk["probability_up"].tolist(), strict=True)


def test_they_are_the_same_from_a_cluster_whose_worker_was_killed(pieces, tmp_path):
    asked, state = two_rounds(pieces, tmp_path / "1.askance", Workers())
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    script = Path(__file__).with_name("dask_ask.py")
    done = subprocess.run(
        [sys.executable, str(script), str(pieces), str(tmp_path / "dask.askance")],
        capture_output=True,
        env=environment,
        check=True,
    )
    found, said = json.loads(done.stdout)
    assert found == asked
    live = ActiveLearner.load(tmp_path / "1.askance")
    here = [[*pair] for chunk in predict_pool(live, pieces) for pair in pairs(chunk)]
    assert said == here
    assert len(said) == 1200
    np.testing.assert_equal(read_state(tmp_path / "dask.askance", "active learner"), state)
