"""Active Cover beside passive learning on real data, with the same oracle."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from askance.learners.active_cover import ActiveCover, Audit
from askance.learners.constants import Constants
from askance.learners.epoch_records import EpochRecord
from askance.protocols import BatchClassifier, BatchOracle
from askance.theory.instances import Instance, trace_of
from askance.theory.report import Experiment
from askance.types import Decision, Floats, Integers, Matrix

__all__ = [
    "ActiveCurve",
    "AuditLine",
    "CurvePoint",
    "RealDataLine",
    "Trial",
    "TrialCurves",
    "active_curve",
    "passive_curve",
    "summarise_real",
]


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
