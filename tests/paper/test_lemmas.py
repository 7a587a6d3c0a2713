"""Lemmas of the analysis that speak of quantities in the code: radius, floor and epochs."""

import math
from itertools import accumulate, pairwise

from hypothesis import given
from hypothesis import strategies as st

from askance.learners.constants import Constants
from askance.learners.schedules import epoch_end_after

# log(|H|) of at least 1.5 and delta of at most 0.3: then log(|H|/delta) is above log(192)/2, which
# `Constants.theory` asks for.
log_sizes = st.floats(1.5, 30)
deltas = st.floats(1e-6, 0.3)
schedules = st.sampled_from(["doubling", "unit", [3, 4, 7, 12]])
# Weighted mistakes that each epoch adds to those of the best classifier, which never fall.
mistakes = st.lists(st.floats(0, 50), min_size=2, max_size=12)


def epochs(schedule, added):
    """The ends of as many epochs, and the ERM's error at each."""
    ends = [3]
    while len(ends) < len(added):
        ends.append(epoch_end_after(schedule, ends[-1]))
    return ends, [total / end for total, end in zip(accumulate(added), ends, strict=True)]


@given(schedules, mistakes, log_sizes, deltas, st.floats(1, 4))
def test_radius_and_floor_are_monotone(schedule, added, log_size, delta, alpha):
    ends, errors = epochs(schedule, added)
    constants = Constants.theory(log_size, n=max(ends[-1], 4), delta=delta, alpha=alpha)
    at = list(zip(errors, ends, strict=True))
    radii = [constants.delta_m(error, end) for error, end in at]
    floors = [constants.terms(error, end).limits.floor for error, end in at]
    grown = [end * radius for end, radius in zip(ends, radii, strict=True)]
    assert all(a <= b * (1 + 1e-12) for a, b in pairwise(grown))
    assert all(a >= b * (1 - 1e-12) for a, b in pairwise(floors))
    # floors[m] is P_min of the epoch after the m-th, the smaller of the two: the stronger claim.
    for end, radius, floor in zip(ends, radii, floors, strict=True):
        assert constants.epsilon(end) / floor <= radius


@given(schedules, mistakes, log_sizes, deltas)
def test_sums_over_epochs_are_logarithmic(schedule, added, log_size, delta):
    ends, errors = epochs(schedule, added)
    shares = [(b - a) / a for a, b in pairwise(ends)]
    for m, total in enumerate(accumulate(shares), start=1):
        assert total <= 2 * (1 + math.log(ends[m])) <= 4 * math.log(ends[m])
    constants = Constants.theory(log_size, n=max(ends[-1], 4), delta=delta)
    radii = [constants.delta_m(error, end) for error, end in zip(errors, ends, strict=True)]
    # Delta_0 has the error 1.
    spent = [3 * constants.delta_m(1.0, 3)]
    spent += [(b - a) * radius for (a, b), radius in zip(pairwise(ends), radii, strict=False)]
    for end, radius, total in zip(ends, radii, accumulate(spent), strict=True):
        assert total <= 4 * end * radius * math.log(end)
