"""Every label of the paper that the sources and the documents cite exists.

``labels.txt`` lists the labels of the paper's LaTeX source, one a line.
"""

import re
from pathlib import Path

import pytest

import askance

SOURCES = sorted(Path(askance.__file__).parent.rglob("*.py"))
LABELS = frozenset(Path(__file__).with_name("labels.txt").read_text().split())
KINDS = "alg|eq|eqn|sec|thm|cor|lem|lemma|prop|appendix|app|tbl|fig|footnote|step"
CITATION = re.compile(rf"``((?:{KINDS}):[^`]+)``")
# In Markdown, code stands between single backticks.
MENTION = re.compile(rf"`((?:{KINDS}):[^`]+)`")
ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").rglob("*.md"))]


def cited(text: str) -> list[str]:
    return CITATION.findall(text)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_cited_labels_exist(source: Path) -> None:
    assert set(cited(source.read_text())) <= LABELS


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_labels_in_the_documents_exist(page: Path) -> None:
    assert set(MENTION.findall(page.read_text())) <= LABELS


def test_the_test_sees_what_it_is_about() -> None:
    assert cited("Paper: ``eq:cover_cost``, ``alg:nonsense``") == ["eq:cover_cost", "alg:nonsense"]
    assert "alg:nonsense" not in LABELS
    assert MENTION.findall("of `alg:main` and `alg:nonsense`") == ["alg:main", "alg:nonsense"]
    mentioned = {label for page in PAGES for label in MENTION.findall(page.read_text())}
    assert {"alg:main", "alg:coord", "eqn:dual-obj", "tbl:datasets", "thm:label"} <= mentioned
    everything = {label for source in SOURCES for label in cited(source.read_text())}
    assert {"alg:cover", "eq:cover_cost", "eq:cover:update_lambda", "sec:exp_setup"} <= everything


@pytest.mark.parametrize("module", ["formulas", "cover"])
def test_every_formula_cites_the_paper(module: str) -> None:
    """Each equation says where it comes from, or that it is not in the paper."""
    kernels = __import__(f"askance.kernels.{module}", fromlist=["*"])
    for name in kernels.__all__:
        text = getattr(kernels, name).__doc__
        assert cited(text) or name == "sign", name
