import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from askance.data.splits import coins, permutation, train_test
from askance.errors import InvalidParameter
from askance.kernels._jit import CODE_VERSION
from askance.presets import make_learner
from askance.simulate import run_readable
from askance.sparse import row_at
from askance.study import execute
from askance.study.design import code_of, read_study
from askance.study.origins import load_origin
from askance.study.store import Store, write_results
from askance.types import Row

INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def run_all(study, store, **options):
    with store.writing(study.text):
        todo = list(execute.missing(study, store, retry=options.pop("retry", False)))
        tasks = list(execute.plan(study, todo))
        execute.run(tasks, store, **{"jobs": 1, **options})
        return tasks


def run_script(name, *arguments):
    """What a script beside this file prints."""
    package = str(Path(execute.__file__).parents[2])
    path = os.pathsep.join([package, os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name(name)), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows_with_labels(stream):
    ends = stream.indptr.tolist()
    return [
        (Row(stream.indices[a:b], stream.values[a:b]), label)
        for (a, b), label in zip(itertools.pairwise(ends), stream.labels.tolist(), strict=True)
    ]


def rows_of(store):
    """All that must not depend on who ran it, when and how often it was killed."""
    return store.table().drop_columns("seconds").to_pylist()


@pytest.fixture
def whole(tiny, tmp_path):
    store = Store(tmp_path / "whole")
    run_all(tiny, store)
    return store


def test_every_cell_gives_what_the_readable_learner_gives(tiny, whole):
    data = load_origin(tiny.origins[0])
    train, test = train_test(permutation("points", 2, len(data)))
    examples = [(row_at(data.csr, int(i)), int(data.labels[i])) for i in train]
    tested = [(row_at(data.csr, int(i)), int(data.labels[i])) for i in test]
    learner = make_learner("online_active_cover", n_features=2, cover_size=3)
    drawn = coins("points", 2, len(train)).tolist()
    expected = run_readable(learner, examples, drawn, tested, budgets=tiny.budgets)
    found = [
        (row["budget"], row["queries"], row["examples"], row["error"])
        for row in whole.table().to_pylist()
        if row["permutation"] == 2 and '"cover_size": 3' in row["setting"]
    ]
    assert found == [tuple(row[:4]) for row in expected.rows]


def test_settings_without_a_pass_run_alone_by_the_readable_loop(tiny_file, tmp_path):
    text = tiny_file.read_text().replace("cover_size =", 'disagreement = "exact"\ncover_size =')
    study, store = read_study(tiny_file, text), Store(tmp_path / "exact")
    tasks = run_all(study, store)
    alone = [task for task in tasks if "exact" in task.cells[0].setting]
    assert alone
    assert all(len(task.cells) == 1 for task in alone)
    for task in alone:
        (cell,) = task.cells
        train, test, n_features, _ = execute.split(task.origin, cell.permutation, None)
        learner = make_learner(cell.algorithm, n_features=n_features, **json.loads(cell.setting))
        assert learner.disagreement == "exact"
        expected = run_readable(
            learner, rows_with_labels(train), train.coins, rows_with_labels(test),
            budgets=study.budgets,
        )  # fmt: skip
        found = [
            (row["budget"], row["queries"], row["examples"], row["error"])
            for row in store.table().to_pylist()
            if (row["permutation"], row["setting"]) == (cell.permutation, cell.setting)
        ]
        assert found == [tuple(row[:4]) for row in expected.rows]


def test_auto_runs_once_for_each_budget_as_row_by_row(auto_file, tmp_path):
    text = auto_file.read_text().replace("permutations = 2", "permutations = 1")
    study, store = read_study(auto_file, text), Store(tmp_path / "auto")
    tasks = [task for task in run_all(study, store) if task.cells[0].algorithm == "auto"]
    assert [len(task.cells) for task in tasks] == [1, 1]
    rows = store.table().to_pylist()
    for task in tasks:
        (cell,) = task.cells
        train, test, n_features, _ = execute.split(task.origin, cell.permutation, None)
        own = [
            r for r in rows if (r["permutation"], r["setting"]) == (cell.permutation, cell.setting)
        ]
        assert [row["budget"] for row in own] == [5, 10, 20]
        for row in own:
            learner = make_learner(
                "auto", n_features=n_features, budget=row["budget"], horizon=len(train.labels),
                seed=cell.permutation, **json.loads(cell.setting),
            )  # fmt: skip
            expected = run_readable(
                learner, rows_with_labels(train), train.coins, rows_with_labels(test),
                budgets=[row["budget"]],
            )  # fmt: skip
            found = (row["budget"], row["queries"], row["examples"], row["error"])
            assert found == expected.rows[0][:4]
        assert all(row["seconds"] > 0 for row in own)
    assert {row["code"] for row in rows} == {CODE_VERSION, code_of("auto")}
    assert run_all(study, store) == []


def test_a_rate_takes_the_pace_away(auto_file, tmp_path):
    text = auto_file.read_text().replace("uniform_share = 1.0", "rate = 1.0")
    study, store = read_study(auto_file, text), Store(tmp_path / "auto")
    run_all(study, store)
    seen = {
        "rate" in row["setting"]: row["examples"]
        for row in store.table().to_pylist()
        if (row["algorithm"], row["budget"], row["permutation"]) == ("auto", 10, 1)
    }
    assert seen[True] < 0.5 * seen[False]


def test_auto_by_other_code_is_run_again(auto_file, tmp_path, monkeypatch):
    study, store = read_study(auto_file), Store(tmp_path / "auto")
    run_all(study, store)
    monkeypatch.setattr("askance.study.design._auto_version", lambda: "other")
    left = [cell for _, some in execute.missing(study, store) for cell in some]
    assert [cell.algorithm for cell in left] == ["auto"] * 4


def test_nothing_is_left_after_a_run_and_only_additions_run_later(tiny_file, tiny, whole):
    assert run_all(tiny, whole) == []
    more = tiny.text.replace("learning_rate = [0.4, 0.8]", "learning_rate = [0.4, 0.8, 1.6]")
    (one, two) = run_all(read_study(tiny_file, more), whole)
    assert [cell.setting for cell in (*one.cells, *two.cells)] == ['{"learning_rate": 1.6}'] * 2
    again = run_all(read_study(tiny_file, more.replace("ns = 2", "ns = 3")), whole)
    assert {cell.permutation for task in again for cell in task.cells} == {3}
    assert sum(len(task.cells) for task in again) == 7


def test_two_processes_give_the_same_bits(tiny, whole, tmp_path):
    other = Store(tmp_path / "other")
    run_all(tiny, other, jobs=2)
    assert rows_of(other) == rows_of(whole)


def test_the_size_of_groups_changes_no_bit(tiny, whole, tmp_path):
    other = Store(tmp_path / "other")
    with other.writing(tiny.text):
        wanted = [cell for _, some in execute.missing(tiny, other) for cell in some]
        single = [
            execute.Task(tiny.origins[0], tiny.budgets, None, (cell,), 1.0) for cell in wanted
        ]
        execute.run(single, other, jobs=1)
    assert rows_of(other) == rows_of(whole)


def test_groups_hold_one_cover_size_and_fit(tiny, tmp_path):
    tasks = list(execute.plan(tiny, list(execute.missing(tiny, Store(tmp_path / "none")))))
    assert all(len({cell.algorithm for cell in task.cells}) == 1 for task in tasks)
    assert sorted(len(task.cells) for task in tasks) == [1, 1, 1, 1, 2, 2, 2, 2]
    assert sum(task.work for task in tasks) == 2 * (2 + 2 + 3 + 4)


def test_finished_results_count_as_done_whoever_made_them(tiny_file, tiny, whole, tmp_path):
    table = whole.table()
    foreign = table.set_column(
        table.schema.get_field_index("code"), "code", [["elsewhere"] * len(table)]
    )
    write_results(foreign.cast(table.schema), tmp_path / "results")
    study = read_study(tiny_file, 'results = "results"\n' + tiny.text)
    left = [cell for _, some in execute.missing(study, Store(tmp_path / "new")) for cell in some]
    assert left == []


def test_a_failure_is_a_row_and_is_retried_on_request(tiny_file, tmp_path):
    text = tiny_file.read_text().replace("c0 = [0.01, 0.1]", "c0 = [0.01, -1.0]")
    study, store = read_study(tiny_file, text), Store(tmp_path / "failing")
    run_all(study, store)
    failed = [row for row in store.table().to_pylist() if row["failure"]]
    assert [row["permutation"] for row in failed] == [1, 2]
    assert "InvalidParameter: c0 must" in failed[0]["failure"]
    assert run_all(study, store) == []
    assert sum(len(task.cells) for task in run_all(study, store, retry=True)) == 2
    # In finished results a failure is no result.
    write_results(store.table(), tmp_path / "results")
    study = read_study(tiny_file, 'results = "results"\n' + text)
    left = [cell for _, some in execute.missing(study, Store(tmp_path / "new")) for cell in some]
    assert [(cell.permutation, "-1" in cell.setting) for cell in left] == [(1, True), (2, True)]


def test_data_that_cannot_be_read_is_a_failure_of_its_cells(tiny, tmp_path):
    store = Store(tmp_path / "failing")
    tasks = list(execute.plan(tiny, list(execute.missing(tiny, store))))
    (tmp_path / "points.csv").write_text("nonsense\n")
    execute.split.cache_clear()
    with store.writing(""):
        execute.run(tasks, store, jobs=1)
    assert all(row["failure"] for row in store.table().to_pylist())
    assert len(store.done(CODE_VERSION)) == 12


def test_an_interrupt_keeps_what_was_finished(tiny, whole, tmp_path):
    store = Store(tmp_path / "interrupted")

    def stop(task, outcomes):
        if task.cells[0].permutation == 2:
            raise KeyboardInterrupt

    tasks = list(execute.plan(tiny, list(execute.missing(tiny, store))))
    with store.writing(tiny.text), pytest.raises(KeyboardInterrupt):
        execute.run(tasks, store, jobs=1, on_task=stop)
    assert 0 < len(store.done()) < 12
    run_all(tiny, store)
    assert rows_of(store) == rows_of(whole)


@pytest.mark.skipif(INTERPRETED, reason="each of the many runs would take long")
def test_twenty_kills_leave_the_store_of_an_undisturbed_run(tiny_file, tmp_path):
    text = tiny_file.read_text().replace("permutations = 2", "permutations = 12")
    tiny_file.write_text(text)
    hits = run_script("kill_runs.py", tiny_file, tmp_path / "killed", 20)
    assert int(hits) >= 5, "too few kills hit a run under way"
    killed, undisturbed = Store(tmp_path / "killed"), Store(tmp_path / "killed-whole")
    assert rows_of(killed) == rows_of(undisturbed)
    assert len(killed.done(CODE_VERSION)) == 12 * 6


@pytest.mark.skipif(INTERPRETED, reason="each of the many runs would take long")
def test_auto_is_killed_and_resumed_with_the_same_bits(auto_file, tmp_path):
    hits = run_script("kill_runs.py", auto_file, tmp_path / "killed", 6)
    assert int(hits) >= 3, "too few kills hit a run under way"
    killed, undisturbed = Store(tmp_path / "killed"), Store(tmp_path / "killed-whole")
    assert rows_of(killed) == rows_of(undisturbed)
    assert len(killed.done(code_of("auto"))) == 4


@pytest.mark.skipif(INTERPRETED, reason="the workers would take long")
def test_a_dask_cluster_that_loses_a_worker_gives_the_same_bits(tiny_file, tmp_path):
    tiny_file.write_text(tiny_file.read_text().replace("permutations = 2", "permutations = 5"))
    run_all(read_study(tiny_file), Store(tmp_path / "whole"))
    run_script("dask_run.py", tiny_file, tmp_path / "dask")
    assert rows_of(Store(tmp_path / "dask")) == rows_of(Store(tmp_path / "whole"))


def test_dask_is_asked_for_by_its_extra(tiny, tmp_path, monkeypatch, refused):
    monkeypatch.setitem(sys.modules, "distributed", None)
    store = Store(tmp_path / "dask")
    tasks = list(execute.plan(tiny, list(execute.missing(tiny, store))))
    with store.writing(""), refused(InvalidParameter, "askance[dask]"):
        execute.run(tasks, store, dask="tcp://127.0.0.1:1")
