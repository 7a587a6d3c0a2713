from typing import Any

import numpy as np
import pytest

from askance.errors import InvalidRow
from askance.sparse import from_dense
from askance.types import Row
from askance.validation import check_matrix, check_row


@pytest.mark.parametrize(
    ("indices", "values", "message"),
    [
        ([0], [np.nan], "feature 0 is nan, a finite number was expected"),
        ([0, 0], [1.0, 2.0], "feature 0 occurs twice in one row"),
        ([1, 0], [1.0, 2.0], "feature indices must increase, got 0 after 1"),
        ([3], [1.0], r"must lie in 0\.\.2, got 3"),
        ([-1], [1.0], r"must lie in 0\.\.2, got -1"),
        ([0], [], "a row needs one index per value, got 1 and 0"),
        ([0.5], [1.0], "feature indices must be whole numbers, got 0.5"),
        ([0], ["a"], "a row must be numbers, got 'a'"),
        (np.array([1, 0], np.uint8), [1.0, 2.0], "must increase, got 0 after 1"),
    ],
)
def test_bad_rows_are_refused(indices: list[int], values: list[float], message: str) -> None:
    with pytest.raises(InvalidRow, match=message):
        check_row(Row(np.array(indices), np.array(values)), n_features=3)


def test_good_rows_pass_and_an_unknown_width_takes_any() -> None:
    check_row(Row(np.array([0, 2]), np.array([1.0, 2.0])), n_features=3)
    check_row(Row(np.array([], dtype=int), np.array([])), n_features=3)
    check_row(Row(np.array([10**6]), np.array([1.0])), n_features=None)
    check_matrix(from_dense(np.ones((2, 9))), n_features=None)


def test_bad_matrices_are_refused() -> None:
    with pytest.raises(InvalidRow, match="feature 0 is inf, a finite number"):
        check_matrix(from_dense(np.array([[np.inf]])), n_features=None)
    with pytest.raises(InvalidRow, match="at most 1 columns, got 2"):
        check_matrix(from_dense(np.ones((1, 2))), n_features=1)


FORGED = """
    import sys

    import numpy as np
    from scipy.sparse import csr_array
    from sklearn.linear_model import LogisticRegression

    from askance.errors import InvalidRow
    from askance.learners import ActiveCover, Constants
    from askance.oracles import (
        EstimatorOracle, FiniteOracle, StumpOracle, Threshold, ThresholdOracle, Vote, VoteOracle,
    )
    from askance.simulate import run_blocks

    def rows():
        return csr_array(np.array([[1.0, 1.0], [-1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]))

    forged = rows()
    forged.has_canonical_format = True
    if sys.argv[1] == "index":
        forged.indices[0] = 10**8
    else:
        forged.indptr[1] = 10**8
    targets, weights, coins = np.array([1, -1, 1, 1]), np.ones(4), np.zeros(4)
    oracles = [
        ThresholdOracle(), StumpOracle(2), FiniteOracle([Threshold(0, 0.0, 1)]), VoteOracle(1),
        EstimatorOracle(LogisticRegression(), n_features=2),
        EstimatorOracle(LogisticRegression(), n_features=2, dense=True),
    ]
    # Its first classifier looks at no row, and it cuts four rows into blocks of three and one.
    learner = ActiveCover(oracles[-1], Constants.practical(0.1, 1.0, 1.0))
    decisions = learner.decide_many(rows(), coins)
    tries = {
        "decide_many": lambda: learner.decide_many(forged, coins),
        "learn_many": lambda: learner.learn_many(forged, decisions, targets.tolist()),
        "predict_many": lambda: learner.predict_many(forged),
        "run_blocks": lambda: run_blocks(learner, forged, coins, lambda i: 1),
        "Vote.predict_many": lambda: Vote(0).predict_many(forged),
    }
    for i, oracle in enumerate(oracles):
        name = f"{i} {type(oracle).__name__}"
        fitted = oracle.fit(rows(), targets, weights)
        tries[f"{name}.fit"] = lambda fit=oracle.fit: fit(forged, targets, weights)
        tries[f"{name}: predict_many"] = lambda fitted=fitted: fitted.predict_many(forged)
        if hasattr(oracle, "constrained_errors"):
            tries[f"{name}.constrained_errors"] = lambda oracle=oracle: oracle.constrained_errors(
                rows(), targets, weights, forged, targets
            )
    for name, attempt in tries.items():
        print(name, flush=True)
        try:
            attempt()
        except InvalidRow as error:
            print(" ", error, flush=True)
        else:
            sys.exit(f"{name} took it")
"""


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        ("index", "feature indices must lie in 0..1, got 100000000"),
        ("row starts", "row starts must never fall, got 3 after 100000000"),
    ],
)
def test_no_batch_oracle_or_learner_takes_a_forged_matrix(
    part: str, sentence: str, run_script: Any
) -> None:
    """In a process of its own: SciPy would read and write wherever the forged numbers point."""
    done = run_script(FORGED, part)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 2 * 21
    assert {line.strip() for line in lines[1::2]} == {sentence}
