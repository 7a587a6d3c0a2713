"""When a classifier is due, what a file says of one on its way, and whether one will come."""

import logging
from concurrent.futures import Future

import numpy as np
import pytest

from askance.errors import InvalidParameter
from askance.learners.refits import (
    FIRST,
    Refit,
    check_versions,
    first_fit,
    is_lost,
    next_fit,
    refit_from,
    refit_state,
)
from askance.sparse import from_dense


def test_the_first_fit_takes_a_fifth_of_a_small_budget():
    assert [first_fit(budget) for budget in (None, 1, 10, 99, 100, 5000)] == [
        FIRST, 1, 2, 19, FIRST, FIRST,
    ]  # fmt: skip


def test_the_next_fit_waits_for_two_fifths_more_labels_or_for_a_second_class():
    assert [next_fit(fitted, 2, None) for fitted in (0, 20, 21, 1000)] == [20, 28, 30, 1400]
    assert [next_fit(fitted, 1, None) for fitted in (0, 20, 1000)] == [20, 21, 1001]
    assert next_fit(2, 2, 10) == 3


def test_a_refit_is_found_again_without_its_future():
    assert refit_state(None) is None
    assert refit_from({"begun": None}, 9, None) is None
    X = from_dense(np.array([[1.0, 0.0], [0.0, 2.0]]))
    labels, rows, future = refit_from({"begun": refit_state(Refit(7, X, Future()))}, 9, 2)
    assert (labels, future) == (7, None)
    assert (rows != X).nnz == 0
    with pytest.raises(InvalidParameter, match="labels"):
        refit_from({"begun": refit_state(Refit(7, X, None))}, 6, 2)


def test_what_died_or_was_cancelled_is_lost():
    done, died, cancelled = Future(), Future(), Future()
    assert not is_lost(done)
    done.set_result([])
    died.set_exception(RuntimeError())
    cancelled.cancel()
    assert [is_lost(one) for one in (None, done, died, cancelled)] == [True, False, True, True]


def test_other_versions_are_named(caplog):
    with caplog.at_level(logging.WARNING, logger="askance"):
        check_versions({"numpy": "1"}, {"numpy": "1"})
        assert caplog.messages == []
        check_versions({"b": "2", "a": "1"}, {})
    assert "saved with a 1, b 2 and is fitted again with others" in caplog.messages[0]
