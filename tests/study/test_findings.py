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


def gain(value, literal, paper, kept=0.1, anew=0.1, halves=()):
    """Draws around the value, those with the setting kept as far as they are told."""
    draws = (value + spread * np.linspace(-1.0, 1.0, 21) for spread in (kept, anew))
    return Gain(value, literal, paper, *draws, np.array(halves))


def test_beside_the_paper():
    by_name = {"a": (0.3, 1.0, 0.1), "b": (0.2, 0.9, 0.25), "c": (0.1, 0.8, 0.05, 0.04)}
    gains = {name: dict.fromkeys(("fixed", "per_data"), gain(*of)) for name, of in by_name.items()}
    gains["ours"] = dict.fromkeys(("fixed", "per_data"), gain(0.9, 0.9, None))
    _, text, table, *_ = findings.beside_paper(gains)
    assert "for 2 of 3 algorithms where settings are chosen anew, for 1 where they are" in text.text
    assert "kept. 2 of 3 pairs" in text.text
    assert text.text.endswith(
        "b is first in print, a here. "
        "Higher than in print: a (1, not 2). Lower than in print: b (2, not 1)."
    )
    assert table.rows == [
        ("a", 0.3, 0.1, "no", "no", 1, 2, 1),
        ("b", 0.2, 0.25, "yes", "yes", 2, 1, 2),
        ("c", 0.1, 0.05, "yes", "no", 3, 3, 3),
    ]
    assert list(findings.beside_paper({"ours": gains["ours"]})) == []


def test_the_table_has_both_intervals():
    by_name = {"one": gain(0.3, 1.0, None, 0.1, 0.2), "two": gain(0.2, 0.9, 0.25, 0.4, 0.8)}
    gains = {name: dict.fromkeys(("fixed", "per_data"), found) for name, found in by_name.items()}
    table = findings.gains_table(TWO, gains, "fixed")
    one, two = (dict(zip(table.heads, row, strict=True)) for row in table.rows)
    assert [one[head] for head in ("settings", "ours", "literal", "paper")] == [2, 0.3, 1.0, None]
    ends = ("kept, from", "kept, to", "anew, from", "anew, to")
    # All but a twentieth at both ends.
    assert [one[head] for head in ends] == pytest.approx([0.21, 0.39, 0.12, 0.48])
    assert [two[head] for head in ends] == pytest.approx([-0.16, 0.56, -0.52, 0.92])
    unprinted = {"one": gains["one"]}
    assert "paper" not in findings.gains_table(TWO, unprinted, "fixed").heads


def test_other_halves_are_told_with_passive_learning_beside_them():
    halves = {"margin": [0.1, 0.5], "passive": [0.2, 0.2], "mine": [0.3, -0.1]}
    gains = {name: {"fixed": gain(0.4, 0.4, None, halves=some)} for name, some in halves.items()}
    text, order, table = findings.other_half(gains)
    assert "Here it is not: 1 times" in text.text
    assert order.text.endswith("on average: margin. Less: mine.")
    assert table.heads[-1] == "share above passive"
    assert table.rows[0] == pytest.approx(["margin", 0.4, 0.3, 0.12, 0.48, 0.5])
    assert table.rows[1][-1] is None
    assert table.rows[2] == pytest.approx(["mine", 0.4, 0.1, -0.08, 0.28, 0.5])
    del gains["passive"]
    _, table = findings.other_half(gains)
    assert table.heads[-1] == "to"
    assert list(findings.other_half({"one": {"fixed": gain(0.3, 0.3, None)}})) == []


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


def test_a_variant_is_better_only_by_both_intervals():
    def told(kept, anew):
        draws = {"one": (kept, anew), "two": (0.0, 0.0)}
        gains = {
            name: dict.fromkeys(
                ("fixed", "per_data"),
                Gain(0.0, 0.0, None, *(np.full(5, value) for value in values), np.array([])),
            )
            for name, values in draws.items()
        }
        _, table = findings.variants(TWO, gains)
        return table.rows[0][3:7], table.rows[0][-1]

    assert told(0.1, 0.2) == (pytest.approx([0.1, 0.1, 0.2, 0.2]), "one")
    assert told(-0.1, -0.2)[1] == "two"
    assert told(0.1, 0.0)[1] == told(-0.1, 0.2)[1] == told(0.0, 0.1)[1] == "noise"


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
