"""Books of a round that was decided elsewhere agree with those of examples asked one by one."""

import numpy as np
import pytest

from askance import ActiveLearner
from askance.errors import InvalidParameter
from askance.live.rounds import asked_of, enter_round, in_rounds
from askance.sparse import from_dense

N, D = 300, 2


@pytest.fixture
def live():
    return ActiveLearner("auto", n_features=D, budget=None, rounds=True, rate=0.2)


def entered(live, seed=0):
    """A round as a worker decides it."""
    rng = np.random.default_rng(seed)
    X, coins = from_dense(rng.normal(size=(N, D))), rng.random(N)
    learner = in_rounds(live)
    verdicts = learner.turn().verdicts(X, coins)
    asked = np.flatnonzero(verdicts.queried)
    decisions = learner.decisions(asked, verdicts.at(asked))
    return enter_round(live, X[asked], decisions, {0.2: N - len(asked)})


def test_a_round_opens_its_questions_and_counts_the_others(live, tmp_path):
    ids = entered(live)
    stats = live.stats()
    assert (stats.seen, stats.asked, stats.pending) == (N, len(ids), len(ids))
    assert stats.learned == N - len(ids)
    assert asked_of(live).pending == dict.fromkeys(ids, 0.2)
    live.tell_many([(id, 1 if id % 2 else -1) for id in ids[::-1]])
    assert live.stats().learned == N
    live.save(tmp_path / "m")
    again = ActiveLearner.load(tmp_path / "m")
    assert again.stats() == live.stats()
    assert asked_of(again) == asked_of(live)
    more = entered(again, seed=1)
    assert min(more) >= N
    assert again.label_places().positions.tolist() == ids


def test_the_books_are_those_of_examples_that_were_offered(live):
    """The same decisions, offered one by one to a learner that asks with the same P."""
    ids = entered(live)
    labels = {id: 1 if id % 3 else -1 for id in ids}
    live.tell_many(labels.items())
    plain = ActiveLearner("auto", n_features=D, rate=0.2, uniform_share=1.0)
    books = plain._questions
    for number in range(N):
        asked = number in labels
        books.unjudged.append(0.2 if asked else -0.2)
    for label in labels.values():
        books.unjudged.append((0.2, label != -1))
    books.judge()
    ours = live.stats().error
    assert ours.estimate == pytest.approx(books.error.interval().estimate)
    assert ours.low == pytest.approx(books.error.interval().low)
    assert ours.high == pytest.approx(books.error.interval().high)
    places, found = live._questions.places.get_state(), books.places.get_state()
    # How seldom those between two questions are asked is known for the round only.
    assert (places.pop("least") <= found.pop("least")).all()
    for name, value in found.items():
        assert np.all(np.asarray(places[name]) == np.asarray(value)), name


def test_what_is_no_round_is_refused(live):
    with pytest.raises(InvalidParameter, match="auto with rounds"):
        in_rounds(ActiveLearner("passive", n_features=1))
    entered(live)
    learner = in_rounds(live)
    X = from_dense(np.ones((2, D)))
    decisions = learner.decisions(np.array([5, 5]), learner.turn().verdicts(X, np.zeros(2)))
    with pytest.raises(InvalidParameter, match="count up within its 7 examples"):
        enter_round(live, X, decisions, {0.2: 5})
