"""Test errors at label budgets, taken while settings run side by side."""

import numpy as np

import askance
from askance.engine import Group, chunks_of, run_settings, stream_of
from askance.simulate import run_readable
from askance.sparse import rows_of


def test_settings_in_company_give_the_errors_of_each_alone() -> None:
    draw = np.random.default_rng(3)
    X = draw.normal(size=(400, 3))
    y = np.where(X[:, 0] > 0.2 * draw.normal(size=400), 1, -1)
    coins = draw.random(300)
    pairs = list(zip(rows_of(X), y.tolist(), strict=True))
    c0s, budgets = (0.01, 0.1, 1.0), [4, 16, 500]

    def stream(rows, coins=()):
        indptr = 3 * np.arange(rows.stop - rows.start + 1)
        columns = np.tile(np.arange(3), rows.stop - rows.start)
        return stream_of(indptr, columns, X[rows].ravel(), y[rows], coins, n_features=3)

    settings = [askance.make_learner("iwal1", n_features=0, c0=c0) for c0 in c0s]
    chunks = chunks_of(stream(slice(0, 300), coins))
    together = run_settings(Group(settings, 3), chunks, stream(slice(300, 400)), budgets)
    for c0, found in zip(c0s, together, strict=True):
        alone = askance.make_learner("iwal1", n_features=3, c0=c0)
        assert run_readable(alone, pairs[:300], coins, pairs[300:], budgets=budgets) == found
