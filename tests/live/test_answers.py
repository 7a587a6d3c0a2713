"""Rows in a file: back as they were."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.live.answers import (
    Bought,
    Pending,
    bought_from,
    bought_state,
    pending_from,
    pending_state,
    sample_of,
)
from askance.storage.states import read_state, write_state
from askance.types import Decision, Row

probabilities = st.floats(1e-6, 1.0)
signs = st.sampled_from([-1, 1])
ids = st.integers(0, 2**40)


@st.composite
def rows(draw: st.DrawFn) -> Row:
    indices = draw(st.lists(st.integers(0, 50), unique=True, max_size=5))
    values = draw(st.lists(st.floats(-9, 9, width=32), min_size=5, max_size=5))
    kinds = draw(st.sampled_from([(np.int32, np.float32), (np.int64, np.float64)]))
    return Row(np.array(sorted(indices), kinds[0]), np.array(values[: len(indices)], kinds[1]))


decisions = st.builds(
    Decision,
    predicted=signs,
    in_disagreement=st.booleans(),
    probability=probabilities,
    queried=st.just(True),
    k=ids,
    threshold=st.floats(0, np.inf),
    floor=probabilities,
)


def plain(row: Row) -> Any:
    return (row.indices.tolist(), row.values.tolist())


@given(st.dictionaries(ids, st.tuples(signs, rows(), probabilities)))
def test_answers_come_back(answers: dict[int, Bought]) -> None:
    again = bought_from(bought_state(answers))
    assert list(again) == list(answers)
    for id, (label, row, probability) in answers.items():
        assert (again[id][0], plain(again[id][1]), again[id][2]) == (label, plain(row), probability)


@given(st.dictionaries(ids, st.tuples(rows(), decisions)))
def test_pending_questions_come_back(pending: dict[int, Pending]) -> None:
    again = pending_from(pending_state(pending))
    assert list(again) == list(pending)
    for id, (row, decision) in pending.items():
        assert plain(again[id][0]) == plain(row)
        assert again[id][1] == decision
        assert list(map(type, again[id][1])) == list(map(type, decision))


@given(st.dictionaries(ids, st.tuples(signs, rows(), probabilities)), st.integers(0, 10**6))
def test_the_sample_is_the_answers_in_the_order_of_the_questions(
    answers: dict[int, Any], n: int
) -> None:
    sample = sample_of(answers, n, width=51)
    assert sample.ids.tolist() == sorted(answers)
    assert sample.n == n
    assert sample.X.shape == (len(answers), 51)
    assert (sample.X.indices.dtype, sample.X.indptr.dtype) == (np.int32, np.int32)
    assert (sample.y.dtype, sample.weight.dtype, sample.X.dtype) == (np.int8, float, float)
    for i, id in enumerate(sorted(answers)):
        label, row, probability = answers[id]
        dense = np.zeros(51)
        dense[row.indices] = row.values
        assert sample.X[[i]].toarray().ravel().tolist() == dense.tolist()
        assert (sample.y[i], sample.weight[i]) == (label, 1 / probability)


def test_without_a_width_the_sample_is_as_wide_as_its_rows() -> None:
    x = Row(np.array([1, 6]), np.array([1.0, 1.0]))
    assert sample_of({0: (1, x, 1.0)}, 1, None).X.shape == (1, 7)
    assert sample_of({}, 0, None).X.shape == (0, 0)


def test_single_precision_stays_single_in_the_file() -> None:
    x = Row(np.array([1, 6], np.int32), np.array([1.0, 1.0], np.float32))
    packed = bought_state({0: (1, x, 1.0)})["rows"]
    assert (packed["indices"].dtype, packed["values"].dtype) == (np.int32, np.float32)


@pytest.mark.parametrize("count", [1, 300])
def test_a_file_has_as_many_members_for_many_rows_as_for_one(count: int, tmp_path: Any) -> None:
    x = Row(np.array([1]), np.array([1.0]))
    decision = Decision(1, True, 0.5, True, 0, np.inf, 0.0)
    state = {
        "answered": bought_state(dict.fromkeys(range(count), (1, x, 0.5))),
        "pending": pending_state(dict.fromkeys(range(count), (x, decision))),
    }
    write_state(tmp_path / "file", "test", state)
    with np.load(tmp_path / "file") as archive:
        assert len(archive.files) == 1 + 6 + 12
    assert len(pending_from(read_state(tmp_path / "file", "test")["pending"])) == count
