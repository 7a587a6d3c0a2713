"""When epochs end: tau_1 = 3 and tau_{m+1} <= 2 tau_m.

Paper: ``alg:main`` (whose text has the inequality the wrong way round in one place).
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from askance.errors import InvalidParameter
from askance.validation import shown

__all__ = ["FIRST_END", "Schedule", "epoch_end_after", "validated"]

Schedule = str | Sequence[int]
"""``"doubling"`` (3, 6, 12, ...), ``"unit"`` (3, 4, 5, ...) or the ends themselves, from 3 on."""

FIRST_END = 3


def epoch_end_after(schedule: Schedule, k: int) -> int:
    """The first epoch end beyond ``k`` examples; a finite schedule goes on by doubling.

    >>> epoch_end_after("doubling", 3), epoch_end_after("unit", 3), epoch_end_after([3, 5], 5)
    (6, 4, 10)
    """
    if schedule == "unit":
        return max(k + 1, FIRST_END)
    ends = [FIRST_END] if isinstance(schedule, str) else schedule
    if k < ends[-1]:
        return ends[bisect_right(ends, k)]
    end = ends[-1]
    while end <= k:
        end *= 2
    return end


def validated(schedule: Schedule) -> Schedule:
    """The schedule, if it is one."""
    if isinstance(schedule, str):
        if schedule not in ("doubling", "unit"):
            raise InvalidParameter(
                f"schedule must be 'doubling', 'unit' or epoch ends, got {schedule!r}"
            )
        return schedule
    try:
        ends = [int(end) for end in schedule]
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter(
            f"schedule must be 'doubling', 'unit' or epoch ends, got {shown(schedule)}"
        ) from None
    if not ends or ends[0] != FIRST_END:
        raise InvalidParameter(f"the first epoch must end at {FIRST_END}, got {shown(ends[:1])}")
    for end, following in pairwise(ends):
        if not end < following <= 2 * end:
            raise InvalidParameter(
                f"an epoch end must be followed by a greater one, at most its double, "
                f"got {shown(end)} and {shown(following)}"
            )
    return ends
