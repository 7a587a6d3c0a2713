"""The labels of a learner that refits."""

import numpy as np
import pytest

from askance.errors import AskanceError
from askance.learners.label_store import LabelStore
from askance.types import Decision, Row


@pytest.fixture
def store():
    found = LabelStore()
    for i in range(4):
        x = Row(np.array([i]), np.array([i + 1.0]))
        decision = Decision(1, True, 0.5 if i else 1.0, True, i, 0.1, 0.1, i % 2 == 1)
        found.append(x, -1 if i == 2 else 1, decision)
    return found


def test_a_sample_has_rows_targets_and_weights(store):
    X, targets, weights = store.sample(slice(0, 3))
    assert X.toarray().tolist() == [[1, 0, 0], [0, 2, 0], [0, 0, 3]]
    assert targets.tolist() == [1, 1, -1]
    assert weights.tolist() == [1, 2, 2]
    assert store.sample(np.array([2]))[1].tolist() == [-1]
    assert store.uniform().tolist() == [1, 3]
    assert store.predicted(np.array([0, 2])).tolist() == [1, 1]
    assert (store.classes, store.classes_of(2), len(store)) == ({-1, 1}, 1, 4)


def test_targets_and_weights_of_the_first_labels(store):
    for count in (3, 4, 2, 2):
        targets, weights = store.weighted(count)
        assert targets.tolist() == [1, 1, -1, 1][:count]
        assert weights.tolist() == [1, 2, 2, 2][:count]
    state = store.get_state()
    state["targets"], state["probabilities"] = -state["targets"], np.ones(4)
    store.set_state(state, 4)
    targets, weights = store.weighted(2)
    assert (targets.tolist(), weights.tolist()) == ([-1, -1], [1, 1])


def test_a_state_round_trips(store):
    again = LabelStore()
    again.set_state(store.get_state(), 4)
    assert again.classes == store.classes
    for found, expected in zip(again.sample(slice(None)), store.sample(slice(None)), strict=True):
        assert (found != expected).sum() == 0
    assert again.uniform().tolist() == store.uniform().tolist()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("targets", np.array([1, 1, 0, 1])),
        ("targets", np.array([1, 1])),
        ("predicted", np.array([1, 1, 7, 1])),
        ("probabilities", np.array([1, 0.5, 0.0, 0.5])),
        ("probabilities", np.array([1, 0.5, 1.5, 0.5])),
        ("uniform", np.array([0, 1, 2, 1])),
    ],
)
def test_a_forged_state_is_refused(store, name, value):
    state = store.get_state()
    state[name] = value
    with pytest.raises(AskanceError):
        LabelStore().set_state(state, 4)
