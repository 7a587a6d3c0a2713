"""Active Cover beside passive learning on real data, with two scikit-learn oracles.

Writes ``real_data.json`` and its figure; ``askance theory document`` puts the tables in place.
"""

import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from askance.data.catalog import load
from askance.data.splits import coins, permutation, train_test
from askance.oracles.estimator import EstimatorOracle
from askance.theory.figures import draw_real_data
from askance.theory.real_data import (
    Trial,
    TrialCurves,
    active_curve,
    passive_curve,
    summarise_real,
)
from askance.theory.report import save_result

DATASETS = ("mushroom", "magic04", "letter", "adult")
C0 = 1.0


def make_oracle(name: str, n_features: int) -> EstimatorOracle:
    """The oracle of that name."""
    if name == "logistic regression":
        pipeline = make_pipeline(MaxAbsScaler(), LogisticRegression(C=10.0, max_iter=300))
        return EstimatorOracle(pipeline, n_features=n_features)
    boosting = HistGradientBoostingClassifier(max_iter=20, early_stopping=False, random_state=0)
    return EstimatorOracle(boosting, n_features=n_features, dense=True)


def make_trial(name: str, j: int) -> tuple[Trial, int]:
    """The j-th permutation of a data set, cut 80/20."""
    data = load(name)
    X = data.csr.astype(np.float64)
    labels = np.asarray(data.labels, dtype=int)
    train, test = train_test(permutation(name, j, len(data)))
    drawn = coins(name, j, len(train))
    return Trial(X[train], labels[train], drawn, X[test], labels[test]), data.n_features


def run_cell(dataset: str, oracle_name: str, j: int, audit: int) -> TrialCurves:
    """One permutation: both curves, the epochs, and the comparison of the two region tests."""
    trial, n_features = make_trial(dataset, j)
    oracle = make_oracle(oracle_name, n_features)
    passive = passive_curve(trial, oracle)
    start = time.perf_counter()
    active = active_curve(trial, oracle, C0, audit=0)
    seconds = time.perf_counter() - start
    audits = active_curve(trial, oracle, C0, audit).audits if audit else []
    return TrialCurves(dataset, oracle_name, seconds, passive, active._replace(audits=audits))


def main(
    oracle: Annotated[list[str], typer.Option(help="Which oracles.")],
    dataset: Annotated[list[str], typer.Option(help="Which data sets.")] = list(DATASETS),  # noqa: B006
    out: Path = Path("docs/theory"),
    suffix: Annotated[str, typer.Option(help="Added to the names of the files.")] = "",
    permutations: int = 3,
    audit: int = 200,
) -> None:
    """Run all data sets; the region tests are compared on the first permutation."""
    console = Console()
    trials: list[TrialCurves] = []
    for name in oracle:
        for chosen in dataset:
            for j in range(permutations):
                trials.append(run_cell(chosen, name, j, audit if j == 0 else 0))
                result = summarise_real(trials).state()
                console.print(result["table"][-1], result["audits"][-1:])
            file = f"real_data_{name.replace(' ', '_')}{suffix}"
            only = summarise_real([trial for trial in trials if trial.oracle == name]).state()
            save_result(only, out / f"{file}.json")
            draw_real_data(only["figure"], out / f"{file}.svg")


if __name__ == "__main__":
    typer.run(main)
