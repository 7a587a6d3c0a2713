import numpy as np
import pytest

from askance.errors import FileUnreadable
from askance.study import execute
from askance.study.design import Cell, read_study
from askance.study.status import _in_turns, failures, progress, verify_sample
from askance.study.store import Store, export_results, write_results


@pytest.fixture
def store(tiny, tmp_path):
    store = Store(tmp_path / "store")
    with store.writing(tiny.text):
        tasks = list(execute.plan(tiny, list(execute.missing(tiny, store))))
        execute.run(tasks[:-1], store, jobs=1)
    return store


def replace(store, name, values):
    """Put other values into a column of the store."""
    table = store.table()
    place = table.schema.get_field_index(name)
    changed = table.set_column(place, name, [values]).cast(table.schema)
    for part in store.folder.glob("part-*"):
        part.unlink()
    write_results(changed, store.folder)


def test_cells_are_counted(tiny, store):
    (line,) = progress(tiny, store)
    assert line[:4] == ("points", 11, 0, 1)
    assert line.seconds > 0
    assert failures(store) == []


def test_the_time_of_finished_results_counts_once(tiny_file, tiny, store, tmp_path):
    export_results(store, tmp_path / "finished")
    study = read_study(tiny_file, 'results = "finished"\n' + tiny.text)
    (alone,) = progress(tiny, store)
    (both,) = progress(study, store)
    (elsewhere,) = progress(study, Store(tmp_path / "empty"))
    assert alone == both == elsewhere


def test_failures_are_counted_and_named(tiny_file, tmp_path):
    study = read_study(tiny_file, tiny_file.read_text().replace("[0.01, 0.1]", "[0.01, -1.0]"))
    store = Store(tmp_path / "failing")
    with store.writing(study.text):
        tasks = list(execute.plan(study, list(execute.missing(study, store))))
        execute.run(tasks, store, jobs=1)
    (line,) = progress(study, store)
    assert line[:4] == ("points", 10, 2, 0)
    (cell, failure), _ = failures(store)
    assert (cell.algorithm, cell.permutation) == ("iwal1", 1)
    assert "c0 must" in failure


def test_auto_is_verified_at_every_budget(auto_file, tmp_path):
    study, store = read_study(auto_file), Store(tmp_path / "auto")
    with store.writing(study.text):
        execute.run(list(execute.plan(study, list(execute.missing(study, store)))), store, jobs=1)
    (line,) = progress(study, store)
    assert line[:4] == ("points", 6, 0, 0)
    # A cell's time is that of all its budgets, the last of which knows it.
    last = [row["seconds"] for row in store.table().to_pylist() if row["budget"] == 20]
    assert line.seconds == pytest.approx(sum(last))
    assert verify_sample(study, store, sample=6) == (6, 0, [])
    errors = store.table()["error"].to_numpy().copy()
    auto = [row["algorithm"] == "auto" for row in store.table().to_pylist()]
    errors[np.flatnonzero(auto)[-1]] += 0.01
    replace(store, "error", errors)
    assert len(verify_sample(study, store, sample=6).differing) == 1


def test_what_was_stored_is_what_a_run_gives(tiny, store):
    assert verify_sample(tiny, store, sample=4) == (4, 0, [])
    assert verify_sample(tiny, store, sample=100)[0] == 11


def test_a_changed_bit_is_found(tiny, store):
    errors = store.table()["error"].to_pylist()
    replace(store, "error", [np.nextafter(errors[0], 1.0), *errors[1:]])
    checked, foreign, found = verify_sample(tiny, store, sample=100)
    assert (checked, foreign, len(found)) == (11, 0, 1)


def test_another_code_version_is_noted(tiny, store):
    replace(store, "code", ["elsewhere"] * len(store.table()))
    assert verify_sample(tiny, store, sample=3) == (3, 3, [])


def test_nothing_to_verify_is_said(tiny, tmp_path, refused):
    store = Store(tmp_path)
    with store.writing(tiny.text), refused(FileUnreadable, "no result"):
        verify_sample(tiny, store)


def test_a_sample_is_drawn_from_every_data_set_and_algorithm():
    cells = [Cell(d, "x", j, "large", str(s)) for d in "abc" for j in (1, 2) for s in range(100)]
    cells += [Cell(d, "x", j, "small", "0") for d in "abc" for j in (1, 2)]
    drawn = list(_in_turns(cells, seed=0))
    assert sorted(drawn) == sorted(cells)
    for n in (6, 12):
        strata = [(cell.dataset, cell.algorithm) for cell in drawn[:n]]
        assert sorted(strata) == sorted(
            [(d, a) for d in "abc" for a in ("large", "small")] * (n // 6)
        )
    assert {cell.dataset for cell in drawn[:3]} == set("abc")
    assert {cell.algorithm for cell in drawn[:2]} == {"large", "small"}
    assert drawn[:6] == list(_in_turns(cells[::-1], seed=0))[:6]
    assert drawn[:6] != list(_in_turns(cells, seed=1))[:6]
    # Fewer than there are strata do not come from the first data sets only.
    assert len({next(_in_turns(cells, seed)).dataset for seed in range(20)}) == 3


def test_failures_of_other_code_are_missing_and_no_more(tiny_file, tmp_path):
    study = read_study(tiny_file, tiny_file.read_text().replace("[0.01, 0.1]", "[0.01, -1.0]"))
    store = Store(tmp_path / "failing")
    with store.writing(study.text):
        tasks = list(execute.plan(study, list(execute.missing(study, store))))
        execute.run(tasks, store, jobs=1)
    replace(store, "code", ["elsewhere"] * len(store.table()))
    (line,) = progress(study, store)
    assert line[:4] == ("points", 0, 0, 12)
