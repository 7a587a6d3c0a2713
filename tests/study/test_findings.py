import numpy as np
import pytest

from askance.study import findings
from askance.study.blocks import TableBlock, Text
from askance.study.design import read_study
from askance.study.results import Curves, Results
from askance.study.summary import Gain, summary

TEXT = """
permutations = 1
budgets = [10, 20, 40]
[[data]]
embedded = ["digits"]
[[learners]]
algorithm = "iwal1"
name = "one"
c0 = [0.1, 0.2]
[[learners]]
algorithm = "iwal1"
name = "two"
c0 = [0.3, 0.4]
"""


def results_of(*by_data):
    """Constant errors of base, one's settings, two's; the setting of .2 asks nothing after 10."""
    curves = []
    for i, errors in enumerate(by_data):
        queries = np.tile([10, 20, 40], (1, 5, 1))
        queries[0, 2] = 10
        flat = np.repeat(np.array(errors)[None, :, None], 3, axis=2)
        curves.append(Curves(f"set{i}", [1], flat, queries, np.ones((1, 5))))
    return Results(read_study("study.toml", TEXT), curves, {})


#                    base, one .1 .2, two .3 .4
TWO = results_of([0.4, 0.2, 0.4, 0.3, 0.2], [0.4, 0.1, 0.8, 0.3, 0.4])


def gain(value, literal, paper, spread=0.1):
    draws = np.linspace(value - spread, value + spread, 5)
    return Gain(value, value - spread, value + spread, literal, paper, draws)


def test_beside_the_paper():
    by_name = {"a": (0.3, 1.0, 0.1), "b": (0.2, 0.9, 0.25), "c": (0.1, 0.8, 0.05)}
    gains = {name: dict.fromkeys(("fixed", "per_data"), gain(*of)) for name, of in by_name.items()}
    gains["ours"] = dict.fromkeys(("fixed", "per_data"), gain(0.9, 0.9, None))
    text, table, *_ = findings.beside_paper(gains)
    assert "for 2 of 3 algorithms, and 2 of 3 pairs" in text.text
    assert text.text.endswith(
        "b is first in print, a here. "
        "Higher than in print: a (1, not 2). Lower than in print: b (2, not 1)."
    )
    assert table.rows == [
        ("a", 0.3, 0.1, "no", 1, 2, 1),
        ("b", 0.2, 0.25, "yes", 2, 1, 2),
        ("c", 0.1, 0.05, "yes", 3, 3, 3),
    ]
    assert list(findings.beside_paper({"ours": gains["ours"]})) == []


def test_the_literal_area_chooses_who_does_not_ask():
    text, table = findings.literal_area(TWO)
    assert "1 of 2 algorithms gain more than 0.9 (one)" in text.text
    one, two = table.rows
    # It asks 10 labels; over the range it gains nothing on one set and loses all on the other.
    assert one == pytest.approx(("one", 1.0, 10, -0.5))
    assert two == pytest.approx(("two", 0.375, 40, 0.375))


def test_variants_are_compared_draw_by_draw():
    gains = summary(TWO, repeats=20)
    text, table = findings.variants(TWO, gains)
    assert isinstance(text, Text)
    best, fixed = table.rows
    assert best[:3] == ("one - two", "AUC-GAIN*", pytest.approx(0.625 - 0.375))
    # One is ahead on the second set only, and equal on the first.
    assert best[-2:] == ("1 of 2", "noise")
    assert fixed[1:3] == ("AUC-GAIN", pytest.approx(0.625 - 0.25))


def test_every_data_set_has_its_line():
    table = findings.by_data_set(TWO, "per_data")
    assert isinstance(table, TableBlock)
    assert [row[0] for row in table.rows] == ["set0", "set1"]
    assert [row[1:] for row in table.rows] == [
        pytest.approx([0.5, 0.5]),
        pytest.approx([0.75, 0.25]),
    ]
    fixed = findings.by_data_set(TWO, "fixed")
    assert fixed.rows[1][1:] == pytest.approx([0.75, 0.25])
