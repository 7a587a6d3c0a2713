import re

import pytest

from askance.errors import FileUnreadable
from askance.study import execute
from askance.study.design import Cell, read_study
from askance.study.report import write_report
from askance.study.results import collect, holes
from askance.study.store import Outcome, Store, export_results
from askance.types import ResultRow


@pytest.fixture
def tasks(tiny, tmp_path):
    return list(execute.plan(tiny, list(execute.missing(tiny, Store(tmp_path / "store")))))


def stored(tiny, tasks, folder):
    store = Store(folder)
    with store.writing(tiny.text):
        execute.run(tasks, store, jobs=1)
    return store


def test_a_whole_study_has_no_holes(tiny, tasks, tmp_path):
    store = stored(tiny, tasks, tmp_path / "store")
    assert holes(collect(tiny, store.table())) == []


def test_a_report_shows_all_and_says_on_its_face_what_is_missing(tiny, tasks, tmp_path):
    store = stored(tiny, tasks[:-1], tmp_path / "store")
    text = write_report(store, tmp_path / "pages").read_text()
    for part in ("AUC-GAIN*", "literal", "passive", "OAC", "Time spent", "points"):
        assert part in text
    # Gains by two choices and two divisors; errors by two choices, and the examples; the cover.
    assert len(list((tmp_path / "pages").glob("*.svg"))) == 8
    assert len(list((tmp_path / "pages").glob("*.png"))) == 8
    assert text.count("<svg role=") == 8
    assert text.count('<figure class="live">') == 2
    found = holes(collect(tiny, store.table()))
    assert found == [
        "Fewer than 2 permutations are complete: points 1.",
        "5 runs of incomplete permutations are left out.",
    ]
    assert f"This report is incomplete. {' '.join(found)}" in text
    written = (tmp_path / "pages" / "summary.md").read_text()
    assert found[0] in written
    for drawing in (tmp_path / "pages").glob("*.svg"):
        assert f"]({drawing.name})" in written


def test_parts_of_sets_are_named_and_not_drawn_among_the_large(tmp_path):
    contents = {
        "covtype": "581012 11.8789 54 0.488",
        "vehv2binary": "4856 48.6133 105 0.438",
        "rcv1": "27613 77.6752 47236 0.452",
    }
    text = f"""
    permutations = 1
    budgets = [10, 20]
    [[data]]
    catalog = {list(contents)}
    [[learners]]
    algorithm = "passive"
    learning_rate = [0.4, 0.8]
    """
    study, store = read_study("study.toml", text), Store(tmp_path / "store")
    rows = tuple(ResultRow(n, n, n, 0.5, True) for n in (10, 20))
    with store.writing(text):
        store.add(
            Outcome(Cell(name, data, 1, *pair), rows, 0.5, "v1")
            for name, data in contents.items()
            for pair in study.settings()
        )
    pages = tmp_path / "pages"
    text = write_report(store, pages).read_text()
    (box,) = re.findall(r'<p class="warns">(.+?)</p>', text)
    assert re.findall("covtype|vehv2binary is 4,856 of|rcv1 is 27,613 of", box) == [
        "vehv2binary is 4,856 of",
        "rcv1 is 27,613 of",
    ]
    for choice in ("fixed", "per_data"):
        large, small = (
            (pages / f"errors-{choice}-{size}.svg").read_text() for size in ("large", "small")
        )
        assert [name in large for name in contents] == [True, False, False]
        assert [name in small for name in contents] == [False, True, True]


def test_the_time_of_each_algorithm_is_kept_by_an_export(tiny, tasks, tmp_path):
    store = stored(tiny, tasks, tmp_path / "store")
    export_results(store, tmp_path / "exported")
    spent = collect(tiny, store.table()).curves[0].seconds
    kept = collect(tiny, Store(tmp_path / "exported").table()).curves[0].seconds
    assert (kept == spent).all()
    assert (kept > 0).all()


def test_nothing_whole_is_no_report(tiny, tasks, tmp_path, refused):
    store = stored(tiny, tasks[:1], tmp_path / "store")
    with refused(FileUnreadable, "no data set with a complete permutation"):
        write_report(store, tmp_path / "pages")
    assert holes(collect(tiny, store.table()))[0] == "No permutation is complete for points."


def test_names_of_a_stranger_are_shown_and_not_obeyed(tiny_file, tmp_path):
    odd = "<script>x|*y*$z$[a](b)`c`"
    text = f"name = '{odd}'\n" + tiny_file.read_text()
    text = text.replace('file = "points.csv"', f'file = "points.csv"\nname = "{odd}"', 1)
    text = text.replace('"iwal1"', f'"iwal1"\nname = "{odd}"')
    study = read_study(tiny_file, text)
    tasks = list(execute.plan(study, list(execute.missing(study, Store(tmp_path / "store")))))
    store = stored(study, tasks, tmp_path / "store")
    page = write_report(store, tmp_path / "pages").read_text()
    assert page.count("&lt;script&gt;x|*y*$z$[a](b)`c`") > 10
    assert "<script>x" not in page
    summary = (tmp_path / "pages" / "summary.md").read_text()
    shown = "\\<script>x\\|\\*y\\*\\$z\\$\\[a\\](b)\\`c\\`"
    assert summary.startswith(f"# Study {shown}\n")
    assert summary.count(shown) == summary.count("script>") > 10
