"""Epoch by epoch: region, queries and query probabilities, as means over the runs of a setting."""

from typing import NamedTuple

import numpy as np

from askance.learners.epoch_records import EpochRecord
from askance.learners.region import spread

__all__ = ["EpochLine", "epoch_table"]

_MOST_EPOCHS = 20


class EpochLine(NamedTuple):
    """One epoch of a setting; ``P`` has the quantiles of the probability inside the region."""

    setting: str
    epoch: int
    examples: str
    region_share: float
    queries: float
    P: str


def epoch_table(settings: dict[str, list[list[EpochRecord]]]) -> list[EpochLine]:
    """One line for each setting and epoch; of more than 20 epochs, 20 spread evenly.

    Parameters
    ----------
    settings
        Name of the setting to the epochs of its runs. Runs end their epochs at the same examples.

    Examples
    --------
    >>> first = EpochRecord(1, 0, 3, 1.0, 3, (1.0,) * 5, 0.0, float("inf"), 1.0)
    >>> epoch_table({"a": [[first]]})[0].queries, epoch_table({"a": [[first]]})[0].P
    (3.0, '1 1 1 1 1')
    """
    return [
        _line(name, [run[m] for run in runs])
        for name, runs in settings.items()
        for m in spread(len(runs[0]), _MOST_EPOCHS).tolist()
    ]


def _line(setting: str, records: list[EpochRecord]) -> EpochLine:
    inside = [r.probability_quantiles for r in records if r.probability_quantiles]
    quantiles = np.mean(inside, axis=0).tolist() if inside else []
    return EpochLine(
        setting=setting,
        epoch=records[0].epoch,
        examples=f"{records[0].start + 1} to {records[0].end}",
        region_share=float(np.mean([r.region_share for r in records])),
        queries=float(np.mean([r.queries for r in records])),
        P=" ".join(f"{value:.3g}" for value in quantiles) or "none",
    )
