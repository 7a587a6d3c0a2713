"""How long a fit of `auto` takes: its trees beside scikit-learn's, on the same labels.

``python -m benchmarks.fits`` prints CPU seconds of 100 trees of each kind, the best of some turns
that both sides take one after the other, and the seconds of a fit of the whole mixture.
"""

import functools
import time
from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from threadpoolctl import threadpool_limits

from askance.oracles.members import TREES
from askance.oracles.mixture import MixtureOracle
from askance.oracles.trees import boosted_trees, random_trees
from askance.study.blocks import TableBlock, markdown
from askance.types import Integers, Matrix

TURNS = 5


def labels(n: int, width: int) -> tuple[Matrix, Integers]:
    """Rows of numbers whose classes need several of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, width)).astype(np.float32)
    return csr_array(X.astype(float)), (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)


def contests(n: int, width: int) -> dict[str, tuple[Callable[[], object], Callable[[], object]]]:
    """What we do and what scikit-learn does, for each kind of trees."""
    X, codes = labels(n, width)
    dense, ones, targets = X.toarray().astype(np.float32), np.ones(n), np.eye(2)[codes]
    options = {"n_estimators": TREES, "random_state": 0}
    part = {"max_features": "sqrt", "subsample": 0.7, "init": "zero"}
    return {
        "forest": (
            lambda: random_trees(X, targets, ones, trees=TREES, seed=0, drawn=False),
            lambda: RandomForestClassifier(**options).fit(dense, codes),
        ),
        "extra trees": (
            lambda: random_trees(X, targets, ones, trees=TREES, seed=0, drawn=True),
            lambda: ExtraTreesClassifier(bootstrap=True, **options).fit(dense, codes),
        ),
        "boosted trees": (
            lambda: boosted_trees(X, targets, ones, trees=TREES, seed=0),
            lambda: GradientBoostingClassifier(**options, **part).fit(dense, codes),
        ),
    }


def best(*sides: Callable[[], object]) -> list[float]:
    """CPU seconds of each side at its best turn."""
    seconds: list[list[float]] = [[] for _ in sides]
    for _ in range(TURNS):
        for side, taken in zip(sides, seconds, strict=True):
            start = time.process_time()
            side()
            taken.append(time.process_time() - start)
    return [min(taken) for taken in seconds]


def main() -> None:
    """Print the table."""
    rows = []
    # As the mixture has it: one thread, and scikit-learn does not check its parameters again.
    with threadpool_limits(1), config_context(assume_finite=True, skip_parameter_validation=True):
        for n, width in ((100, 20), (300, 20), (1000, 20), (1000, 200)):
            for name, sides in contests(n, width).items():
                ours, theirs = best(*sides)
                rows.append(
                    [n, width, name, f"{ours:.3f}", f"{theirs:.3f}", f"{theirs / ours:.1f}"]
                )
            X, codes = labels(n, width)
            oracle = MixtureOracle(n_features=width)
            whole = best(functools.partial(oracle.fit, X, 2 * codes - 1, np.ones(n), X))
            rows.append([n, width, "the mixture", f"{whole[0]:.3f}", "", ""])
    print(
        markdown([TableBlock(["labels", "features", "fit", "s", "scikit-learn, s", "ratio"], rows)])
    )


if __name__ == "__main__":
    main()
