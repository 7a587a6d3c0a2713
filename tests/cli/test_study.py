import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from askance.cli import app

TINY = """
name = "tiny"
permutations = 2
budgets = [5, 10, 20]
[[data]]
file = "points.csv"
label = "y"
[[learners]]
algorithm = "passive"
learning_rate = [0.4, 0.8]
[[learners]]
algorithm = "online_active_cover"
cover_size = [2, 3]
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    lines = [f"{i * 37 % 41 - 20},{i * 17 % 23 - 11},{1 if i * 37 % 41 > 20 else -1}"
             for i in range(50)]  # fmt: skip
    (tmp_path / "points.csv").write_text("\n".join(["a,b,y", *lines]) + "\n")
    (tmp_path / "tiny.toml").write_text(TINY)
    return tmp_path / "tiny.toml"


def askance(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["study", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.output


def test_from_a_study_to_its_report(study: Path, tmp_path: Path) -> None:
    store, pages = tmp_path / "store", tmp_path / "pages"
    assert "8" in askance("status", study, "--store", store)
    printed = askance("run", study, "--store", store, "--jobs", 1)
    assert "points" in printed
    assert sorted(p.name for p in store.glob("*.parquet")) == ["points.parquet"]
    assert "4 of 4 cells" in askance("verify", study, "--store", store, "--sample", 4)
    askance("export", store, "-o", tmp_path / "all.csv")
    assert len((tmp_path / "all.csv").read_text().splitlines()) == 1 + 2 * 4 * 3
    assert "index.html" in askance("report", store, "-o", pages)
    text = (pages / "index.html").read_text()
    assert "Study tiny" in text
    assert "This report is incomplete" not in text


def test_a_part_is_run_and_the_rest_later(study: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    part = ["--permutations", 1, "--data", "points", "--contestant", "passive"]
    askance("run", study, "--store", store, "--jobs", 1, *part)
    left = json.loads(askance("status", study, "--store", store, "--json"))["data_sets"]
    assert [(line["done"], line["missing"]) for line in left] == [(2, 6)]
    askance("run", study, "--store", store, "--jobs", 1)
    assert "8 of 8 cells" in askance("verify", study, "--store", store, "--sample", 8)
    assert "got 'none'" in askance("run", study, "--store", store, "--data", "none", code=1)


def test_a_report_of_other_algorithms_speaks_of_no_paper(study: Path, tmp_path: Path) -> None:
    text = TINY.replace("[[learners]]\n", '[[learners]]\nname = "plain"\n', 1)
    study.write_text(text.replace('"online_active_cover"', '"passive"\nname = "wild"').replace(
        "cover_size = [2, 3]", "learning_rate = [1.6, 3.2]"))  # fmt: skip
    askance("run", study, "--store", tmp_path / "store", "--jobs", 1)
    askance("report", tmp_path / "store", "-o", tmp_path / "pages")
    written = (tmp_path / "pages" / "summary.md").read_text()
    assert "plain - wild" in written
    assert "| paper |" not in written
    assert "claims" not in written


def test_failures_are_shown_and_end_nothing(study: Path, tmp_path: Path) -> None:
    study.write_text(TINY.replace("learning_rate = [0.4, 0.8]", "learning_rate = [0.4, -1.0]"))
    printed = askance("run", study, "--store", tmp_path / "store", "--jobs", 1, code=1)
    assert printed.count("failed: points") == 2
    assert "2 of 8 cells have no result: points (2 failed)" in printed
    assert json.dumps({"learning_rate": -1.0}) in printed


def test_a_wrong_number_is_an_exit_code(study: Path, tmp_path: Path) -> None:
    from askance.study.store import Store, write_results

    store = tmp_path / "store"
    askance("run", study, "--store", store, "--jobs", 1)
    table = Store(store).table()
    place = table.schema.get_field_index("queries")
    changed = table.set_column(place, "queries", [[q + 1 for q in table["queries"].to_pylist()]])
    code = table.schema.get_field_index("code")
    changed = changed.set_column(code, "code", [["elsewhere"] * len(table)])
    write_results(changed.cast(table.schema), store)
    printed = askance("verify", study, "--store", store, "--sample", 2, code=1)
    assert "0 of 2 cells have equal bits" in printed
    assert "differs: points" in printed
    assert "another version" in printed


def test_what_is_not_here_is_said(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(TINY.replace('file = "points.csv"\nlabel = "y"',
                                                  'catalog = "titanic"'))  # fmt: skip
    empty = tmp_path / "empty"
    empty.mkdir()
    printed = askance("status", tmp_path / "s.toml", "--store", empty, "--data-dir", empty)
    assert "not found: titanic" in printed


@pytest.mark.parametrize("command", ["run", "status", "verify"])
def test_a_data_folder_that_does_not_exist_is_refused(
    command: str, study: Path, tmp_path: Path
) -> None:
    store = ["--store", tmp_path / "store"]
    printed = askance(command, study, "--data-dir", tmp_path / "nowhere", *store, code=2)
    assert "'--data-dir'" in printed
    assert "does not exist" in " ".join(printed.replace("│", " ").split())
    assert not (tmp_path / "store").exists()


def test_a_folder_that_is_no_store_is_refused(tmp_path: Path) -> None:
    assert "is not a store of a study" in askance("report", tmp_path, "-o", tmp_path / "x", code=1)


def test_an_interrupt_says_how_to_go_on(study: Path, tmp_path: Path, monkeypatch) -> None:
    from askance.study import execute

    def interrupted(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(execute, "run", interrupted)
    printed = askance("run", study, "--store", tmp_path / "store", "--jobs", 1, code=130)
    assert "picks up from here" in printed


def test_finished_results_are_in_the_store(study: Path, tmp_path: Path) -> None:
    askance("run", study, "--store", tmp_path / "first", "--jobs", 1)
    askance("export", tmp_path / "first", "-o", tmp_path / "finished")
    more = TINY.replace("permutations = 2", "permutations = 3")
    study.write_text('results = "finished"\n' + more)
    askance("run", study, "--store", tmp_path / "second", "--jobs", 1)
    askance("export", tmp_path / "second", "-o", tmp_path / "all.csv")
    assert len((tmp_path / "all.csv").read_text().splitlines()) == 1 + 3 * 4 * 3


def test_everything_as_json(study: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    options = [study, "--store", store]
    found = json.loads(askance("run", *options, "--jobs", 1, "--json"))
    (line,) = found["data_sets"]
    assert (line["dataset"], line["done"], line["missing"]) == ("points", 8, 0)
    assert (found["absent"], found["failures"]) == ([], [])
    assert json.loads(askance("status", *options, "--json")) == found
    found = json.loads(askance("verify", *options, "--sample", 2, "--json"))
    assert found == {"checked": 2, "other_version": 0, "differing": []}
    table = tmp_path / "all.csv"
    assert json.loads(askance("export", store, "-o", table, "--json")) == {"files": [str(table)]}
    found = json.loads(askance("report", store, "-o", tmp_path / "pages", "--json"))
    assert found == {"files": [str(tmp_path / "pages" / "index.html")]}


def test_failures_as_json(study: Path, tmp_path: Path) -> None:
    study.write_text(TINY.replace("learning_rate = [0.4, 0.8]", "learning_rate = [0.4, -1.0]"))
    options = [study, "--store", tmp_path / "s", "--jobs", 1, "--json"]
    done = CliRunner().invoke(app, ["study", "run", *map(str, options)])
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert {failure["algorithm"] for failure in found["failures"]} == {"passive"}
    assert "learning_rate must be positive" in found["failures"][0]["failure"]


@pytest.mark.parametrize("name", ["../../../x", "a\\u001b[2J", "part-1"])
def test_a_name_that_leads_elsewhere_is_refused_before_any_work(
    name: str, study: Path, tmp_path: Path
) -> None:
    study.write_text(TINY.replace('label = "y"', f'label = "y"\nname = "{name}"'))
    before = sorted(tmp_path.rglob("*"))
    store = tmp_path / "deep" / "down" / "store"
    printed = askance("run", study, "--store", store, "--jobs", 1, code=1)
    assert "tiny.toml: [[data]] 1: name must be" in " ".join(printed.split())
    assert sorted(tmp_path.rglob("*")) == before


def test_a_set_that_is_named_and_not_here_is_an_exit_code(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(TINY.replace('file = "points.csv"\nlabel = "y"',
                                                  'catalog = "titanic"'))  # fmt: skip
    (tmp_path / "empty").mkdir()
    options = ["--store", tmp_path / "store", "--data-dir", tmp_path / "empty"]
    printed = askance("run", tmp_path / "s.toml", *options, code=1)
    assert "the data of titanic is missing" in printed
    every = (tmp_path / "s.toml").read_text().replace('"titanic"', '"all"')
    (tmp_path / "s.toml").write_text(every)
    askance("run", tmp_path / "s.toml", *options)


@pytest.mark.parametrize("output", ["all.csv", "folder"])
def test_an_export_with_holes_writes_what_there_is_and_says_so(
    output: str, study: Path, tmp_path: Path
) -> None:
    study.write_text(TINY.replace("learning_rate = [0.4, 0.8]", "learning_rate = [0.4, -1.0]"))
    askance("run", study, "--store", tmp_path / "store", "--jobs", 1, code=1)
    printed = askance("export", tmp_path / "store", "-o", tmp_path / output, code=1)
    assert "The results are incomplete. No permutation is complete for points." in printed
    assert (tmp_path / output).exists()


def test_marks_of_a_name_are_shown_and_not_obeyed(study: Path, tmp_path: Path) -> None:
    study.write_text(TINY.replace('label = "y"', 'label = "y"\nname = "[red]x"'))
    assert "[red]x" in askance("status", study, "--store", tmp_path / "store")
    # A store may come from elsewhere.
    from askance.study.design import Cell
    from askance.study.store import Outcome, Store

    cell = Cell("a\x1b[2Jb", "", 1, "passive", "{}")
    with Store(tmp_path / "store").writing(study.read_text()):
        Store(tmp_path / "store").add([Outcome(cell, (), 0.0, "v1", "no\x1b[2J")])
    printed = askance("status", study, "--store", tmp_path / "store")
    assert "failed: a\\x1b[2Jb 1 passive {}: no\\x1b[2J" in printed
    assert "\x1b" not in printed
