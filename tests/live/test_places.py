"""Where labels stood: against a walk that writes down every example."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from askance.errors import FileUnreadable, InvalidParameter
from askance.live import ActiveLearner
from askance.live.budget import Budget
from askance.live.places import StreamPlaces
from askance.types import LabelPlaces

PARAMETERS: dict[str, dict[str, Any]] = {
    "margin": {},
    "iwal1": {"c0": 0.3},
    "auto": {"rate": 0.3, "estimator": LogisticRegression()},
    "online_active_cover": {"c0": 0.3},
}


def walked(live: ActiveLearner, n: int = 600, seed: int = 0) -> tuple[list[Any], list[float]]:
    """Offer n examples, leave some questions open and withdraw others; all that was offered."""
    rng = np.random.default_rng(seed)
    offered: list[float] = []
    rows: list[tuple[int, float, tuple[float, ...]]] = []
    missing: tuple[float, ...] = ()
    since = 1.0
    for _ in range(n):
        question = live.ask(rng.normal(size=2))
        if question.reason == "budget":
            continue
        offered.append(question.probability)
        if not question.wanted:
            since = min(since, question.probability)
            continue
        fate = rng.random()
        if fate < 0.7:
            live.tell(question, 1 if rng.random() < 0.5 else -1)
            rows.append((len(offered) - 1, since, missing))
            since, missing = 1.0, ()
        else:
            missing = (*missing, question.probability)
            if fate < 0.85:
                live.withdraw(question)
    return rows, offered


def listed(places: LabelPlaces | None) -> list[tuple[int, float, tuple[float, ...]]]:
    assert places is not None
    return list(
        zip(places.positions.tolist(), places.least.tolist(), places.unanswered, strict=True)
    )


@pytest.mark.parametrize("budget", [None, Budget(total=60), Budget(labels=3, per=20)])
@pytest.mark.parametrize("name", PARAMETERS)
def test_places_are_those_of_a_plain_walk(name: str, budget: Budget | None, tmp_path: Path) -> None:
    live = ActiveLearner(name, n_features=2, random_state=3, budget=budget, **PARAMETERS[name])
    rows, offered = walked(live)
    assert len(rows) > 10
    assert listed(live.label_places()) == rows
    assert live.weighted_sample().n == len(offered)
    live.save(tmp_path / "m")
    loaded = ActiveLearner.load(tmp_path / "m")
    assert listed(loaded.label_places()) == rows


def test_a_learner_that_may_not_ask_says_so_by_its_places() -> None:
    live = ActiveLearner("oracular_iwal1", n_features=1, c0=0.01, random_state=0)
    for i in range(300):
        question = live.ask([float(i % 2) + 0.5])
        if question.wanted:
            live.tell(question, 1 if i % 2 else -1)
    places = live.label_places()
    assert places is not None
    assert live.stats().query_rate < 1
    assert min(places.least.tolist()) in (0.0, 1.0)


def test_pieces_count_as_the_whole() -> None:
    rng = np.random.default_rng(1)
    events = rng.random(500) * np.where(rng.random(500) < 0.2, 1, -1)
    whole, pieces = StreamPlaces(), StreamPlaces()
    whole.count(events)
    for piece in np.split(events, [3, 3, 50, 51, 400]):
        pieces.count(piece)
    for place in (whole, pieces):
        asked = np.flatnonzero(events > 0).tolist()
        assert listed(place.of(asked, asked)) == listed(whole.of(asked, asked))
    assert whole.get_state()["since"] == pieces.get_state()["since"]


@pytest.mark.parametrize(
    "change",
    [
        {"offered": 2},
        {"positions": np.array([1, 1])},
        {"least": np.array([0.5, 2.0])},
        {"probabilities": np.array([0.0, 1.0])},
        {"since": 1.5},
        {"least": np.array([0.5])},
    ],
)
def test_forged_places_are_refused(change: dict[str, Any]) -> None:
    places = StreamPlaces()
    places.count(np.array([-0.5, 1.0, 0.5]))
    state = places.get_state()
    StreamPlaces().set_state(state)
    with pytest.raises(InvalidParameter):
        StreamPlaces().set_state(state | change)


def test_files_of_earlier_versions_have_no_places(tmp_path: Path) -> None:
    from askance.storage.states import read_state, write_state

    live = ActiveLearner("auto", n_features=2, rate=0.3)
    walked(live, 100)
    live.save(tmp_path / "m")
    state = read_state(tmp_path / "m", "active learner")
    counts = state["counts"]
    write_state(
        tmp_path / "forged", "active learner", state | {"counts": [counts[0] + 1, *counts[1:]]}
    )
    with pytest.raises(FileUnreadable):
        ActiveLearner.load(tmp_path / "forged")
    del state["places"], state["learner"]["floor"]
    write_state(tmp_path / "old", "active learner", state)
    old = ActiveLearner.load(tmp_path / "old")
    assert (old.label_places(), old.floor) == (None, None)
    walked(old, 50)
    assert old.label_places() is None


def test_a_floor_is_what_was_known_before_the_first_example() -> None:
    live = ActiveLearner("auto", n_features=1, budget=Budget(total=50), horizon=1000)
    assert live.floor == pytest.approx(0.1 * 50 / 1000)
    live.ask([1.0])
    live.set_budget(Budget(total=500), 1000)
    assert live.floor == pytest.approx(0.1 * 50 / 1000)
    assert ActiveLearner("passive", n_features=1).floor == 1.0
    assert ActiveLearner("iwal0", n_features=1).floor is None
