"""The inequalities against their definitions, summed example by example in plain Python."""

import math

import numpy as np
import pytest

from askance.learners.constants import Constants
from askance.theory.analysis import Analysis, EpochFacts, Inequality
from askance.theory.domain import Domain

VOTES = np.array([[1, 1, -1], [1, -1, -1], [1, -1, 1], [-1, -1, 1]])
DOMAIN = Domain(VOTES, np.array([0.9, 0.3, 0.2, 0.4]))
CONSTANTS = Constants.theory(math.log(100), n=1000, delta=0.05)
EPOCHS = [
    EpochFacts(
        start=0,
        end=3,
        erm=0,
        inside=np.ones(4, dtype=bool),
        probability=np.ones(4),
        floor=1.0,
        errors=np.array([0.6, 0.3, 0.1]),
        weighted_errors=np.array([0.6, 0.3, 0.1]),
        bias=np.zeros(3),
    ),
    EpochFacts(
        start=3,
        end=6,
        erm=2,
        inside=np.array([True, False, True, False]),
        probability=np.array([0.5, 0.9, 0.25, 0.9]),
        floor=0.2,
        errors=np.array([0.5, 0.25, 0.35]),
        weighted_errors=np.array([0.4, 0.2, 0.3]),
        bias=np.array([0.4, 0.1, 0.2]),
    ),
]
H = range(3)


def expected(term) -> float:
    """The mean over epochs, points and labels of what ``term`` says of each."""
    total = 0.0
    for facts in EPOCHS:
        for x in range(4):
            for y, chance in ((1, DOMAIN.positive[x]), (-1, 1 - DOMAIN.positive[x])):
                share = (facts.end - facts.start) * chance / 4
                total += share * term(facts, x, y)
    return total / 6


def region_error(h: int) -> float:
    return expected(lambda f, x, y: f.inside[x] and VOTES[x, h] != y)


def biased_error(h: int) -> float:
    return expected(
        lambda f, x, y: VOTES[x, h] != (y if f.inside[x] else VOTES[x, f.erm]),
    )


def weight(facts: EpochFacts, x: int) -> float:
    return 1 / facts.probability[x] if facts.inside[x] else 1.0


@pytest.fixture(scope="module")
def claims() -> dict[str, Inequality]:
    analysis = Analysis(DOMAIN, CONSTANTS)
    analysis.add(EPOCHS[0])
    return analysis.add(EPOCHS[1]).claims


def regret(sample: np.ndarray, h: int) -> float:
    return float(sample[h] - sample.min())


def test_deviations_by_their_definition(claims: dict[str, Inequality]) -> None:
    epsilon, sample = CONSTANTS.epsilon(6), EPOCHS[1].errors
    pairs, labels = claims["eqn:dev-bias"], claims["eq:dev-label"]
    for h in H:
        for g in H:
            gap = biased_error(h) - biased_error(g) - (sample[h] - sample[g])
            assert pairs.left[h, g] == pytest.approx(abs(gap))
            variance = expected(
                lambda f, x, y, h=h, g=g: weight(f, x) * (VOTES[x, h] != VOTES[x, g])
            )
            assert pairs.right[h, g] == pytest.approx(math.sqrt(epsilon * variance) + epsilon / 0.2)
        assert labels.left[h] == pytest.approx(abs(EPOCHS[1].weighted_errors[h] - region_error(h)))
        variance = expected(
            lambda f, x, y, h=h: weight(f, x) * (f.inside[x] and VOTES[x, h] != y),
        )
        assert labels.right[h] == pytest.approx(math.sqrt(epsilon * variance) + epsilon / 0.2)


def test_the_induction_by_its_definition(claims: dict[str, Inequality]) -> None:
    epsilon, sample, best = CONSTANTS.epsilon(6), EPOCHS[1].errors, DOMAIN.best
    delta = CONSTANTS.delta_m(0.25, 6)
    assert best == 1
    biased = [biased_error(h) - biased_error(best) for h in H]
    first = EPOCHS[0].errors
    erm_regret = expected(
        lambda f, x, y: f.inside[x] * (int(VOTES[x, f.erm] != y) - int(VOTES[x, best] != y)),
    )
    for h in H:
        left = abs(sample[h] - sample[best] - biased[h])
        for name in ("prop:dev-regret-bias", "eqn:main-regret"):
            assert claims[name].left[h] == pytest.approx(left)
        assert claims["eqn:main-regret"].right[h] == pytest.approx(biased[h] / 2 + 864 / 4 * delta)
        # Z-tilde_0 is empty, so only the second epoch has regrets before it.
        past = 3 * (regret(first, h) + regret(first, best))
        assert claims["prop:dev-regret-bias"].right[h] == pytest.approx(
            biased[h] / 4
            + 2 * math.sqrt(epsilon * erm_regret)
            + 2 * math.sqrt(3 * region_error(best) * epsilon)
            + math.sqrt(CONSTANTS.beta_squared * 2 * 216 * epsilon * delta * past)
            + 4 * delta
        )
    gap, half = abs(region_error(best) - 0.25), region_error(best) / 2
    for name, right in (
        ("prop:err-emp-best", half + 1.5 * delta + regret(sample, best)),
        ("eq:err_dev", half + 432 * delta),
    ):
        assert claims[name].left.tolist() == pytest.approx([gap])
        assert claims[name].right.tolist() == pytest.approx([right])


def test_the_theorem_by_its_definition(claims: dict[str, Inequality]) -> None:
    best = DOMAIN.best
    star = CONSTANTS.delta_m(region_error(best), 6)
    assert claims["eqn:regret"].right.tolist() == pytest.approx([16 * 216 * star])
    true = DOMAIN.errors()
    assert claims["eqn:regret"].left.tolist() == pytest.approx((true - true[best]).tolist())
    assert claims["eq:h_best"].right.tolist() == pytest.approx(
        [216 * CONSTANTS.delta_m(0.25, 6)],
    )
    assert claims["eq:h_best"].left.tolist() == pytest.approx([0.0])


def test_the_bias_compares_all_with_the_good_ones_of_the_epoch() -> None:
    practical = Constants.practical(c0=1e-3, alpha=1.0, beta_scale=1.0)
    analysis = Analysis(DOMAIN, practical)
    # Its radius is tiny: only the ERM on the first sample is good.
    assert analysis.add(EPOCHS[0]).good.tolist() == [False, False, True]
    found = analysis.add(EPOCHS[1])
    assert found.bias.ravel().tolist() == pytest.approx([0.2, -0.1, 0.0])
    assert set(found.claims) == {"eqn:regret", "eq:h_best"}
    assert found.region == 0.5
    assert analysis.best_error == pytest.approx(6 * region_error(DOMAIN.best))


def test_a_claim_is_judged_where_it_is_closest() -> None:
    claim = Inequality(np.array([[0.1, 0.6], [0.3, 0.2]]), np.array([[0.2, 1.0], [1.0, 1.0]]), 0.5)
    assert claim.holds
    assert claim.tightest == (0.6, 1.0)
    assert claim.says_something
    assert not claim._replace(right=np.array([[0.2, 0.5], [1.0, 1.0]])).holds
    assert not claim._replace(trivial=0.2).says_something
