"""``alg:coord`` against a convex solver and the bounds of ``thm:opt_converge``."""

import dataclasses
import logging
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, NonlinearConstraint, minimize
from scipy.sparse import csr_array

from askance.errors import InvalidParameter
from askance.kernels.optimization import modified_objective
from askance.learners.coordinate_ascent import Limits, Problem, solve
from askance.learners.sample import Snapshot
from askance.oracles.finite import VoteOracle

seeds = st.integers(0, 2**32 - 1)


class Instance:
    """A random finite class, a labelled sample, an unlabelled one and a region."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.size = int(rng.integers(2, 8))
        n, u = int(rng.integers(3, 12)), int(rng.integers(2, 9))
        table = rng.choice([-1, 1], size=(n + u, self.size))
        X = csr_array(np.column_stack([np.ones(n + u), table < 0]).astype(float))
        self.oracle = VoteOracle(self.size)
        targets = rng.choice([-1, 1], size=n)
        weights = rng.choice([1.0, 2.5, 4.0], size=n)
        # Those without a weight are not in the sample, but were offered.
        offered = n + seed % 5
        erm = self.oracle.fit(X[:n], targets, weights)
        inside = rng.random(u) < 0.8
        unlabeled = table[n:][inside]
        self.limits = Limits(
            alpha=float(rng.choice([1.0, 1.3, 2.0])),
            regret_scale=float(rng.choice([0.0, 0.5, 3.0])),
            slack=float(rng.choice([0.0, 0.01, 0.2])),
            floor=float(rng.choice([0.05, 0.2, 0.5])),
        )
        self.problem = Problem(
            points=X[n:][inside],
            predicted=unlabeled[:, erm.index],
            count=u,
            sample=Snapshot(X[:n], targets, weights, offered),
            erm=erm,
            limits=self.limits,
        )
        self.differs = unlabeled != unlabeled[:, [erm.index]]
        wrong = [weights[table[:n, j] != targets].sum() for j in range(self.size)]
        errors = np.array(wrong) / offered
        self.bounds = (
            2 * self.limits.alpha**2 * self.differs.sum(axis=0) / u
            + self.limits.regret_scale * (errors - errors.min())
            + self.limits.slack
        )

    def violations(self, probability: np.ndarray) -> np.ndarray:
        return (self.differs / probability[:, None]).sum(axis=0) / self.problem.count - self.bounds

    def optimum(self, *, barrier: bool, relaxed: float = 0.0) -> float:
        """(OP)'s optimum, or that of ``eq:mod-obj``, by sequential quadratic programming."""
        inside, u = len(self.differs), self.problem.count
        if not inside:
            return 1.0
        mu2 = (2 * self.limits.floor) ** 2 if barrier else 0.0
        low = 1e-6 if barrier else self.limits.floor

        def objective(p: np.ndarray) -> tuple[float, np.ndarray]:
            value = np.sum(1 / (1 - p) + mu2 / p)
            return value, (1 - p) ** -2.0 - mu2 * p**-2.0

        binding = self.differs.any(axis=0)
        constraint = NonlinearConstraint(
            lambda p: self.violations(p)[binding],
            -np.inf,
            relaxed,
            jac=lambda p: -(self.differs / p[:, None] ** 2).T[binding] / u,
        )
        found = minimize(
            objective,
            np.full(inside, 0.5),
            jac=True,
            method="SLSQP",
            bounds=Bounds(low, 1 - 1e-6),
            constraints=[constraint] if binding.any() else [],
            options={"maxiter": 1000, "ftol": 1e-12},
        )
        # Status 8: no descent left at this precision. Either way the point must be feasible.
        assert found.status in (0, 8), found.message
        assert np.all(self.violations(found.x) <= relaxed + 1e-8)
        return (found.fun + u - inside) / u


@given(seeds, st.sampled_from([0.3, 0.03, 0.003]), st.booleans())
@settings(max_examples=300, deadline=None)
def test_every_guarantee_of_the_theorem(seed: int, tolerance: float, reuse: bool) -> None:
    instance = Instance(seed)
    problem, floor = instance.problem, instance.limits.floor
    solution = solve(problem, instance.oracle, tolerance=tolerance, reuse=reuse)
    share, P = len(instance.differs) / problem.count, solution.probability
    assert problem.region_share == share

    assert solution.converged
    assert solution.iterations <= share / (8 * floor**3 * tolerance**2)
    assert np.all(solution.cover.multipliers >= 0)
    assert solution.cover.multipliers.sum() <= share / tolerance + 1e-9
    assert np.all(instance.violations(P) <= tolerance + 1e-9)
    assert np.all((floor - 1e-12 <= P) & (P < 1))
    duals = [step.dual for step in solution.steps]
    assert all(b >= a - 1e-12 for a, b in pairwise(duals))
    gains = np.diff(duals)
    spent = np.array([step.violation for step in solution.steps[:-1]])
    assert np.all(gains >= spent**2 * (2 * floor) ** 3 - 1e-12)

    objective = modified_objective(P, 0.0, problem.count)
    assert objective <= instance.optimum(barrier=False) + 4 * floor * share + 1e-6
    best = instance.optimum(barrier=True)
    assert modified_objective(P, floor, problem.count) <= solution.dual + 1e-9
    assert solution.dual <= best + 1e-6
    assert solution.dual >= instance.optimum(barrier=True, relaxed=tolerance) - 1e-6


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_the_dual_converges_to_the_optimum(seed: int) -> None:
    instance = Instance(seed)
    best = instance.optimum(barrier=True)
    gaps = [
        best - solve(instance.problem, instance.oracle, tolerance=tolerance).dual
        for tolerance in (1e-1, 1e-3, 1e-5)
    ]
    assert gaps[2] <= max(gaps[0] / 100, 1e-4)


@given(seeds)
@settings(max_examples=200, deadline=None)
def test_the_most_violated_constraint_equals_enumeration(seed: int) -> None:
    instance = Instance(seed)
    P = np.random.default_rng(seed).uniform(0.05, 0.95, size=len(instance.differs))
    found = instance.problem.most_violated(instance.oracle, P)
    violations = instance.violations(P)
    assert violations[found.index] == pytest.approx(violations.max(), abs=1e-9)


@given(seeds)
@settings(max_examples=50, deadline=None)
def test_the_bound_of_a_constraint_equals_its_formula(seed: int) -> None:
    instance = Instance(seed)
    for classifier, bound in zip(instance.oracle.classifiers, instance.bounds, strict=True):
        assert instance.problem.constraint(classifier)[1].bound == pytest.approx(bound, abs=1e-12)


@given(seeds)
@settings(max_examples=50, deadline=None)
def test_the_cover_reproduces_the_probabilities_at_its_own_points(seed: int) -> None:
    instance = Instance(seed)
    problem = instance.problem
    solution = solve(problem, instance.oracle, tolerance=0.01)
    again = solution.cover.probability(problem.points, problem.predicted)
    np.testing.assert_allclose(again, solution.probability, rtol=1e-9)


def test_equal_classifiers_share_a_multiplier() -> None:
    table = np.array([[1, -1, -1], [1, -1, -1]])
    X = csr_array(np.column_stack([np.ones(2), table < 0]).astype(float))
    oracle = VoteOracle(3)
    limits = Limits(alpha=1.0, regret_scale=0.0, slack=0.0, floor=0.05)
    y = np.array([1, 1])
    erm = oracle.fit(X, y, np.ones(2))
    problem = Problem(X, table[:, 0], 2, Snapshot(X, y, np.ones(2), 2), erm, limits)
    (first, _), (second, _) = (problem.constraint(oracle.classifiers[j]) for j in (1, 2))
    assert first == second
    assert len(solve(problem, oracle, tolerance=1e-3).cover.classifiers) == 1


class Constant:
    """Says the same of each row, whatever it holds; then other things of its first rows."""

    def __init__(self, said: int, first: Sequence[int] = ()) -> None:
        self.said, self.first = said, first

    def predict_many(self, X: csr_array) -> np.ndarray:
        answers = np.full(X.shape[0], self.said)
        # The labelled rows are four, the unlabelled ones two.
        if X.shape[0] == 4:
            answers[: len(self.first)] = self.first
        return answers


class TwoFaced:
    """An oracle that finds a classifier with more error first, and the better one from then on."""

    def __init__(self, *found: Constant) -> None:
        self.found = list(found)

    def fit(self, X: object, targets: object, weights: object) -> Constant:
        return self.found.pop(0) if len(self.found) > 1 else self.found[0]


def two_faced(oracle_order: tuple[int, int]) -> tuple[Problem, TwoFaced, list[Constant]]:
    """(OP) with two classifiers that differ from the ERM in both points, one at more error."""
    limits = Limits(alpha=1.0, regret_scale=1.0, slack=0.0, floor=0.05)
    erm, tight, loose = Constant(1), Constant(-1, [1, 1, 1]), Constant(-1)
    X, y = csr_array(np.ones((4, 1))), np.ones(4, int)
    problem = Problem(X[:2], np.ones(2, int), 2, Snapshot(X, y, np.ones(4), 4), erm, limits)
    both = [tight, loose]
    return problem, TwoFaced(*(both[i] for i in oracle_order)), both


def test_classifiers_that_differ_only_in_error_have_constraints_of_their_own() -> None:
    """Where an oracle is not exact, the looser constraint may be found first."""
    problem, oracle, (tight, loose) = two_faced((1, 0))
    bounds = [problem.constraint(each)[1].bound for each in (tight, loose)]
    assert bounds == pytest.approx([2.25, 3.0])
    solution = solve(problem, oracle, tolerance=0.01)
    assert solution.converged
    # Both differ at both points of two: E[I_h / P] is the mean of 1/P.
    assert np.mean(1 / solution.probability) <= 2.25 + 0.01


def test_no_error_below_that_of_the_erm_tightens_a_constraint() -> None:
    """An oracle that is not exact may find a better classifier than its own ERM."""
    problem, _, (tight, loose) = two_faced((0, 1))
    poor = dataclasses.replace(problem, erm=loose)
    _, constraint = poor.constraint(tight)
    assert constraint.bound == pytest.approx(2.0)


def test_giving_up_is_said(caplog: pytest.LogCaptureFixture) -> None:
    instance = next(
        candidate
        for candidate in map(Instance, range(100))
        if solve(candidate.problem, candidate.oracle, tolerance=1e-3).iterations > 5
    )
    with caplog.at_level(logging.WARNING, logger="askance"):
        solution = solve(instance.problem, instance.oracle, tolerance=1e-3, max_iterations=3)
    assert not solution.converged
    assert solution.iterations == 3
    assert "stopped after 3 steps" in caplog.text


def test_a_tolerance_of_zero_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="tolerance must be positive, got 0"):
        solve(Instance(0).problem, Instance(0).oracle, tolerance=0)
