import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.errors import InvalidParameter
from askance.learners.schedules import epoch_end_after, validated


def ends(schedule: object, count: int) -> list[int]:
    found, k = [], 0
    for _ in range(count):
        k = epoch_end_after(schedule, k)
        found.append(k)
    return found


def test_doubling_and_unit_epochs() -> None:
    assert ends("doubling", 6) == [3 * 2 ** (m - 1) for m in range(1, 7)]
    assert ends("unit", 6) == [m + 2 for m in range(1, 7)]
    assert ends([3, 5, 9], 5) == [3, 5, 9, 18, 36]


@given(st.sampled_from(["doubling", "unit", [3, 4, 8]]), st.integers(3, 10_000))
def test_no_epoch_more_than_doubles(schedule: object, k: int) -> None:
    assert k < epoch_end_after(schedule, k) <= 2 * k


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        ("weekly", "'weekly'"),
        ([], "must end at 3, got"),
        ([4, 5], r"must end at 3, got \[4\]"),
        ([3, 7], "got 3 and 7"),
        ([3, 3], "got 3 and 3"),
    ],
)
def test_what_is_no_schedule_is_refused(schedule: object, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        validated(schedule)
