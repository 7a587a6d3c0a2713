import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from askance.cli.theory import theory_app


def test_run_writes_numbers_and_figure_and_document_uses_them(tmp_path: Path) -> None:
    runner = CliRunner()
    done = runner.invoke(
        theory_app,
        ["run", "labels", "--seeds", "1", "--scale", "0.03125", "--out", str(tmp_path)],
    )
    assert done.exit_code == 0, done.output
    assert "labels: epochs of Active Cover" in done.output
    assert "noise 0.4" in done.output
    assert "1 1 1 1 1" in done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["labels.json", "labels.svg"]
    page = tmp_path / "page.md"
    page.write_text("<!-- labels.table -->\n<!-- end -->\n", encoding="utf-8")
    (tmp_path / "labels.svg").unlink()
    done = runner.invoke(theory_app, ["document", str(page), "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "| noise |" in page.read_text(encoding="utf-8")
    assert (tmp_path / "labels.svg").exists()


def test_numbers_as_json(tmp_path: Path) -> None:
    runner = CliRunner()
    few = ["--seeds", "1", "--scale", "0.03125", "--out", str(tmp_path)]
    found = json.loads(runner.invoke(theory_app, ["run", "labels", *few, "--json"]).stdout)
    assert set(found) == {"labels"}
    saved = json.loads((tmp_path / "labels.json").read_text())["table"]
    assert [line["queries"] for line in found["labels"]["table"]] == [
        line["queries"] for line in saved
    ]
    assert found["labels"]["epochs"]
    page = tmp_path / "page.md"
    page.write_text("", encoding="utf-8")
    chosen = ["document", str(page), "--out", str(tmp_path), "--json"]
    found = json.loads(runner.invoke(theory_app, chosen).stdout)
    assert found == {"document": str(page), "experiments": ["labels"]}


def test_an_unknown_experiment_is_named(tmp_path: Path) -> None:
    done = CliRunner().invoke(theory_app, ["run", "nonsense", "--out", str(tmp_path)])
    assert done.exit_code == 2
    assert "no experiment is called 'nonsense'" in done.output


def test_a_missing_document_is_named(tmp_path: Path) -> None:
    done = CliRunner().invoke(theory_app, ["document", str(tmp_path / "missing.md")])
    assert done.exit_code == 2
    assert "does not exist" in done.output


@pytest.mark.parametrize("scale", ["0", "-1", "nan"])
def test_streams_without_length_are_refused(scale: str, tmp_path: Path) -> None:
    chosen = ["run", "realizable", "--seeds", "1", "--scale", scale, "--out", str(tmp_path)]
    done = CliRunner().invoke(theory_app, chosen)
    assert done.exit_code == 2
    assert "--scale" in done.output
    assert not list(tmp_path.iterdir())
