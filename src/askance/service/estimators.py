"""What learners in epochs fit: a class of scikit-learn by its name, checked and tried at once.

Else every fit would fail, in a process of its own, where nobody sees it.
"""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from askance.errors import InvalidParameter
from askance.oracles.estimator import ESTIMATORS, EstimatorOracle, estimator_from, takes_sparse
from askance.sparse import from_dense
from askance.validation import shown

__all__ = ["named_estimator", "try_to_fit"]

ESTIMATOR = "LogisticRegression"
"""What learners in epochs fit unless their parameters name another class of scikit-learn."""

MOST_DENSE_BITS = 12
"""Bits of the features of an estimator that takes no sparse rows."""

TRIED = 40
"""Rows that an estimator is tried with: enough for one that sets some aside to stop early."""

LONGEST_REASON = 200
"""Characters of what scikit-learn says."""


def named_estimator(parameters: Mapping[str, Any], bits: int) -> Any:
    """What a learner in epochs fits, as its parameters say, with so many bits of features.

    >>> named_estimator({"estimator": "Perceptron"}, 18)
    Perceptron()
    """
    named = parameters.get("estimator", ESTIMATOR)
    state = {"parameters": {}, **(named if isinstance(named, Mapping) else {"class": named})}
    kind = state.get("class")
    if not (isinstance(kind, str) and kind in ESTIMATORS and len(state) == 2):
        raise InvalidParameter(
            f"estimator must be one of {', '.join(ESTIMATORS)}, or its class and parameters, got "
            f"{shown(named)}"
        )
    estimator = estimator_from(state)
    try:
        estimator._validate_params()
    except ValueError as error:
        raise InvalidParameter(f"{kind} cannot be fitted: {shown(str(error))}") from error
    if parameters.get("dense", not takes_sparse(estimator)) and bits > MOST_DENSE_BITS:
        raise InvalidParameter(
            f"{kind} is handed dense rows, for which bits must be at most "
            f"{MOST_DENSE_BITS}, got {bits}"
        )
    return estimator


def try_to_fit(oracle: EstimatorOracle) -> None:
    """Refuse an estimator whose parameters do not go together; the oracle is used up by that.

    >>> from sklearn.linear_model import LogisticRegression
    >>> oracle = EstimatorOracle(LogisticRegression(dual=True), n_features=2)
    >>> try_to_fit(oracle)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    askance.errors.InvalidParameter: LogisticRegression cannot be fitted: Solver lbfgs ...
    """
    estimator = oracle.estimator
    # One step shows what does not go together; all of them may take minutes.
    steps = {"max_iter", "n_estimators"} & estimator.get_params(deep=False).keys()
    estimator.set_params(**dict.fromkeys(steps, 1))
    targets = np.resize([-1, 1], TRIED)
    X = from_dense(np.column_stack([targets > 0, targets < 0]).astype(np.float64))
    try:
        with warnings.catch_warnings():
            # Such as that one step does not converge.
            warnings.simplefilter("ignore")
            oracle.fit(X, targets, np.linspace(1.0, 2.0, TRIED))
    except Exception as error:  # Whatever it is, every fit would raise it.
        reason = str(error).partition("\n")[0][:LONGEST_REASON]
        kind = type(estimator).__name__
        raise InvalidParameter(f"{kind} cannot be fitted: {reason}") from error
