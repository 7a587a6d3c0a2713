"""The documents cannot rot: examples run, links lead somewhere, defaults and versions agree."""

import contextlib
import io
import pkgutil
import re
import runpy
import tomllib
from pathlib import Path

import pytest

import askance
from askance.presets import make_learner

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
EXAMPLES = sorted(ROOT.glob("examples/*.py"))


# A script writes these, in lines of its own length.
GENERATED = re.compile(r"docs/(benchmarks[\w-]*|results/\w+/report/summary)\.md")
WIDTH = 120


def named(path):
    return path.relative_to(ROOT).as_posix()


def test_there_are_six_examples_and_both_lists_have_them():
    names = [example.name for example in EXAMPLES]
    assert len(names) == 6
    listed = re.findall(
        r"{literalinclude} ../examples/(\w+\.py)", (ROOT / "docs/examples.md").read_text()
    )
    assert sorted(listed) == names
    readme = (ROOT / "README.md").read_text()
    assert all(f"examples/{name}" in readme for name in names)


@pytest.mark.parametrize("example", EXAMPLES, ids=named)
def test_every_example_runs_and_is_short(example):
    assert sum(bool(line.strip()) for line in example.read_text().splitlines()) <= 40
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        runpy.run_path(str(example), run_name="__main__")
    assert printed.getvalue()


def test_the_changelog_starts_with_this_version():
    changelog = (ROOT / "CHANGELOG.md").read_text()
    first = re.search(r"^## \[(.+?)\] - (.+)$", changelog, re.MULTILINE)
    assert first
    version, _, development = askance.__version__.partition(".dev")
    assert first.group(1) == version
    assert (first.group(2) == "unreleased") == bool(development)


def test_the_citation_has_the_newest_release():
    citation = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    released = re.search(r"^## \[(.+?)\] - \d", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert citation
    assert released
    assert citation.group(1) == released.group(1)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_between_files_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", page.read_text())
    missing = [link for link in links if not (page.parent / link).exists()]
    assert not missing


PACKAGE = Path(askance.__file__).parent
ROOMS = "|".join(sorted(path.name for path in PACKAGE.iterdir() if path.is_dir()))


def stale(text):
    """Dotted names and paths of the package in a text that lead nowhere."""
    names = re.findall(r"(?<![\w./-])askance(?:\.[A-Za-z_]\w*)+", text)
    paths = re.findall(rf"(?<![\w./-])(?:src/askance/)?((?:{ROOMS})/[\w/]+\.py)\b", text)
    paths += re.findall(r"\bsrc/askance/([\w/.]*\w)", text)
    return [name for name in names if not _is_there(name)] + [
        path for path in paths if not (PACKAGE / path).exists()
    ]


def _is_there(name):
    try:
        pkgutil.resolve_name(name)
    except ModuleNotFoundError:
        return False
    except AttributeError:
        # A field of a record without a default is only annotated.
        owner, _, field = name.rpartition(".")
        return field in getattr(pkgutil.resolve_name(owner), "__annotations__", {})
    return True


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_names_and_paths_of_the_package_lead_somewhere(page):
    assert stale(page.read_text()) == []


def test_a_stale_name_or_path_is_seen():
    good = "`askance.simulate.loop.Tally` in `simulate/loop.py`, src/askance/live, my.askance.old"
    assert stale(good) == []
    assert stale("askance.simulate.loop.Tall and askance.table_files") == [
        "askance.simulate.loop.Tall",
        "askance.table_files",
    ]
    assert stale("`engine/steps.py`, src/askance/curves/") == ["engine/steps.py", "curves"]


def too_long(text):
    """Lines of prose that could be broken between words and are too long, by their numbers."""
    # Blocks of code and comments keep their lines, so that the numbers are those of the page.
    hidden = re.compile(r"^(`{3,}).*?^\1$|^<!--.*?-->$", re.MULTILINE | re.DOTALL)
    shown = hidden.sub(lambda block: "\n" * block[0].count("\n"), text)
    found = []
    for number, line in enumerate(shown.splitlines(), 1):
        words = re.sub(r"^\s*(?:[-*>]|\d+\.) ", "", line)
        whole = re.sub(r"\[[^\]]*\]\([^)]*\)|`[^`]*`", "link", words)
        table = line.startswith("|") and line.endswith("|")
        heading = line.startswith("#") and "](" in line
        if len(line) > WIDTH and " " in whole.strip() and not table and not heading:
            found.append(number)
    return found


@pytest.mark.parametrize("page", [p for p in PAGES if not GENERATED.fullmatch(named(p))], ids=named)
def test_prose_is_wrapped(page):
    assert not too_long(page.read_text()), f"prose lines over {WIDTH} columns"


def test_only_prose_has_to_be_wrapped():
    long = "word " * 30
    assert too_long(f"short\n{long}\n- {long}\n> {long}") == [2, 3, 4]
    assert too_long(f"```text\n{long}\n```\n<!-- {long}-->\n{long}") == [5]
    address = "a" * WIDTH
    assert not too_long(f"| {long}|\n## [{long}](page.md)\n- [{long}](page.md).\n{address}")
    assert too_long(f"see [here]({address})") == [1]


@pytest.mark.parametrize("name", sorted(askance.ALGORITHMS))
def test_every_algorithm_is_in_the_documents(name):
    assert f"`{name}`" in (ROOT / "README.md").read_text()
    assert f"`{name}`" in (ROOT / "docs/algorithms.md").read_text()


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


def test_the_architecture_shows_every_module_and_the_layers_of_the_linter():
    page = (ROOT / "ARCHITECTURE.md").read_text()
    tree, drawing = page.split("## Who may import whom")
    for path in Path(askance.__file__).parent.iterdir():
        if path.name not in ("__pycache__", "__main__.py", "py.typed"):
            assert path.name in tree, path.name
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    layers = next(c for c in settings["tool"]["importlinter"]["contracts"] if "layers" in c)
    drawn = drawing.split("```text\n")[1].split("```")[0]
    assert [_names(line) for line in drawn.splitlines() if _names(line)] == [
        # What is planned stands in parentheses.
        _names(re.sub(r"\(\w+\)", "", layer))
        for layer in layers["layers"]
        if not re.fullmatch(r"\(\w+\)", layer)
    ]


def _names(line):
    return re.findall(r"\w+", line)


def test_the_gate_is_what_the_readme_says():
    assert "exec make test" in (ROOT / ".ci/run").read_text()
    targets = set(re.findall(r"^\$ make (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE))
    makefile = (ROOT / "Makefile").read_text()
    assert targets == {"demo", "serve", "test"}
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)


def test_the_package_says_that_it_is_typed():
    assert (Path(askance.__file__).parent / "py.typed").exists()
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "Typing :: Typed" in settings["project"]["classifiers"]


def test_the_composed_service_believes_the_gateway_of_its_network():
    composed = (ROOT / "compose.yaml").read_text()
    (allowed,) = re.findall(r"FORWARDED_ALLOW_IPS: (\S+)", composed)
    assert f"gateway: {allowed}}}" in composed
