import numpy as np

from askance.study.design import Cell, read_study
from askance.study.results import collect, wanted
from askance.study.store import Outcome, Store
from askance.types import ResultRow

TEXT = """
permutations = 2
budgets = [10, 20]
[[data]]
embedded = ["digits"]
[[learners]]
algorithm = "passive"
learning_rate = [0.4, 0.8]
"""
SETTINGS = ('{"learning_rate": 0.4}', '{"learning_rate": 0.8}')


def outcome(setting, j, errors, asked=(10, 20)):
    cell = Cell("digits", "embedded", j, "passive", setting)
    rows = tuple(
        ResultRow(b, n, n, e, b == n) for b, n, e in zip((10, 20), asked, errors, strict=True)
    )
    return Outcome(cell, rows, 0.5, "v1")


def test_rows_become_arrays_and_holes_are_counted(tmp_path):
    study, store = read_study("study.toml", TEXT), Store(tmp_path)
    store.add([outcome(SETTINGS[1], 1, (0.2, 0.1), (10, 12)), outcome(SETTINGS[0], 1, (0.4, 0.4))])
    store.add([outcome(SETTINGS[0], 2, (0.3, 0.3))])
    found = collect(study, store.table())
    assert found.partial == {"digits": 1}
    (curves,) = found.curves
    assert curves.permutations == [1]
    assert curves.errors.tolist() == [[[0.4, 0.4], [0.2, 0.1]]]
    assert curves.queries.tolist() == [[[10, 20], [10, 12]]]
    assert curves.seconds.tolist() == [[0.5, 0.5]]
    (gains,) = found.gains("passive")
    assert np.allclose(gains, [[0.0, 0.625]])
    (literal,) = found.gains("passive", literal=True)
    assert np.allclose(literal, [[0.0, 1 - 0.15 * np.log2(1.2) / 0.4]])


def test_rows_of_other_settings_and_budgets_are_no_matter(tmp_path):
    study, store = read_study("study.toml", TEXT), Store(tmp_path)
    store.add([outcome(setting, 1, (0.2, 0.1)) for setting in SETTINGS])
    store.add([outcome('{"learning_rate": 5.0}', 1, (0.9, 0.9))])
    cell = Cell("digits", "embedded", 1, "passive", SETTINGS[0])
    store.add([Outcome(cell, (ResultRow(30, 30, 30, 0.7, True),), 0.5, "v1")])
    (curves,) = collect(study, store.table()).curves
    assert curves.errors.tolist() == [[[0.2, 0.1], [0.2, 0.1]]]


def test_data_sets_are_in_the_order_of_the_study(tmp_path):
    text = TEXT.replace('embedded = ["digits"]', 'catalog = "all"')
    study, store = read_study("study.toml", text), Store(tmp_path)
    for name in ("abalone", "titanic", "unknown"):
        cells = [Cell(name, "x", 1, "passive", setting) for setting in SETTINGS]
        rows = tuple(ResultRow(n, n, n, 0.5, True) for n in (10, 20))
        store.add([Outcome(cell, rows, 0.5, "v1") for cell in cells])
    assert [c.dataset for c in collect(study, store.table()).curves] == ["titanic", "abalone"]
    assert wanted(study)[:2] == ["titanic", "abalone"]
    assert len(wanted(study)) == 22
