import numpy as np

from askance.kernels._jit import CODE_VERSION
from askance.study.design import Cell, read_study
from askance.study.results import Curves, Results, collect, holes, parts, wanted
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


def test_rows_of_the_code_as_it_is_now_count_before_others(tmp_path):
    study, store = read_study("study.toml", TEXT), Store(tmp_path)
    store.add([outcome(setting, 1, (0.2, 0.1))._replace(code=CODE_VERSION) for setting in SETTINGS])
    for code in ("0", "z"):
        store.add([outcome(SETTINGS[0], 1, (0.9, 0.9))._replace(code=code)])
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


def of_catalog(name, data):
    flat = np.full((1, 1, 1), 0.5)
    return Curves(name, [1], flat, flat, flat[0], data)


def test_a_part_of_a_set_is_said_to_be_one():
    text = TEXT.replace('embedded = ["digits"]', 'catalog = ["rcv1", "vehv2binary", "abalone"]')
    study = read_study("study.toml", text.replace("permutations = 2", "permutations = 1"))
    here = {
        "rcv1": "27613 77.6752 47236 0.452",
        "vehv2binary": "4856 48.6133 105 0.438",
        "abalone": "4177 7.99952 8 0.498",
    }
    results = Results(study, [of_catalog(*pair) for pair in here.items()], {})
    rcv1, vehicles = parts(results)
    assert rcv1 == "rcv1 is 27,613 of the paper's 781,265 documents."
    assert vehicles.startswith("vehv2binary is 4,856 of the paper's 299,254 examples (the first")
    assert "4,999 rows" in vehicles
    assert vehicles.endswith("with a label that we fitted.")
    # They are there all the same: an export of them is complete.
    assert holes(results) == []


def test_the_whole_set_or_a_file_of_that_name_is_no_part():
    study = read_study("study.toml", TEXT)
    whole = of_catalog("rcv1", "781265 75.7171 43001 0.474")
    own = of_catalog("rcv1", "0123456789012345")
    assert parts(Results(study, [whole, own], {})) == []
    assert (whole.examples, own.examples) == (781_265, None)


def test_curves_know_the_content_of_their_set(tmp_path):
    study, store = read_study("study.toml", TEXT), Store(tmp_path)
    store.add([outcome(setting, 1, (0.2, 0.1)) for setting in SETTINGS])
    (curves,) = collect(study, store.table()).curves
    assert (curves.data, curves.examples) == ("embedded", None)
