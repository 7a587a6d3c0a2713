"""Active Cover beside passive learning on real data, with two scikit-learn oracles.

Writes the numbers and the figure of each; ``askance theory document`` puts the tables in place.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer
from rich.console import Console
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from askance.data.catalog import load
from askance.data.splits import coins, permutation, train_test
from askance.learners.active_cover import ActiveCover, Audit
from askance.learners.constants import Constants
from askance.learners.epoch_records import EpochRecord
from askance.oracles.estimator import EstimatorOracle
from askance.protocols import BatchClassifier, BatchOracle
from askance.theory.figures import draw_real_data
from askance.theory.instances import Instance, trace_of
from askance.theory.report import Experiment, save_result
from askance.types import Decision, Floats, Integers, Matrix

DATASETS = ("mushroom", "magic04", "letter", "adult")
C0 = 1.0


@dataclass(frozen=True)
class Trial:
    """A permuted data set: a stream to learn from, coins, and a part to test on."""

    X: Matrix
    labels: Integers
    coins: Floats
    test_points: Matrix
    test_labels: Integers

    def error(self, classifier: BatchClassifier) -> float:
        """Test error."""
        return float(np.mean(classifier.predict_many(self.test_points) != self.test_labels))


class CurvePoint(NamedTuple):
    """Test error after so many labels."""

    labels: int
    error: float


class ActiveCurve(NamedTuple):
    """Active Cover on one trial: a point for each epoch, and what the epochs were like."""

    points: list[CurvePoint]
    epochs: list[EpochRecord]
    audits: list[Audit]


class TrialCurves(NamedTuple):
    """Both learners on one trial with one oracle."""

    dataset: str
    oracle: str
    seconds: float
    passive: list[CurvePoint]
    active: ActiveCurve


class RealDataLine(NamedTuple):
    """A data set and an oracle, over permutations."""

    dataset: str
    oracle: str
    permutations: int
    labels: float
    error: float
    passive_labels: float
    passive_error: float
    passive_error_all: float
    least_region: float
    last_P_median: float  # noqa: N815
    seconds: float


class AuditLine(NamedTuple):
    """How often the two region tests differ."""

    dataset: str
    oracle: str
    epochs: int
    points: int
    only_one_call: int
    only_known: int
    differ: float


def passive_curve(trial: Trial, oracle: BatchOracle) -> list[CurvePoint]:
    """Test error after the first 3, 6, 12, ... labels, and after all."""
    n = len(trial.labels)
    counts = [3 * 2**m for m in range(40) if 3 * 2**m < n] + [n]
    return [
        CurvePoint(
            count, trial.error(oracle.fit(trial.X[:count], trial.labels[:count], np.ones(count)))
        )
        for count in counts
    ]


def active_curve(trial: Trial, oracle: BatchOracle, c0: float, audit: int) -> ActiveCurve:
    """Test error and labels asked at every epoch end, and what the epochs were like.

    ``known`` rules the region (see :class:`ActiveCover`): these oracles are expensive.
    """
    constants = Constants.practical(c0=c0, alpha=1.0, beta_scale=10**0.5)
    n = len(trial.labels)
    learner = ActiveCover(
        oracle,
        constants,
        region="known",
        probes=16,
        audit=audit,
        unlabeled=2000,
        max_iterations=1000,
        horizon=n,
    )
    points: list[CurvePoint] = []

    def watch(_: Sequence[Decision]) -> None:
        asked = sum(record.queries for record in learner.epochs)
        points.append(CurvePoint(asked, trial.error(learner.classifier)))

    trace_of(learner, Instance(trial.X, trial.labels, 0.0), trial.coins, watch)
    return ActiveCurve(points, learner.epochs, learner.audits)


def summarise_real(trials: list[TrialCurves]) -> Experiment:
    """The table, the audits and the figure of many trials."""
    table, audits, panels = [], [], []
    for dataset, oracle in dict.fromkeys((trial.dataset, trial.oracle) for trial in trials):
        chosen = [t for t in trials if (t.dataset, t.oracle) == (dataset, oracle)]
        active = _mean_curve([trial.active.points for trial in chosen])
        passive = _mean_curve([trial.passive for trial in chosen])
        # At the passive curve's size next above the labels that were asked: never in our favour.
        at = int(np.searchsorted(passive["labels"], active["labels"][-1]))
        at = min(at, len(passive["labels"]) - 1)
        table.append(
            RealDataLine(
                dataset=dataset,
                oracle=oracle,
                permutations=len(chosen),
                labels=active["labels"][-1],
                error=active["error"][-1],
                passive_labels=passive["labels"][at],
                passive_error=passive["error"][at],
                passive_error_all=passive["error"][-1],
                least_region=min(e.region_share for t in chosen for e in t.active.epochs),
                last_P_median=float(np.mean([_median(t.active.epochs) for t in chosen])),
                seconds=float(np.mean([trial.seconds for trial in chosen])),
            )
        )
        audits += _audit_lines(dataset, oracle, [a for t in chosen for a in t.active.audits])
        panels.append({"dataset": dataset, "oracle": oracle, "active": active, "passive": passive})
    return Experiment(table=table, more={"audits": audits}, figure={"panels": panels})


def _mean_curve(curves: list[list[CurvePoint]]) -> dict[str, list[float]]:
    """The mean of each field, point by point, as a figure's numbers are."""
    return {
        name: np.mean([[getattr(p, name) for p in curve] for curve in curves], axis=0).tolist()
        for name in CurvePoint._fields
    }


def _median(epochs: list[EpochRecord]) -> float:
    """The median of P in the last epoch that had a region at all."""
    quantiles = [record.probability_quantiles for record in epochs]
    return float(next(q for q in reversed(quantiles) if len(q))[2])


def _audit_lines(dataset: str, oracle: str, audits: list[Audit]) -> list[AuditLine]:
    if not audits:
        return []
    points = sum(audit.points for audit in audits)
    one_call = sum(audit.only_one_call for audit in audits)
    known = sum(audit.only_known for audit in audits)
    differ = (one_call + known) / points
    return [AuditLine(dataset, oracle, len(audits), points, one_call, known, differ)]


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
