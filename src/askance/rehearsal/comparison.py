"""Several algorithms on one file, over the same permutations with the same coins."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from askance.engine import Group, chunks_of, is_compilable, run_settings
from askance.errors import InvalidParameter
from askance.learners.streaming import StreamingLearner
from askance.plots.curve import Curve, label_budgets, sum_up
from askance.presets import make_learner, suggested
from askance.rehearsal.held import Held, coin_seed
from askance.types import ResultRow

__all__ = ["Contestant", "compare", "contestant", "run_permutation", "within"]


class Contestant(NamedTuple):
    """An algorithm with its parameters, under the name that it was given."""

    name: str
    algorithm: str
    parameters: dict[str, Any]

    def prototype(self) -> StreamingLearner:
        """A learner with these parameters, for no feature at all."""
        learner: StreamingLearner = make_learner(self.algorithm, n_features=0, **self.parameters)
        if not is_compilable(learner):
            raise InvalidParameter(f"{self.name} cannot be compared: its rates must be adaptive")
        return learner


def contestant(algorithm: str, parameters: dict[str, Any]) -> Contestant:
    """Complete an algorithm with the suggested setting, named after what was given.

    >>> contestant("margin", {"b": 0.5}).name
    'margin b=0.5'
    """
    given = ",".join(f"{name}={value}" for name, value in parameters.items())
    complete = suggested(algorithm, parameters)
    return Contestant(f"{algorithm} {given}".strip(), algorithm, complete)


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

    ``on_run`` is called after each run.
    """
    names = [one.name for one in contestants]
    if len(set(names)) < len(names):
        raise InvalidParameter(f"contestants must differ, got {', '.join(names)}")
    budgets = label_budgets(budget or len(held.split(seed).train))
    runs: dict[str, list[list[ResultRow]]] = {name: [] for name in names}
    narrow = held.narrow()
    for j, one in itertools.product(range(permutations), contestants):
        rows = run_permutation(narrow, one, budgets, seed, j)
        runs[one.name].append(rows if budget is None else within(rows))
        on_run()
    return [sum_up(name, found) for name, found in runs.items()]


def run_permutation(
    held: Held, one: Contestant, budgets: Sequence[int], seed: int, j: int = 0
) -> list[ResultRow]:
    """Test errors at label budgets, and after them how the stream ended, uncut."""
    train, test = held.split(seed, j)
    coins = np.random.default_rng(coin_seed(seed, j)).random(len(train))
    group = Group([one.prototype()], held.n_features)
    # The last budget is out of reach, so that the run goes on to the end.
    wanted = [*budgets, max(len(train), budgets[-1]) + 1]
    stream = chunks_of(held.stream(train, coins))
    return run_settings(group, stream, held.stream(test), wanted)[0]


def within(rows: Sequence[ResultRow]) -> list[ResultRow]:
    """The same run, had it ended with its last label budget.

    >>> rows = [ResultRow(10, 10, 40, 0.2, True), ResultRow(99, 30, 90, 0.1, False)]
    >>> within(rows)[-1].queries
    10
    """
    return [*rows[:-1], rows[-2]]
