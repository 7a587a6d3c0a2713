"""When labels are enough: by what is known of the error, or as predictions no longer change."""

import dataclasses
import math
from dataclasses import dataclass

import numpy as np

from askance.errors import InvalidParameter
from askance.learners.sample import matrix_from_state, matrix_state
from askance.protocols import Learner, PacedLearner
from askance.types import Integers, Matrix, State, Stats
from askance.validation import check_share, require_switch, saved_array, saved_part, saved_whole

__all__ = ["Stopping", "Until", "labels_at_least"]

ROWS = 1000
"""Rows whose predictions are compared, at most."""

FEWEST_ROWS = 200
"""Rows from which on they are."""

CHANGED = 0.01
"""A refit that changes fewer predictions than this share of them changes little."""

REFITS = 3
"""So many in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Until:
    """What is aimed at; the first that is reached ends it.

    Parameters
    ----------
    error
        The classifier's error is at most this, by its guaranteed upper bound. It takes labels that
        are held out.
    width
        The interval is as narrow as this: of the classifier's error if labels are held out, else of
        the mean error of the classifiers so far.
    flat
        Under 1% of 1,000 rows that are kept change their prediction in three refits running. This
        is a heuristic: a classifier may stay wrong for long and change then.

    Examples
    --------
    >>> Until(error=0.08)
    Until(error=0.08, width=None, flat=False)
    """

    error: float | None = None
    width: float | None = None
    flat: bool = False

    def __post_init__(self) -> None:
        require_switch(flat=self.flat)
        for name in ("error", "width"):
            if getattr(self, name) is not None:
                check_share(**{name: getattr(self, name)})


def labels_at_least(error: float, hold_out: float, alpha: float = 0.05) -> tuple[int, int]:
    """Held-out labels, and labels in all, that an upper bound takes without any mistake.

    >>> labels_at_least(0.08, hold_out=0.3)
    (47, 157)
    """
    held = math.ceil(math.log(2.0 / alpha) / error)
    return held, math.ceil(held / hold_out)


class Stopping:
    """Whether what is aimed at was reached.

    Parameters
    ----------
    until
        What is aimed at.
    learner
        Whose predictions may change; to wait until they do not, it must refit now and then.
    hold_out
        The share that is held out.
    """

    def __init__(self, until: Until, learner: Learner, hold_out: float) -> None:
        if until.error is not None and not hold_out:
            raise InvalidParameter("until an error is reached, labels must be held out, got none")
        self.paced = learner if isinstance(learner, PacedLearner) else None
        if until.flat and self.paced is None:
            raise InvalidParameter(
                "until predictions are flat, a learner must refit now and then as auto does, "
                f"got {type(learner).__name__}"
            )
        self.until = until
        self.calm = self._fitted = 0
        self._rows: Matrix | None = None
        self._said: Integers = np.zeros(0, np.int64)

    def follow(self) -> None:
        """Compare the predictions of a new classifier, if there is one, with those of the last."""
        if not self.until.flat or self.paced is None or self.paced.fitted == self._fitted:
            return
        self._fitted = self.paced.fitted
        if self._rows is not None and self._rows.shape[0] >= FEWEST_ROWS:
            changed = np.mean(self.paced.predicted(self._rows) != self._said)
            self.calm = self.calm + 1 if changed < CHANGED else 0
        self._rows = self.paced.kept_rows[-ROWS:]
        if self._rows.shape[0]:
            self._said = self.paced.predicted(self._rows)

    def reason(self, stats: Stats) -> str | None:
        """Why no more labels are needed; None while they are."""
        error, width, flat = self.until.error, self.until.width, self.until.flat
        current = stats.current
        if error is not None and current is not None and current.high <= error:
            return f"the error is at most {current.high:.1%}, and {error:.1%} was aimed at"
        known = stats.error if current is None else current
        if width is not None and known is not None and known.high - known.low <= width:
            return (
                f"the interval of the {known.of} is {known.high - known.low:.1%} wide, "
                f"and {width:.1%} was aimed at"
            )
        if flat and self.calm >= REFITS:
            return (
                f"under {CHANGED:.0%} of {ROWS:,} predictions changed in {REFITS} refits running, "
                "which is a heuristic"
            )
        return None

    def get_state(self) -> State:
        """All of it, for a file."""
        return {
            "until": dataclasses.asdict(self.until),
            "counts": [self.calm, self._fitted],
            "rows": None if self._rows is None else matrix_state(self._rows),
            "said": np.asarray(self._said, np.int64),
        }

    def set_state(self, state: State, n_features: int | None) -> None:
        """Take over a state whose parts agree with each other."""
        names = "calm", "fitted"
        counts = dict(zip(names, saved_part(state, "counts", list), strict=True))
        self.calm, self._fitted = (saved_whole(counts, name) for name in names)
        self._rows = None
        if state["rows"] is not None:
            self._rows = matrix_from_state(saved_part(state, "rows", dict), n_features)
        length = 0 if self._rows is None else self._rows.shape[0]
        self._said = saved_array(state, "said", "i", length=length)
