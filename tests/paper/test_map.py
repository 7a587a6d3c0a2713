"""The paper map in ``docs/mathematics.md``: no label missing, every name and test real."""

import ast
import functools
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LABELS = Path(__file__).with_name("labels.txt").read_text().split()
CODE = re.compile(r"`([^`]+)`")
LINES = [
    [cell.strip() for cell in line.split("|")[1:-1]]
    for line in (ROOT / "docs/mathematics.md").read_text().splitlines()
    if line.startswith("| `")
]
rows = pytest.mark.parametrize("row", LINES, ids=lambda row: CODE.findall(row[0])[0])


def test_every_label_of_the_paper_is_there_once():
    assert sorted(label for row in LINES for label in CODE.findall(row[0])) == sorted(LABELS)


@rows
def test_every_name_exists(row):
    for name in CODE.findall(row[2]):
        assert _found(name) is not None


@rows
def test_every_test_exists_and_what_has_none_says_why(row):
    _, what, code, held_by = row
    assert what
    tests = [name for name in CODE.findall(held_by) if "::" in name]
    for test in tests:
        path, name = test.split("::")
        assert name in _tests_in(ROOT / path)
    if not tests:
        assert re.search(r"proofs?\b|rows above|held there", held_by), held_by
        assert not code or "rows above" in held_by


def test_the_test_sees_a_wrong_name():
    with pytest.raises(AttributeError):
        _found("askance.kernels.formulas.no_such_formula")
    assert "test_no_such" not in _tests_in(Path(__file__))
    assert "test_every_name_exists" in _tests_in(Path(__file__))


def _found(name):
    """What a dotted name stands for: the longest module in it, then its attributes."""
    parts = name.split(".")
    for depth in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:depth]))
        except ModuleNotFoundError:
            continue
        return functools.reduce(getattr, parts[depth:], found)
    raise AssertionError(f"no module in {name}")


@functools.cache
def _tests_in(path):
    tree = ast.parse(path.read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
