"""The same results from any workers, also if one of them is killed."""

import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests.scale.conftest import plan, truth

from askance import ActiveLearner
from askance.data.reading.intake import Reading
from askance.errors import AskanceError, BadRecord, InvalidParameter
from askance.scale import Workers, ask_pool, predict_pool, tell_pool
from askance.scale.draws import draws_of
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


class Noted:
    """A job that notes where it is loaded."""

    def __init__(self, folder):
        self.folder = folder

    def __setstate__(self, state):
        self.__dict__.update(state)
        with (Path(self.folder) / str(os.getpid())).open("a") as file:
            file.write("once\n")


def who(job, piece):
    time.sleep(0.01)
    return os.getpid(), "askance.oracles.mixture" in sys.modules


def test_processes_start_before_there_is_a_job_which_each_loads_once(tmp_path):
    with Workers(2).running() as each:
        begun = {child.pid for child in multiprocessing.active_children()}
        assert len(begun) >= 2
        found = set(each(who, Noted(str(tmp_path)), range(60)))
    assert {pid for pid, _ in found} <= begun
    assert all(ready for _, ready in found)
    loaded = {int(path.name): path.read_text() for path in tmp_path.iterdir()}
    assert loaded == dict.fromkeys((pid for pid, _ in found), "once\n")


def test_processes_end_with_what_went_wrong(tmp_path):
    before = set(multiprocessing.active_children())
    with pytest.raises(KeyError), Workers(2).running():
        raise KeyError
    assert set(multiprocessing.active_children()) <= before


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


def test_rows_that_are_not_asked_about_leave_the_model_as_it_is(pieces, tmp_path):
    """What is learned of columns on the way stays where it was learned."""
    ids = [f"7-{i}" for i in range(100)]
    draws = draws_of(0, ids, 0, 100)
    quiet = ids[np.flatnonzero((draws.rounds(3) == 0) & (draws.coin > 0.5))[0]]
    for path in tmp_path.glob("pool-*.csv"):
        head, *rows = path.read_text().splitlines()
        # One word in a column that is empty, in a row of the first round that is not asked about.
        filled = [row + (",late" if row.startswith(f"{quiet},") else ",") for row in rows]
        path.write_text("\n".join([head + ",note", *filled]) + "\n")
    asked, state = two_rounds(pieces, tmp_path / "1.askance", Workers())
    assert quiet not in {id for round in asked for id, _ in round}
    _, other = two_rounds(pieces, tmp_path / "2.askance", Workers(2))
    np.testing.assert_equal(other, state)


def pairs(chunk):
    return zip(chunk["id"].tolist(), chunk["probability_up"].tolist(), strict=True)


def on_cluster(script, pool, model):
    """What a script prints, which has a process of its own for its cluster."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    path = Path(__file__).with_name(script)
    done = subprocess.run(
        [sys.executable, str(path), str(pool), str(model)],
        capture_output=True,
        env=environment,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_they_are_the_same_from_a_worker_of_several_threads(tmp_path, model):
    rng = np.random.default_rng(0)
    for part in range(8):
        words = rng.integers(200_000, size=(2000, 15))
        lines = (f"{i}," + " ".join(f"w{w}" for w in row) for i, row in enumerate(words))
        (tmp_path / f"text-{part}.csv").write_text("x,t\n" + "\n".join(lines) + "\n")
    pool = tmp_path / "text-*.csv"
    asked, threads, said = on_cluster("dask_threads.py", pool, tmp_path / "dask.askance")
    here = ask_pool(pool, model, plan(reading=Reading()))
    assert asked == [one.id for one in here.questions]
    # Each of them has its pieces under way, whatever process it belongs to.
    assert threads == [4, 4]
    assert re.fullmatch(
        r"the Dask cluster failed \(KilledWorker\): .* all those workers died .*", said
    )
    states = (read_state(path, "active learner") for path in (model, tmp_path / "dask.askance"))
    np.testing.assert_equal(*states)


def test_they_are_the_same_from_a_cluster_whose_workers_were_killed(pieces, tmp_path):
    asked, state = two_rounds(pieces, tmp_path / "1.askance", Workers())
    found, said = on_cluster("dask_ask.py", pieces, tmp_path / "dask.askance")
    assert found == asked
    live = ActiveLearner.load(tmp_path / "1.askance")
    here = [[*pair] for chunk in predict_pool(live, pieces) for pair in pairs(chunk)]
    assert said == here
    assert len(said) == 1200
    np.testing.assert_equal(read_state(tmp_path / "dask.askance", "active learner"), state)
