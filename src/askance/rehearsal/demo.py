"""Run the algorithms of the demo, and sum up what they reached."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_sample_images

from askance.plots.curve import Curve, sum_up
from askance.simulate import Contestant, simulate
from askance.sparse import rows_of
from askance.types import Floats, Label, Row, Run

__all__ = [
    "DEMO_BUDGETS",
    "DEMO_CONTESTANTS",
    "FULL",
    "QUICK",
    "TARGET",
    "Size",
    "describe",
    "patches",
    "photographs",
    "run_demo",
]

DEMO_BUDGETS = tuple(round(10 * 2 ** (q / 2)) for q in range(19))
"""Label budgets, two for each doubling: 10 to 5120."""

SIDE = 8
"""Pixels on each side of a patch."""

N_FEATURES = 14


class Size(NamedTuple):
    """How many permutations, examples in the stream and examples to test on."""

    permutations: int
    stream: int
    test: int


FULL = Size(permutations=9, stream=6784, test=1696)
"""As in ``sec:exp_setup`` of the paper: nine permutations, 80% to learn from, the rest to test."""

QUICK = Size(permutations=3, stream=600, test=300)
"""For a look that takes a second."""


TARGET = 0.04
"""One in twenty-five: an error that every contestant reaches well before its end."""


# Settings from one small search, on other permutations than those shown (seed 1, 5 of them):
# learning rates .8, 1.6, 3.2, 6.4, times five constants each: c0 in .1, .3, 1, 3, 10 for the cover,
# c0 in .001, .003, .01, .03, .1 for IWAL, b in .03, .1, .3, 1, 3 for margin sampling. For each,
# the setting with the smallest mean of the median test error over the budgets from 40 to 2560 was
# taken.
DEMO_CONTESTANTS = (
    Contestant("Online Active Cover", "online_active_cover", {"c0": 0.3, "learning_rate": 6.4}),
    Contestant("IWAL", "iwal1", {"c0": 0.01, "learning_rate": 6.4}),
    Contestant("margin sampling", "margin", {"b": 1.0, "learning_rate": 6.4}),
    Contestant("passive", "passive", {"learning_rate": 6.4}),
)


def patches(photograph: Floats) -> Floats:
    """Cut a photograph into squares, and describe each by 14 numbers.

    Means and spreads of red, green and blue, strength of vertical and horizontal edges, and the
    products of the means.

    >>> patches(np.zeros((17, 24, 3))).shape
    (6, 14)
    """
    rows, columns = photograph.shape[0] // SIDE, photograph.shape[1] // SIDE
    cut = photograph[: rows * SIDE, : columns * SIDE] / 255.0
    squares = cut.reshape(rows, SIDE, columns, SIDE, 3).swapaxes(1, 2).reshape(-1, SIDE, SIDE, 3)
    mean, spread, grey = squares.mean((1, 2)), squares.std((1, 2)), squares.mean(3)
    edges = [np.abs(np.diff(grey, axis=axis)).mean((1, 2)) for axis in (2, 1)]
    products = [mean[:, a] * mean[:, b] for a in range(3) for b in range(a + 1)]
    return np.column_stack([mean, spread, *edges, *products])


def photographs() -> tuple[list[Row], list[Label]]:
    """Patches of the two photographs in scikit-learn: the temple (+1) and the flower (-1).

    >>> rows, labels = photographs()
    >>> len(rows), sum(labels)
    (8480, 0)
    """
    temple, flower = (patches(image) for image in load_sample_images().images)
    return list(rows_of(np.vstack([temple, flower]))), [1] * len(temple) + [-1] * len(flower)


def run_demo(
    contestants: Sequence[Contestant] = DEMO_CONTESTANTS,
    *,
    size: Size = FULL,
    seed: int = 0,
    on_run: Callable[[], None] = lambda: None,
) -> list[Curve]:
    """Run every contestant on the same permutations with the same coins.

    ``on_run`` is called after each run.
    """
    rows, labels = photographs()
    runs: dict[str, list[Run]] = {one.name: [] for one in contestants}
    for j in range(size.permutations):
        generator = np.random.default_rng([seed, j])
        order = generator.permutation(len(rows)).tolist()
        coins = generator.random(size.stream).tolist()
        examples = [(rows[i], labels[i]) for i in order]
        stream, test = examples[: size.stream], examples[-size.test :]
        for one in contestants:
            learner = one.learner(N_FEATURES)
            run = simulate(learner, stream, coins, test, budgets=DEMO_BUDGETS, to_the_end=True)
            runs[one.name].append(run)
            on_run()
    return [sum_up(name, found) for name, found in runs.items()]


def describe(size: Size) -> str:
    """What was run, in one sentence.

    >>> describe(FULL)
    'Temple or flower: 8x8 patches of two photographs, 9 permutations of 6784 to learn from.'
    """
    return (
        f"Temple or flower: {SIDE}x{SIDE} patches of two photographs, "
        f"{size.permutations} permutations of {size.stream} to learn from."
    )
