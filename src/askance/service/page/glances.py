"""Where a stream stands, in the words and figures of a page."""

import math
from dataclasses import dataclass
from typing import Self

from askance.service.settings import StreamSettings
from askance.types import StreamStatus

__all__ = ["Glance", "share_text"]


def share_text(share: float) -> str:
    """A share in percent, with as many digits as mean something.

    >>> share_text(0.0612), share_text(0.31)
    ('6.1%', '31%')
    """
    return f"{100 * share:.{1 if share < 0.0995 else 0}f}%"


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
    reason: str
    classes: tuple[str, ...]
    guidelines: str
    lease: float

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
            left=None if settings.total is None else settings.total - status.answered,
            examples=status.seen,
            rate=_rate(status),
            error=error,
            interval=interval,
            error_of="" if status.error is None else status.error.of,
            waiting=status.waiting,
            ties=status.tied,
            reason=status.reason or _waits(status.waiting),
            classes=settings.classes,
            guidelines=settings.guidelines,
            lease=settings.lease,
        )


def _rate(status: StreamStatus) -> str:
    return f"asked about {share_text(status.query_rate)}" if status.asked else "nothing asked yet"


def _error(status: StreamStatus) -> tuple[str, str]:
    error = status.error
    if error is None:
        return "not known yet", "answer a few questions"
    about = "not known yet" if math.isnan(error.estimate) else share_text(error.estimate)
    bounds = f"{share_text(error.low)} to {share_text(error.high)}"
    return about, f"{bounds}, {100 * error.level:.3g}% sure"


def _waits(waiting: int) -> str:
    return "1 question waits." if waiting == 1 else f"{waiting} questions wait."
