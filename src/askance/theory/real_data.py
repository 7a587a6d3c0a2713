"""Active Cover beside passive learning on real data, with the same oracle."""

from dataclasses import asdict, dataclass

import numpy as np

from askance.learners.active_cover import ActiveCover
from askance.learners.constants import Constants
from askance.protocols import BatchClassifier, BatchOracle
from askance.theory.instances import Instance, drive
from askance.types import Floats, Integers, Matrix, State

__all__ = ["Trial", "active_curve", "passive_curve", "summarise_real"]


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


def passive_curve(trial: Trial, oracle: BatchOracle) -> list[State]:
    """Test error after the first 3, 6, 12, ... labels, and after all."""
    n = len(trial.labels)
    counts = [3 * 2**m for m in range(40) if 3 * 2**m < n] + [n]
    return [
        {
            "labels": count,
            "error": trial.error(oracle.fit(trial.X[:count], trial.labels[:count], np.ones(count))),
        }
        for count in counts
    ]


def active_curve(trial: Trial, oracle: BatchOracle, c0: float, audit: int) -> State:
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
    curve: list[State] = []

    def watch() -> None:
        asked = sum(record.queries for record in learner.epochs)
        curve.append({"labels": asked, "error": trial.error(learner.classifier)})

    drive(learner, Instance(trial.X, trial.labels, 0.0), trial.coins, watch)
    return {
        "curve": curve,
        "epochs": [asdict(record) for record in learner.epochs],
        "audits": [asdict(audit) for audit in learner.audits],
    }


def summarise_real(cells: list[State]) -> State:
    """The table, the audits and the figure of many trials, each with its data set and oracle."""
    table, audits, panels = [], [], []
    for dataset, oracle in dict.fromkeys((cell["dataset"], cell["oracle"]) for cell in cells):
        chosen = [c for c in cells if (c["dataset"], c["oracle"]) == (dataset, oracle)]
        name = {"dataset": dataset, "oracle": oracle}
        active = {key: _mean_of(chosen, "active", key) for key in ("labels", "error")}
        passive = {key: _mean_of(chosen, "passive", key) for key in ("labels", "error")}
        # At the passive curve's size next above the labels that were asked: never in our favour.
        at = int(np.searchsorted(passive["labels"], active["labels"][-1]))
        at = min(at, len(passive["labels"]) - 1)
        epochs = [record for cell in chosen for record in cell["epochs"]]
        shares = [record["region_share"] for record in epochs]
        table.append(
            {
                **name,
                "permutations": len(chosen),
                "labels": active["labels"][-1],
                "error": active["error"][-1],
                "passive_labels": passive["labels"][at],
                "passive_error": passive["error"][at],
                "passive_error_all": passive["error"][-1],
                "least_region": min(shares),
                "last_P_median": float(np.mean([_median(c["epochs"]) for c in chosen])),
                "seconds": float(np.mean([cell["seconds"] for cell in chosen])),
            }
        )
        audits += _audit_lines(name, [a for cell in chosen for a in cell["audits"]])
        panels.append({**name, "active": active, "passive": passive})
    return {"table": table, "audits": audits, "figure": {"panels": panels}}


def _mean_of(cells: list[State], curve: str, key: str) -> list[float]:
    means: list[float] = np.mean([[p[key] for p in cell[curve]] for cell in cells], axis=0).tolist()
    return means


def _median(epochs: list[State]) -> float:
    """The median of P in the last epoch that had a region at all."""
    quantiles = [record["probability_quantiles"] for record in epochs]
    return float(next(q for q in reversed(quantiles) if len(q))[2])


def _audit_lines(name: State, audits: list[State]) -> list[State]:
    if not audits:
        return []
    names = ("points", "only_one_call", "only_known")
    totals = {key: sum(audit[key] for audit in audits) for key in names}
    differs = (totals["only_one_call"] + totals["only_known"]) / totals["points"]
    return [{**name, "epochs": len(audits), **totals, "differ": differs}]
