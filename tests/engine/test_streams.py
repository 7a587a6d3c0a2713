import numpy as np
import pytest

from askance import as_row, make_learner
from askance.engine import Group, chunks_of, run_settings, stream_of, stream_of_rows
from askance.errors import InvalidLabel, InvalidParameter, InvalidRow

GOOD = {
    "indptr": [0, 1, 1, 3],
    "indices": [4, 0, 2],
    "values": [1.0, 2.0, 3.0],
    "labels": [1, -1, 1],
    "coins": [0.0, 0.5, 0.99],
}


def made(**changed):
    return stream_of(**{**GOOD, **changed}, n_features=5)


@pytest.mark.parametrize(
    ("indices", "values"),
    [
        ([0, 0], [1.0, 1.0]),
        ([1, 0], [1.0, 1.0]),
        ([0, 5], [1.0, 1.0]),
        ([-5, 1], [1.0, 1.0]),
        (np.array([0, 2**63], np.uint64), [1.0, 1.0]),
        (np.array([0, 2**64 - 1], np.uint64), [1.0, 1.0]),
        ([0, 2**32], [1.0, 1.0]),
        ([0, 1], [1.0, np.nan]),
        ([0, 1], [1.0, -np.inf]),
        ([0, 1], [1.0, 1.1e15]),
        ([0, 1], [1, -(2**63)]),
    ],
)
def test_bad_rows_of_a_matrix_are_named(indices: list[int], values: list[float]) -> None:
    with pytest.raises(InvalidRow, match="row 1 must have increasing indices below 5"):
        stream_of([0, 0, 2], indices, values, [1, 1], n_features=5)


@pytest.mark.parametrize(
    ("kind", "changed", "message"),
    [
        (InvalidRow, {"indptr": [0, 1, 3]}, "3 rows must have 4 row starts, got 3"),
        (InvalidRow, {"indptr": [0, 2, 1, 3]}, "must never fall, got 1 after 2"),
        (InvalidRow, {"indptr": [1, 1, 1, 3]}, "run from 0 to 3, the number of entries, got 1"),
        (InvalidRow, {"indptr": [0, 1, 1, 2]}, "run from 0 to 3, the number of entries, got 0 to"),
        (InvalidRow, {"indptr": [0, 1, 1, 10**12]}, "got 0 to 1000000000000"),
        (InvalidRow, {"indptr": [-(10**12), 1, 1, 3]}, "got -1000000000000 to 3"),
        (InvalidRow, {"indptr": [0.0, 1.0, 1.0, 3.0]}, "row starts must be numbers"),
        (InvalidRow, {"indptr": np.array([0, 1, 1, 2**63], np.uint64)}, "must never fall"),
        (InvalidRow, {"indptr": [[0, 1, 1, 3]]}, "of shape (1, 4)"),
        (InvalidRow, {"indices": [4.0, 0.0, 2.0]}, "feature indices must be numbers"),
        (InvalidRow, {"indices": [True, False, True]}, "got dtype bool"),
        (InvalidRow, {"indices": ["4", "0", "2"]}, "got dtype <U1"),
        (InvalidRow, {"indices": [4, 0]}, "2 feature indices must have as many values, got 3"),
        (InvalidRow, {"values": [1.0, 2.0]}, "3 feature indices must have as many values, got 2"),
        (InvalidRow, {"values": [1j, 2.0, 3.0]}, "got dtype complex128"),
        (InvalidRow, {"values": [[1.0], [2.0, 3.0]]}, "got a ragged list"),
        (InvalidRow, {"values": [None, 2.0, 3.0]}, "got dtype object"),
        (InvalidRow, {"labels": [1, -1]}, "2 rows must have 3 row starts, got 4"),
        (InvalidLabel, {"labels": [1, 0, 1]}, "must be -1 or +1, got 0 in row 1"),
        (InvalidLabel, {"labels": [1, 255, 1]}, "got 255 in row 1"),
        (InvalidLabel, {"labels": [1, 257, 1]}, "got 257 in row 1"),
        (InvalidLabel, {"labels": [1.0, -1.0, np.nan]}, "got nan in row 2"),
        (InvalidLabel, {"labels": ["yes", "no", "no"]}, "got dtype <U3"),
        (InvalidLabel, {"labels": [True, True, True]}, "got dtype bool"),
        (InvalidParameter, {"coins": [0.5]}, "3 rows must have as many coins or none, got 1"),
        (InvalidParameter, {"coins": [0.5, 1.0, 0.5]}, "must lie in [0, 1), got 1.0 in row 1"),
        (InvalidParameter, {"coins": [0.5, 0.5, np.nan]}, "got nan in row 2"),
        (InvalidParameter, {"coins": [-0.1, 0.5, 0.5]}, "got -0.1 in row 0"),
        (InvalidParameter, {"coins": ["a", "b", "c"]}, "got dtype <U1"),
    ],
)
def test_arrays_that_do_not_fit_each_other_are_refused(kind, changed, message, refused) -> None:
    with refused(kind, message):
        made(**changed)


@pytest.mark.parametrize("whole", [">i2", ">i4", ">i8", "<u2", ">u8", "<i4", "<i8"])
@pytest.mark.parametrize("real", [">f4", ">f8", "<f2", "<f4", "longdouble", "i1"])
def test_numbers_of_any_kind_become_those_that_kernels_take(whole: str, real: str) -> None:
    plain = made()
    other = made(
        indptr=np.array(GOOD["indptr"], whole),
        indices=np.array(GOOD["indices"], whole),
        values=np.array(GOOD["values"], real),
        labels=np.array(GOOD["labels"], ">f4"),
        coins=np.array(GOOD["coins"], ">f8"),
    )
    for mine, theirs in zip(plain[:-1], other[:-1], strict=True):
        assert theirs.tolist() == mine.tolist()
        assert theirs.dtype.isnative
        assert theirs.flags.carray
    assert other.indices.dtype in (np.int32, np.int64)
    assert other.values.dtype in (np.float32, np.float64)


def test_strided_arrays_are_copied() -> None:
    wide = np.array([4, 9, 0, 9, 2, 9])
    assert made(indices=wide[::2]).indices.tolist() == GOOD["indices"]


def test_chunks_keep_the_width_they_were_checked_for() -> None:
    assert [chunk.n_features for chunk in chunks_of(made())] == [5]


def test_rows_are_checked_too(refused) -> None:
    x = as_row([1.0, 0.0])
    assert stream_of_rows([(x, 1)]).n_features == 1
    with refused(InvalidLabel, "got 3 in row 0"):
        stream_of_rows([(x, 3)])
    with refused(InvalidRow, "row 0 must have increasing indices"):
        stream_of_rows([(x._replace(indices=np.array([-5])), 1)])
    with refused(InvalidParameter, "2 rows must have as many coins or none, got 1"):
        stream_of_rows([(x, 1)] * 2, [0.5])


def test_a_group_takes_no_stream_wider_than_its_lanes_and_none_without_coins(refused) -> None:
    group = Group([make_learner("iwal1", n_features=0)], n_features=4)
    limits = np.array([100])
    with refused(InvalidRow, "at most 4 features, got 5"):
        group.advance(made(), 0, limits)
    with refused(InvalidRow, "at most 4 features, got 5"):
        run_settings(group, [], made(), [100])
    wide = Group([make_learner("iwal1", n_features=0)], n_features=5)
    with refused(InvalidParameter, "must have 3 coins, one per row, got 0"):
        wide.advance(made(coins=()), 0, limits)
    for start in (-1, 4):
        with refused(InvalidParameter, f"a row from 0 to 3, got {start}"):
            wide.advance(made(), start, limits)
    assert wide.advance(made(), 0, limits) == 3
