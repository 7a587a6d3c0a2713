"""The twin by itself: what it may import, and the few pieces that stand alone."""

import ast
import math
import struct
from pathlib import Path

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twin import Departures, OnlineActiveCover, Oracle, Settings, Single, advance, observe

PAPER = Departures()


def test_imports_math_and_nothing_else() -> None:
    tree = ast.parse((Path(__file__).parent / "twin.py").read_text(encoding="utf-8"))
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(statement) for statement in statements] == ["import math"]
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert names.isdisjoint({"__import__", "exec", "eval", "open"})


@pytest.mark.parametrize("a", [-600.0, -30.0, -1.0, 0.0, 1.0, 30.0, 600.0])
@pytest.mark.parametrize("step", [1e-12, 1e-3, 1.0, 50.0])
def test_advance_solves_its_equation(a: float, step: float) -> None:
    with mpmath.workdps(700):
        z = mpmath.mpf(a) + mpmath.exp(a) + mpmath.mpf(step)
        d = mpmath.mpf(advance(a, step))
        newton = (a + d + mpmath.exp(a + d) - z) / (1 + mpmath.exp(a + d))
        assert abs(newton) <= 1e-15 * d


numbers = st.floats(-(2.0**40), 2.0**40, width=32).filter(lambda x: x == 0 or abs(x) > 2.0**-40)


@given(numbers, numbers)
def test_single_rounds_as_float32_does(one: float, other: float) -> None:
    for exact, single in (
        (one + other, Single(one) + other),
        (other - one, other - Single(one)),
        (one * other, Single(one) * other),
        (one / (other or 1.0), Single(one) / (other or 1.0)),
    ):
        assert single == struct.unpack("f", struct.pack("f", exact))[0]
        assert isinstance(single, Single)


def test_weight_is_learned_at_once_or_in_parts_when_rates_stand_still() -> None:
    a, step = 0.4, 3.0
    halfway = advance(a, step / 2)
    assert halfway + advance(a + halfway, step / 2) == pytest.approx(advance(a, step), rel=1e-14)


@pytest.mark.parametrize("disagreement", ["sensitivity", "margin"])
def test_flip_weight_brings_the_margin_to_zero(disagreement: str) -> None:
    learner = OnlineActiveCover(Settings(cover_size=0, disagreement=disagreement), PAPER)
    row = {0: 1.5, 1: -0.5}
    for label in (1, 1, -1, 1, 1):
        learner.learn(row, learner.decide(row, coin=0.0), label)
    f = learner.erm.margin(row)
    assert f > 0
    reach = {
        "sensitivity": learner.erm.rates(row, 1 / (1 + math.exp(-f)), 1.0)[3],
        "margin": 1 / math.sqrt(5),
    }[disagreement]
    step = learner.settings.learning_rate * learner.flip_weight(row, f, -1) * reach
    assert advance(-f, step) == pytest.approx(f)


def test_a_feature_that_outgrows_its_scale_keeps_its_say() -> None:
    scales: dict[int, float] = {}
    oracle = Oracle(scales, 0.5, PAPER)
    observe(scales, {3: 1.0})
    oracle.learn({3: 1.0}, 1, 1.0)
    assert oracle.margin({3: 1e6}) == oracle.margin({3: 1.0}) > 0


def test_early_thresholds_and_floors_of_the_paper() -> None:
    learner = OnlineActiveCover(Settings(c0=0.5, cover_size=2), PAPER)
    seen = []
    for label in (1, -1, 1):  # the first is predicted -1, the second +1: two mistakes
        decision = learner.decide({0: 1.0}, coin=0.999)
        assert decision.queried
        seen.append((decision.threshold, decision.floor))
        learner.learn({0: 1.0}, decision, label)
    assert seen[0] == (math.inf, 0.5)
    assert seen[1] == (math.sqrt(0.5), 0.5)
    assert seen[2] == pytest.approx((0.5 + math.log(2), 1 / (math.sqrt(2) + math.log(2))))
