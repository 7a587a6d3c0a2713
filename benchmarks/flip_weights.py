"""How far the flip weight at the rates of weight 1 is from the weight that really flips.

    python benchmarks/flip_weights.py [--data-dir DIR]

runs learners over the sets of ``studies/disagreement.toml`` and, at every tenth example, takes the
ratio of the exact flip weight to the one of the default disagreement test. It writes the quantiles
over all sets, and those of each set, beside the results of that study.
"""

import csv
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from askance.data.catalog import load
from askance.data.splits import coins, permutation, train_test
from askance.engine import drive
from askance.oracles.linear import LinearOracle
from askance.presets import make_learner, suggested
from askance.types import Floats

DATASETS = ("titanic", "abalone", "mushroom", "eeg-eye-state", "magic04", "letter", "ijcnn1")
SETTINGS: list[tuple[str, dict[str, Any]]] = [
    *(("passive", {"learning_rate": rate}) for rate in (0.1, 0.4, 1.6, 6.4)),
    ("iwal1", {}),
    ("oracular_iwal1", {"c0": 0.015625, "learning_rate": 0.1}),
    ("oracular_iwal1", {"c0": 0.125}),
    ("online_active_cover", {"c0": 0.05, "learning_rate": 0.1}),
    ("online_active_cover", {"c0": 0.05}),
    ("online_active_cover", {}),
]
EVERY = 10
"""Examples from one look to the next, and before the first."""

CHOSEN = ("c0", "learning_rate")
QUANTILES = (0.0, 0.01, 0.1, 0.5, 0.9, 0.99, 1.0)
HEADER = ("least", "1%", "10%", "median", "90%", "99%", "most", "tests differ")


def look(data_dir: Path | None, dataset: str, algorithm: str, parameters: dict[str, Any]) -> Floats:
    """A row for each state: the ratio, and whether the two tests put the example on two sides.

    Learners without a test have nan there.
    """
    data = load(dataset, data_dir)
    train, _ = train_test(permutation(dataset, 1, len(data)))
    learner = make_learner(algorithm, n_features=data.n_features, **parameters)
    driver, erm = drive(learner), learner.erm
    assert isinstance(erm, LinearOracle)
    found = []
    for i, coin in zip(train.tolist(), coins(dataset, 1, len(train)).tolist(), strict=True):
        x, k = data.row(i), learner.k
        seen = k >= EVERY and k % EVERY == 0
        weights = np.array([erm.flip_weight(x), erm.exact_flip_weight(x)]) if seen else np.zeros(2)
        decision = driver.offer(x, coin)
        if decision.queried:
            driver.learn(x, decision, int(data.labels[i]))
        if seen and 0.0 < weights[0] < np.inf:
            inside = weights <= k * decision.threshold
            differ = float(inside[0] != inside[1]) if algorithm != "passive" else np.nan
            found.append((weights[1] / weights[0], differ))
    return np.array(found)


def line(first: list[str], parameters: dict[str, Any], found: Floats) -> list[str]:
    """One line of a table."""
    setting = [f"{parameters[key]:g}" if key in parameters else "" for key in CHOSEN]
    quantiles = [f"{value:.2f}" for value in np.quantile(found[:, 0], QUANTILES)]
    differ = float(np.mean(found[:, 1]))
    shown = "" if np.isnan(differ) else f"{differ:.1%}"
    return [*first, *setting, f"{len(found):,}", *quantiles, shown]


def main(
    data_dir: Annotated[Path | None, typer.Option(envvar="ASKANCE_DATA")] = None,
    out: Path = Path("docs/results/disagreement"),
) -> None:
    """Run all settings on all sets."""
    pooled, single = [], []
    for algorithm, given in SETTINGS:
        parameters = suggested(algorithm, given)
        parts = []
        for dataset in DATASETS:
            parts.append(look(data_dir, dataset, algorithm, parameters))
            single.append(line([dataset, algorithm], parameters, parts[-1]))
            print(*single[-1], flush=True)
        pooled.append(line([algorithm], parameters, np.concatenate(parts)))
        print(*pooled[-1], flush=True)
    head = ("algorithm", "c0", "learning rate", "states", *HEADER)
    for name, first, lines in (
        ("flip_weights.csv", (), pooled),
        ("flip_weights_by_set.csv", ("data set",), single),
    ):
        with (out / name).open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([(*first, *head), *lines])


if __name__ == "__main__":
    typer.run(main)
