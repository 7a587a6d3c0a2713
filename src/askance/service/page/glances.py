"""Where a stream stands, in the words and figures of a page."""

import math
from dataclasses import dataclass
from typing import Self

from askance.service.settings import StreamSettings
from askance.types import StreamStatus

__all__ = ["Glance", "share_text"]


def share_text(share: float) -> str:
    """A share in percent, with as many digits as mean something.

    >>> share_text(0.0612), share_text(0.31), share_text(0)
    ('6.1%', '31%', '0%')
    """
    return f"{100 * share:.{1 if 0 < share < 0.0995 else 0}f}%"


BRIEF, WORDY = 3, 20
"""Characters of a name that needs little room, and of one that needs much."""

WIDE = 0.5
"""An interval that is wider says so little that the estimate beside it must not mislead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """A stream at a glance; ``reason`` says what can be done now, or why nothing can."""

    id: str
    name: str
    state: str
    labels: int
    total: int | None
    left: int | None
    examples: int
    rate: str
    error: str
    interval: str
    error_of: str
    waiting: int
    ties: int
    can_ask: bool
    reason: str
    classes: tuple[str, ...]
    guidelines: str
    lease: float
    is_broken: bool = False

    @property
    def room(self) -> str:
        """How much room the names of the classes need: so many buttons stand in a row."""
        longest = max(map(len, self.classes))
        return "brief" if longest <= BRIEF else "wordy" if longest >= WORDY else ""

    @classmethod
    def of(cls, status: StreamStatus, settings: StreamSettings) -> Self:
        """Put a status in words."""
        error, interval = _error(status)
        return cls(
            id=status.id,
            name=status.name,
            state=status.state,
            labels=status.answered,
            total=settings.total,
            left=None if settings.total is None else max(0, settings.total - status.answered),
            examples=status.seen,
            rate=_rate(status),
            error=error,
            interval=interval,
            error_of="" if status.error is None else "mean error of its predictions so far",
            waiting=status.waiting,
            ties=status.tied,
            can_ask=_can_ask(status),
            reason=status.reason or _waits(status.waiting),
            classes=settings.classes,
            guidelines=settings.guidelines,
            lease=settings.lease,
        )


def _can_ask(status: StreamStatus) -> bool:
    """Whether questions may still be asked, or wait."""
    is_spent = status.left is not None and status.left <= 0
    return status.state == "running" and not (is_spent and not status.waiting)


def _rate(status: StreamStatus) -> str:
    if not status.asked:
        return "nothing asked yet"
    if status.state != "running" or status.left == 0:
        return f"asked about {share_text(status.query_rate)}"
    return f"asks about {share_text(status.rate_now)} now"


def _error(status: StreamStatus) -> tuple[str, str]:
    error = status.error
    if error is None:
        return "not known yet", "answer a few questions"
    is_known = not math.isnan(error.estimate)
    about = f"about {share_text(error.estimate)}" if is_known else "not known yet"
    bounds = (
        f"{100 * error.level:.3g}% interval {share_text(error.low)} to {share_text(error.high)}"
    )
    few = "; too few labels to say more" if error.high - error.low > WIDE else ""
    return about, bounds + few


def _waits(waiting: int) -> str:
    return "1 question waits." if waiting == 1 else f"{waiting} questions wait."
