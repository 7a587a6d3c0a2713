import json

import numpy as np
import pytest

from askance.study.design import read_study
from askance.study.interactive import error_explorer, gain_explorer, library
from askance.study.results import Curves, Results

TEXT = """
permutations = 2
budgets = [10, 20, 40]
[[data]]
embedded = ["digits"]
[[learners]]
algorithm = "passive"
learning_rate = 0.4
[[learners]]
algorithm = "online_active_cover"
cover_size = 3
"""
CHOICES = {"fixed": "one for all", "per_data": "each its own"}


@pytest.fixture
def results():
    errors = np.array([[[0.4, 0.4, 0.4], [0.2, 0.1, 0.1]], [[0.4, 0.4, 0.4], [0.4, 0.3, 0.1]]])
    queries = np.tile([10, 20, 40], (2, 2, 1))
    curves = [Curves(name, [1, 2], errors, queries, np.ones((2, 2))) for name in ("a", "b")]
    return Results(read_study("study.toml", TEXT), curves, {})


def parts(item, kind):
    """Every model of a kind, wherever it stands in the JSON."""
    found, todo = [], [json.loads(json.dumps(item))]
    while todo:
        node = todo.pop()
        if isinstance(node, dict) and node.get("name") == kind:
            found.append(node["attributes"])
        if isinstance(node, dict | list):
            todo += node.values() if isinstance(node, dict) else node
    return found


def views(item):
    """The curves that the menus choose from: by key, algorithm and column."""
    (callback,) = parts(item, "CustomJS")
    plain = _plain(callback["args"])
    return plain["views"]


def _plain(node):
    """Bokeh's JSON of a dictionary as a dictionary."""
    if isinstance(node, dict) and node.get("type") == "map":
        return {key: _plain(value) for key, value in node["entries"]}
    return node


def test_gains_can_be_chosen_three_ways(results):
    item = gain_explorer(results, CHOICES, {"at 20": 1, "same": None})
    assert len(parts(item, "Select")) == 3
    found = views(item)
    assert len(found) == 2 * 2 * 3
    cover = found["one for all|same|median and quartiles"]["online_active_cover"]
    assert cover["y"] == [0.25, 0.5, 0.75]
    assert cover["low"][0] == pytest.approx(0.125)
    first = found["each its own|same|the first permutation"]["online_active_cover"]
    assert first["y"] == first["low"] == first["high"] == [0.5, 0.75, 0.75]


def test_errors_of_every_data_set_can_be_chosen(results):
    found = views(error_explorer(results, CHOICES))
    assert set(found) == {f"{name}|{choice}" for name in "ab" for choice in CHOICES.values()}
    assert found["b|one for all"]["online_active_cover"]["y"] == pytest.approx([0.3, 0.2, 0.1])


def test_curves_switch_off_by_their_names(results):
    item = error_explorer(results, CHOICES)
    (legend,) = parts(item, "Legend")
    assert legend["click_policy"] == "hide"
    labels = [entry["attributes"]["label"]["value"] for entry in legend["items"]]
    assert labels == ["OAC", "passive"]
    assert all(len(entry["attributes"]["renderers"]) == 3 for entry in legend["items"])


def test_the_library_is_in_the_page():
    text = library()
    assert "src=" not in text.split(">")[0]
    assert 1_000_000 < len(text) < 3_000_000
