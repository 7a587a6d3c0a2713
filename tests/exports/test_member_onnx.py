"""What a runtime of ONNX says of a member is what the member says."""

import numpy as np
import onnxruntime as runtime
import pytest
import scipy.sparse as sp

from askance.errors import InvalidParameter
from askance.exports import to_onnx
from askance.exports.member_onnx import member_to_onnx
from askance.live import ActiveLearner
from askance.oracles.members import DENSE, WIDE
from askance.sparse import canonical_csr

pytestmark = pytest.mark.usefixtures("small_trees")


def numbers():
    """Some features are never seen, and half of the values are zero."""
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(500, 7)), 1)
    X[rng.random(X.shape) < 0.5] = 0.0
    X[:, [0, 4]] = 0.0
    return canonical_csr(X), np.where(X[:, 1] + X[:, 2] * X[:, 3] > 0.1, 1, -1)


def words():
    rng = np.random.default_rng(3)
    X = sp.random_array((500, 2500), density=0.01, format="csr", rng=rng)
    X.data[:] = rng.choice([-1.0, 1.0, 2.0], X.nnz)
    return canonical_csr(X), np.where(X[:, :1200].sum(axis=1) > X[:, 1200:].sum(axis=1), 1, -1)


def taught(X, y, **chosen):
    live = ActiveLearner("auto", n_features=X.shape[1], rate=0.2, random_state=0, **chosen)
    for i in range(150):
        question = live.ask(X[[i]])
        if question.wanted:
            live.tell(question, int(y[i]))
    live.settle()
    return live


@pytest.mark.parametrize(
    ("made", "members", "classes"),
    [(numbers, DENSE, ("-1", "+1")), (words, WIDE, ("ham", "späm"))],
    ids=["numbers", "words"],
)
def test_every_member_gives_the_same_probabilities(made, members, classes):
    X, y = made()
    live = taught(X, y, classes=classes)
    mixture = live.learner.classifier
    assert set(live.members()) == set(members)
    # The last row has no value at all; those after the 150th were not learned from.
    rows = sp.vstack([X[100:400], sp.csr_array((1, X.shape[1]))]).tocsr()
    mixed = np.zeros((301, 2))
    for member, share in live.members().items():
        session = runtime.InferenceSession(
            to_onnx(live, member), providers=["CPUExecutionProvider"]
        )
        label, shares = session.run(None, {"X": rows.toarray().astype(np.float32)})
        scorer = mixture.scorers[list(mixture.weights).index(member)]
        expected = scorer.probabilities(mixture._narrow(canonical_csr(rows)))
        np.testing.assert_allclose(shares, expected, atol=3e-6)
        names = np.array([-1, 1] if classes == ("-1", "+1") else classes)
        sure = np.abs(expected[:, 1] - 0.5) > 1e-5
        assert label[sure].tolist() == names[(expected[:, 1] > 0.5).astype(int)][sure].tolist()
        mixed += share * shares
    np.testing.assert_allclose(mixed[:, 1], live.probabilities(canonical_csr(rows)), atol=1e-5)


def test_a_value_at_a_threshold_goes_the_same_way():
    """Thresholds are of double precision, values of single."""
    X, y = numbers()
    live = taught(X, y)
    mixture = live.learner.classifier
    trees = mixture.scorers[list(mixture.weights).index("forest")]
    edges = trees.thresholds[trees.columns == mixture.places[1]].astype(np.float32)
    rows = np.zeros((len(edges), 7), np.float32)
    rows[:, 1] = edges
    session = runtime.InferenceSession(to_onnx(live, "forest"), providers=["CPUExecutionProvider"])
    _, shares = session.run(None, {"X": rows})
    expected = trees.probabilities(mixture._narrow(canonical_csr(rows.astype(np.float64))))
    np.testing.assert_allclose(shares, expected, atol=3e-6)


def test_what_cannot_be_written_is_said(refused, monkeypatch):
    X, y = numbers()
    live = taught(X, y)
    with refused(InvalidParameter, "one member at a time, got no member; it has logistic regr"):
        to_onnx(live)
    with refused(InvalidParameter, "got 'oak'; it has logistic regression, forest"):
        to_onnx(live, "oak")
    with refused(InvalidParameter, "it has none, as it has not learned two classes yet"):
        to_onnx(ActiveLearner("auto", n_features=2))
    with refused(InvalidParameter, "got 'forest'; it has none"):
        to_onnx(ActiveLearner("passive", n_features=2), "forest")
    monkeypatch.setattr("askance.exports.member_onnx._WRITERS", {})
    with refused(InvalidParameter, "'forest' has no form in ONNX, only other members have"):
        member_to_onnx(live, "forest")
