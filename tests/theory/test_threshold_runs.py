import numpy as np
import pytest
from scipy.integrate import quad

from askance.theory.instances import CERTAINTY
from askance.theory.threshold_runs import (
    OMEGAS,
    _regret,
    realizable_run,
    summarise_realizable,
    summarise_tsybakov,
    tsybakov_run,
)


@pytest.mark.parametrize("omega", OMEGAS)
def test_the_regret_is_the_integral_of_the_certainty(omega: float) -> None:
    expected, _ = quad(lambda x: CERTAINTY * (2 * abs(x - 0.5)) ** (1 / omega - 1), 0.5, 0.8)
    assert _regret(0.8, omega) == pytest.approx(expected)
    assert _regret(0.2, omega) == pytest.approx(expected)


def test_noiseless_thresholds_cost_few_labels() -> None:
    lines = {line.algorithm: line for line in summarise_realizable([realizable_run(0, 5000)])}
    assert lines["Active Cover"].last < 60
    assert lines["Active Cover"].mean_error < 0.002
    assert lines["Active Cover"].exponent_in_n < 0.35 < lines["IWAL0"].exponent_in_n


def test_noisier_thresholds_cost_more_labels() -> None:
    runs = [tsybakov_run(omega, seed, 3 * 2**9) for omega in OMEGAS for seed in range(2)]
    lines = summarise_tsybakov(runs, first=24)
    queries = [line.last_queries for line in lines]
    assert queries == sorted(queries, reverse=True)
    assert [line.label_bound for line in lines] == pytest.approx([0.8, 2 / 3, 0.5, 0.0])


@pytest.mark.slow
def test_the_exponents_as_documented() -> None:
    runs = [tsybakov_run(omega, seed, 3 * 2**15) for omega in OMEGAS for seed in range(20)]
    for line in summarise_tsybakov(runs, first=3 * 2**9):
        # The bounds hide logarithms, so the measured label exponent may lie a little above.
        assert line.label_exponent < line.label_bound + 0.3
        # Over 20 seeds the regret was seen to fall more slowly than the bound's exponent, by 0.2.
        assert line.regret_exponent < line.regret_bound + 0.25
    lines = {
        x.algorithm: x
        for x in summarise_realizable([realizable_run(s, 100_000) for s in range(20)])
    }
    assert lines["Active Cover"].exponent_in_n < 0.2
    assert lines["IWAL0"].exponent_in_n > 0.45
    assert np.isfinite(lines["IWAL1"].exponent_in_log_n)
