"""What was foretold and taken in is what is asked."""

import numpy as np
import pytest

from askance.live import ActiveLearner
from askance.live.budget import Budget


@pytest.mark.parametrize("name", ["auto", "online_active_cover", "iwal1", "margin", "passive"])
@pytest.mark.parametrize("budget", [None, Budget(total=25), Budget(labels=5, per=20)])
def test_recalling_what_was_foretold_is_asking(name, budget):
    options = {"n_features": 2, "random_state": 3, "budget": budget}
    if name == "auto":
        options |= {"rate": 0.5, "members": ["logistic regression"]}
    asked, recalled = (ActiveLearner(name, **options) for _ in range(2))
    X = np.random.default_rng(4).random((120, 2))
    labels = np.where(X.sum(axis=1) > 1, 1, -1).tolist()
    for x, label in zip(X, labels, strict=True):
        question = asked.ask(x)
        if question.wanted:
            asked.tell(question, label)
    start = 0
    while start < len(X):
        # A window forgets what lies behind it whenever it is looked at.
        before = _everything(recalled) | {"ledger": None}
        told = recalled.foretell(X[start:])
        assert _everything(recalled) | {"ledger": None} == before, "it changes nothing"
        decisions = [decision for _, decision in told]
        # A label comes before the next decision, as above.
        wanted = (i + 1 for i, d in enumerate(decisions) if d is not None and d.queried)
        stop = next(wanted, len(decisions))
        assert all((d is None or d.queried == (coin < d.probability)) for coin, d in told)
        recalled.recall(X[start : start + stop], decisions[:stop])
        start += stop
        for id in recalled.pending():
            recalled.tell(id, labels[id])
    assert recalled.seen == len(X)
    assert _everything(recalled) == _everything(asked)


def _everything(learner):
    def plain(value):
        if isinstance(value, np.ndarray):
            return value.dtype.kind, value.tolist()
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        return [plain(item) for item in value] if isinstance(value, list | tuple) else value

    return plain(learner._get_state())


def test_nothing_is_foretold_of_no_rows():
    assert ActiveLearner("iwal1", n_features=2).foretell(np.zeros((0, 2))) == []
