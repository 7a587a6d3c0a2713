"""The documents cannot rot: code in them runs, names in them exist, versions agree."""

import contextlib
import doctest
import importlib
import io
import re
import runpy
import tomllib
from pathlib import Path

import pytest
import typer

import askance
from askance.cli import app
from askance.presets import make_learner

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
EXAMPLES = sorted(ROOT.glob("examples/*.py"))
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def named(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [p for p in PAGES if "```python" in p.read_text()], ids=named)
def test_every_python_block_runs(page):
    blocks = FENCE.findall(page.read_text())
    assert len(blocks) == page.read_text().count("```python")
    assert all(block.startswith(">>> ") for block in blocks)
    source = "\n".join(blocks)
    test = doctest.DocTestParser().get_doctest(source, {}, named(page), str(page), 0)
    report = io.StringIO()
    result = doctest.DocTestRunner(verbose=False).run(test, out=report.write)
    assert result.attempted > 0
    assert result.failed == 0, report.getvalue()


@pytest.mark.parametrize("example", EXAMPLES, ids=named)
def test_every_example_runs_and_is_short(example):
    assert sum(bool(line.strip()) for line in example.read_text().splitlines()) <= 40
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        runpy.run_path(str(example), run_name="__main__")
    assert printed.getvalue()


def test_the_changelog_starts_with_this_version():
    first = re.search(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert first
    assert first.group(1) == askance.__version__


def test_the_citation_has_this_version():
    found = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert found
    assert found.group(1) == askance.__version__


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_between_files_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", page.read_text())
    missing = [link for link in links if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("name", sorted(askance.ALGORITHMS))
def test_every_algorithm_is_in_the_documents(name):
    assert f"`{name}`" in (ROOT / "README.md").read_text()
    assert f"`{name}`" in (ROOT / "docs/algorithms.md").read_text()


@pytest.mark.parametrize("name", sorted(typer.main.get_command(app).commands))
def test_every_command_is_in_the_documents(name):
    assert f"askance {name}" in (ROOT / "docs/first-steps.md").read_text()


def test_every_name_of_the_paper_map_exists():
    names = re.findall(r"`(askance(?:\.\w+)+)`", (ROOT / "docs/algorithms.md").read_text())
    assert len(names) > 15
    for name in names:
        parts = name.split(".")
        depth = next(i for i, part in enumerate(parts) if part in _last_modules(parts))
        found = importlib.import_module(".".join(parts[: depth + 1]))
        for part in parts[depth + 1 :]:
            found = getattr(found, part)


def _last_modules(parts):
    """The name of the deepest part that is a module."""
    folder = ROOT / "src"
    for part in parts:
        if (folder / f"{part}.py").exists():
            return {part}
        folder = folder / part
    raise AssertionError(f"no module in {'.'.join(parts)}")


def test_every_test_of_the_paper_map_exists():
    paths = set(re.findall(r"tests/[\w/]+\.py", (ROOT / "docs/algorithms.md").read_text()))
    assert len(paths) > 5
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


def test_documented_defaults_are_those_of_the_code():
    page = (ROOT / "docs/algorithms.md").read_text()
    cover = make_learner("online_active_cover", n_features=1)
    iwal, margin = (make_learner(name, n_features=1) for name in ("iwal1", "margin"))
    assert f"| `c0` | cover | {cover.c0} |" in page
    assert f"| `c0` | IWAL | {iwal.c0} |" in page
    assert f"| `cover_size` | cover | {len(cover.cover_oracles)} |" in page
    assert f"| `alpha` | cover | {cover.alpha:g} |" in page
    assert f"| `b` | margin | {margin.b} |" in page
    assert f"| `learning_rate` | oracle | {cover.erm.learning_rate} |" in page


def test_the_gate_is_what_the_readme_says():
    assert "exec make test" in (ROOT / ".ci/run").read_text()
    targets = set(re.findall(r"^make (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE))
    makefile = (ROOT / "Makefile").read_text()
    assert targets == {"demo", "test"}
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)


def test_the_package_says_that_it_is_typed():
    assert (Path(askance.__file__).parent / "py.typed").exists()
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "Typing :: Typed" in settings["project"]["classifiers"]
