"""An interval in words."""

import math

from askance.types import Holds, Interval

__all__ = ["sentence"]

_WHEN: dict[Holds, str] = {
    "at any time": "whenever you look",
    "at a fixed time": "at a time fixed beforehand",
    "without a guarantee": "without a guarantee",
}


def sentence(interval: Interval) -> str:
    """What an ``interval`` of an error, or of another share, says to people.

    >>> print(sentence(Interval(0.0612, 0.031, 0.112, 0.95, "error", "at any time")))
    error about 6.1%, at least 3.1% and at most 11% (95%, whenever you look)
    """
    low, high = _percent(interval.low), _percent(interval.high)
    about = f"about {_percent(interval.estimate)}, "
    if math.isnan(interval.estimate):
        about = "not known yet, "
    when = _WHEN[interval.holds]
    level = f"{100 * interval.level:.3g}%"
    return f"{interval.of} {about}at least {low} and at most {high} ({level}, {when})"


def _percent(share: float) -> str:
    """Two digits, as far as they mean anything."""
    return f"{100 * share:.{1 if share < 0.0995 else 0}f}%"
