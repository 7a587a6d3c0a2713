"""Several algorithms on one file, over the same permutations with the same coins."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from askance.engine import drive
from askance.errors import InvalidParameter
from askance.learners.auto import Auto
from askance.live import ActiveLearner, Budget
from askance.plots.curve import Curve, label_budgets, sum_up
from askance.presets import make_learner, suggested
from askance.rehearsal.at_random import asks_at_random, random_sample_rows, run_of
from askance.rehearsal.held import Held, Split, coin_seed
from askance.simulate import Contestant, Measure, Seat, run_matrix, simulate_settings
from askance.simulate.contestants import place_of
from askance.simulate.loop import Tally, walk_blocks, walk_rows
from askance.sparse import rows_of
from askance.types import Floats, Integers, Interval, Run

__all__ = ["compare", "contestant", "judged_by_labels", "run_permutation"]


def contestant(algorithm: str, parameters: dict[str, Any]) -> Contestant:
    """Complete an algorithm with the suggested setting, named after what was given.

    >>> contestant("margin", {"b": 0.5}).name
    'margin b=0.5'
    >>> contestant("auto", {"uniform_share": 1}).name
    'auto at random'
    """
    one = Contestant(algorithm, algorithm, suggested(algorithm, parameters))
    named = dict(parameters)
    if asks_at_random(one):
        del named["uniform_share"]
        algorithm += " at random"
    given = ",".join(f"{name}={value}" for name, value in named.items())
    return one._replace(name=f"{algorithm} {given}".strip())


def compare(
    held: Held,
    contestants: Sequence[Contestant],
    *,
    budget: int | None = None,
    permutations: int = 9,
    seed: int = 0,
    on_run: Callable[[], None] = lambda: None,
) -> list[Curve]:
    """Run every contestant on every permutation, up to a label budget or to the end.

    ``on_run`` is called after each run. Each curve has what the contestant's own labels say.
    """
    names = [one.name for one in contestants]
    if len(set(names)) < len(names):
        raise InvalidParameter(f"contestants must differ, got {', '.join(names)}")
    budgets = label_budgets(budget or len(held.split(seed).train))
    runs: dict[str, list[Run]] = {name: [] for name in names}
    narrow = held.narrow()
    for j, one in itertools.product(range(permutations), contestants):
        found = run_permutation(narrow, one, budgets, seed, j, to_the_end=budget is None)
        runs[one.name].append(found)
        on_run()
    said = [judged_by_labels(narrow, one, budget, seed) for one in contestants]
    return [
        replace(sum_up(name, found), judged=one)
        for (name, found), one in zip(runs.items(), said, strict=True)
    ]


def judged_by_labels(held: Held, one: Contestant, budget: int | None, seed: int) -> Interval | None:
    """What the labels that a contestant buys on the first permutation say, as in a run.

    It is the mean error of its classifiers so far; None where some examples are never asked about.
    """
    train, _ = held.split(seed)
    live = ActiveLearner(
        one.algorithm,
        n_features=held.n_features,
        random_state=coin_seed(seed),
        budget=Budget(total=budget),
        horizon=len(train),
        classes=held.classes,
        **(one.parameters | held.about_classes),
    )
    run_matrix(Seat(live), held.csr[train], held.labels[train].tolist().__getitem__)
    return live.stats().error


def run_permutation(
    held: Held,
    one: Contestant,
    budgets: Sequence[int],
    seed: int,
    j: int = 0,
    *,
    to_the_end: bool = False,
) -> Run:
    """Test errors of a contestant at label budgets, on one permutation."""
    train, test = held.split(seed, j)
    if asks_at_random(one):
        return run_of(list(random_sample_rows(held, one, budgets, seed, j)))
    coins = np.random.default_rng(coin_seed(seed, j)).random(len(train))
    if one.algorithm == "auto":
        limit = None if to_the_end else budgets[-1]
        learner = make_learner(
            "auto",
            n_features=held.n_features,
            budget=limit,
            horizon=len(train),
            **(one.parameters | held.about_classes),
        )
        error = _settled_error(learner, held, test)
        tally = Tally(budgets, limit=limit, error=error, to_the_end=to_the_end)
        walk_blocks(learner, held.csr[train], coins, held.labels[train].tolist().__getitem__, tally)
        return tally.close()
    if held.about_classes or one.algorithm == "coal":
        return _run_lanes(held, one, Split(train, test), coins, budgets, to_the_end=to_the_end)
    (run,) = simulate_settings(
        [one],
        held.n_features,
        held.stream(train, coins),
        held.stream(test),
        budgets=budgets,
        to_the_end=to_the_end,
    )
    return run


def _run_lanes(
    held: Held,
    one: Contestant,
    split: Split,
    coins: Floats,
    budgets: Sequence[int],
    *,
    to_the_end: bool,
) -> Run:
    """A learner that has a lane for each class, by rows."""
    learner = one._replace(parameters=one.parameters | held.about_classes).learner(held.n_features)
    labels, X = held.labels_for(learner)[split.train].tolist(), held.csr[split.test]
    signs = 1 if len(held.classes) > 2 else 2

    def measure() -> float:
        return held.loss(signs * learner.predict_many(X) - (signs - 1), split.test)

    tally = Tally(budgets, error=measure, to_the_end=to_the_end)
    seat: Seat[int] = Seat(learner, coins.tolist())
    rows = zip(rows_of(held.csr[split.train], wide=True), labels, strict=True)
    walk_rows([place_of(seat, tally, int, drive)], rows)
    return tally.close()


def _settled_error(learner: Auto, held: Held, test: Integers) -> Measure:
    """The share of examples that a learner gets wrong with all its labels so far."""
    X = held.csr[test]

    def measure() -> float:
        learner.settle()
        return held.loss(learner.predict_many(X), test)

    return measure
