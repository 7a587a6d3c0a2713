import numpy as np
from scipy.sparse import csr_array

from askance.learners.sample import Sample
from askance.oracles.thresholds import Threshold


def filled() -> Sample:
    sample = Sample()
    sample.append(csr_array([[0.1], [0.9]]), np.array([1, 1]), np.array([2.0, 0.0]))
    sample.append(csr_array([[0.6]]), np.array([-1]), np.array([4.0]))
    return sample


def test_a_snapshot_leaves_out_what_weighs_nothing_but_counts_it() -> None:
    snapshot = filled().snapshot(3)
    assert snapshot.X.toarray().ravel().tolist() == [0.1, 0.6]
    assert snapshot.weights.tolist() == [2.0, 4.0]
    # Wrong at 0.1 (weight 2) and at 0.6 (weight 4), over three offered.
    assert snapshot.error(Threshold(0, 0.5, 1)) == 2.0
    assert filled().snapshot(2).weights.tolist() == [2.0]


def test_nothing_offered_has_no_error() -> None:
    assert Sample().snapshot(0).error(Threshold(0, 0.5, 1)) == 0.0


def test_the_newest_points_come_from_those_offered() -> None:
    assert filled().newest(3, 2).toarray().ravel().tolist() == [0.9, 0.6]
    assert filled().newest(2, 5).toarray().ravel().tolist() == [0.1, 0.9]


def test_saving_and_loading() -> None:
    other = Sample()
    other.set_state(filled().get_state(), len(filled().joined()[1]), n_features=1)
    for found, expected in zip(other.joined()[1:], filled().joined()[1:], strict=True):
        assert found.tolist() == expected.tolist()
    assert other.newest(3, 3).toarray().tolist() == filled().newest(3, 3).toarray().tolist()
