"""Margins and probabilities: of many rows as of each, of any oracle, or of none."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from tests.live.conftest import STREAM, Guesser, answer_all, make

from askance.errors import (
    InvalidParameter,
    InvalidRow,
)
from askance.learners.passive import Passive
from askance.live import ActiveLearner


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("rates", ["adaptive", "constant", "decaying"])
def test_many_margins_are_those_of_each_row(rates: str, dtype: str) -> None:
    live = make("margin", rates=rates, dtype=dtype)
    answer_all(live, STREAM)
    # Beyond what was seen, too.
    X = np.random.default_rng(0).normal(size=(50, 4)) * [0.1, 1.0, 10.0, 0.0]
    each = [live.margin(x) for x in X]
    rounding = 1e-6 if dtype == "float32" else 1e-15
    assert np.allclose(live.margins(csr_array(X)), each, rtol=rounding, atol=rounding)
    assert live.margins(X).tolist() == live.margins(csr_array(X)).tolist()
    assert [1 if f > 0 else -1 for f in each] == [live.predict(x) for x in X]
    assert [live.probability(x) for x in X] == pytest.approx([1 / (1 + math.exp(-f)) for f in each])


def test_margins_of_an_oracle_of_ones_own(scripted: Any) -> None:
    live = ActiveLearner(Passive(scripted(margin=-2.0)))
    assert live.margin([1.0]) == -2.0
    assert live.margins(np.ones((3, 1))).tolist() == [-2.0] * 3


def test_a_learner_without_margins_says_so(refused: Any) -> None:
    live = ActiveLearner(Guesser(2))
    for call in (live.margin, live.probability, live.margins):
        with refused(InvalidParameter, "a Guesser gives no margins, only predictions"):
            call([1.0])


def test_margins_of_bad_rows(refused: Any) -> None:
    live = make()
    with refused(InvalidRow, "examples must have 4 features, got 3"):
        live.margins(np.ones((2, 3)))
    with refused(InvalidRow, "must be finite", "got nan at index 2"):
        live.margins(np.array([[1.0, 0, 0, 0], [0, 0, np.nan, 0]]))
    repeated = csr_array((np.ones(2), np.array([1, 1]), np.array([0, 2])), shape=(1, 4))
    assert live.margins(repeated).tolist() == [live.margin([0, 2.0, 0, 0])]
