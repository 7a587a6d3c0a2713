from pathlib import Path

from typer.testing import CliRunner

from askance.cli_theory import NAMES, theory_app
from askance.theory.experiments import EXPERIMENTS


def test_run_writes_numbers_and_figure_and_document_uses_them(tmp_path: Path) -> None:
    runner = CliRunner()
    done = runner.invoke(
        theory_app,
        ["run", "labels", "--seeds", "1", "--scale", "0.03125", "--out", str(tmp_path)],
    )
    assert done.exit_code == 0, done.output
    assert "labels" in done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["labels.json", "labels.svg"]
    page = tmp_path / "page.md"
    page.write_text("<!-- labels.table -->\n<!-- end -->\n", encoding="utf-8")
    (tmp_path / "labels.svg").unlink()
    done = runner.invoke(theory_app, ["document", str(page), "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "| noise |" in page.read_text(encoding="utf-8")
    assert (tmp_path / "labels.svg").exists()


def test_the_names_are_those_of_the_experiments() -> None:
    assert set(NAMES) == set(EXPERIMENTS)


def test_an_unknown_experiment_is_named(tmp_path: Path) -> None:
    done = CliRunner().invoke(theory_app, ["run", "nonsense", "--out", str(tmp_path)])
    assert done.exit_code == 2
    assert "no experiment is called nonsense" in done.output
