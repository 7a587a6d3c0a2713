"""What is remembered of an epoch when it closes."""

import logging
import math
from dataclasses import dataclass

import numpy as np

from askance.errors import InvalidParameter
from askance.types import Decision, State
from askance.validation import saved_array, saved_number, saved_whole

__all__ = ["EpochRecord", "EpochTally"]

_LOG = logging.getLogger("askance")
_QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class EpochRecord:
    """What happened in one epoch: ``start`` < examples <= ``end``.

    Where the next one is fitted elsewhere, what was decided meanwhile counts here and not there.
    ``probability_quantiles`` are the minimum, quartiles and maximum of P inside the region, empty
    if no example fell there. ``error`` is the error on Z-tilde of the ERM that served the epoch.
    """

    epoch: int
    start: int
    end: int
    region_share: float
    queries: int
    probability_quantiles: tuple[float, ...]
    error: float
    threshold: float
    floor: float

    @staticmethod
    def from_state(state: State) -> "EpochRecord":
        quantiles = tuple(state["probability_quantiles"])
        return EpochRecord(
            epoch=saved_whole(state, "epoch"),
            start=saved_whole(state, "start"),
            end=saved_whole(state, "end"),
            queries=saved_whole(state, "queries"),
            region_share=saved_number(state, "region_share", most=1.0),
            error=saved_number(state, "error"),
            threshold=_saved_threshold(state),
            floor=saved_number(state, "floor"),
            probability_quantiles=tuple(saved_number({"P": p}, "P", most=1.0) for p in quantiles),
        )


class EpochTally:
    """The decisions of the epoch that is under way, as far as its record needs them."""

    def __init__(self) -> None:
        self._examples = 0
        self.queries = 0
        self._inside: list[float] = []
        self._threshold = 0.0
        self._floor = 0.0

    def add(self, decisions: list[Decision]) -> None:
        self._examples += len(decisions)
        self.queries += sum(d.queried for d in decisions)
        self._inside += [d.probability for d in decisions if d.in_disagreement]
        self._threshold, self._floor = decisions[-1].threshold, decisions[-1].floor

    def record(self, epoch: int, start: int, end: int, error: float) -> EpochRecord:
        """The record, which is also logged."""
        quantiles = np.quantile(self._inside, _QUANTILES).tolist() if self._inside else []
        # One that was due again when it began may have decided nothing.
        share = len(self._inside) / max(self._examples, 1)
        shown = " ".join(f"{value:.3f}" for value in quantiles) or "none"
        _LOG.info(
            "epoch %d (%d to %d): region %.1f%%, %d queries, P %s",
            *(epoch, start + 1, end, 100 * share, self.queries, shown),
        )
        return EpochRecord(
            epoch=epoch,
            start=start,
            end=end,
            region_share=share,
            queries=self.queries,
            probability_quantiles=tuple(quantiles),
            error=error,
            threshold=self._threshold,
            floor=self._floor,
        )

    def get_state(self) -> State:
        return {
            "examples": self._examples,
            "queries": self.queries,
            "inside": np.array(self._inside),
            "threshold": self._threshold,
            "floor": self._floor,
        }

    def set_state(self, state: State) -> None:
        self._examples = saved_whole(state, "examples")
        self.queries = saved_whole(state, "queries", most=self._examples)
        inside = saved_array(state, "inside", "f")
        if len(inside) > self._examples or not ((inside >= 0) & (inside <= 1)).all():
            raise InvalidParameter(
                f"saved inside must be at most {self._examples} probabilities, got {len(inside)}"
            )
        self._inside = inside.tolist()
        self._threshold, self._floor = _saved_threshold(state), saved_number(state, "floor")


def _saved_threshold(state: State) -> float:
    """A radius; it is infinite in the first epoch."""
    return math.inf if state["threshold"] == math.inf else saved_number(state, "threshold")
