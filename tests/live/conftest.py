"""Learners that ask and tell, a stream to ask about, and what was logged of it."""

import tempfile
from pathlib import Path
from typing import Any

from sklearn.naive_bayes import GaussianNB

import askance
from askance.checks.made_examples import Example, make_stream
from askance.live import ActiveLearner, Question
from askance.types import Decision, Label, Row, State

STREAM = make_stream(seed=8, n_features=4, length=60)
ALGORITHMS: dict[str, dict[str, Any]] = {
    "passive": {},
    "margin": {},
    "iwal0": {"c0": 0.02},
    "iwal1": {"c0": 0.05},
    "oracular_iwal0": {"c0": 0.05},
    "oracular_iwal1": {"c0": 0.3},
    "online_active_cover": {"c0": 0.1, "cover_size": 2},
}
LEARNERS = ALGORITHMS | {"auto": {"estimator": GaussianNB(), "rate": 0.3, "lag": 2}}


def make(name: str = "iwal1", **settings: Any) -> ActiveLearner:
    return ActiveLearner(name, **({"n_features": 4, "random_state": 1} | LEARNERS[name] | settings))


def snapshot(live: ActiveLearner) -> bytes:
    """Everything that a file holds of it."""
    with tempfile.TemporaryDirectory() as folder:
        live.save(Path(folder) / "live")
        return (Path(folder) / "live").read_bytes()


class Logged:
    """A learner that keeps the coins it saw and a log of what it learned, and never asks twice."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.coins: list[float] = []
        self.log: list[tuple[Row, Decision, Label | None]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def decide(self, x: Row, coin: float) -> Decision:
        self.coins.append(coin)
        decision: Decision = self.inner.decide(x, coin)
        return decision

    def learn(self, x: Row, decision: Decision, label: Label | None) -> None:
        self.log.append((x, decision, label))
        self.inner.learn(x, decision, label)


def logged(name: str = "iwal1", **settings: Any) -> tuple[ActiveLearner, Logged]:
    learner = Logged(askance.make_learner(name, n_features=4, **LEARNERS[name]))
    return ActiveLearner(learner, **({"random_state": 1} | settings)), learner


class Guesser:
    """Learns its own guesses for ever, save for every n-th example."""

    def __init__(self, every: int) -> None:
        self.k, self.mean_error, self.every = 0, 0.0, every

    def predict(self, x: Row) -> Label:
        return 1

    def decide(self, x: Row, coin: float) -> Decision:
        asks = self.k % self.every == 1
        return Decision(1, asks, float(asks), asks, self.k, 0.0, 0.0)

    def learn(self, x: Row, decision: Decision, label: Label | None) -> None:
        self.k += 1

    def get_state(self) -> State:
        return {"k": self.k}

    def set_state(self, state: State) -> None:
        self.k = state["k"]


def ask_all(live: ActiveLearner, stream: list[Example]) -> list[Question]:
    return [live.ask(step.row) for step in stream]


def answer_all(live: ActiveLearner, stream: list[Example]) -> list[Question]:
    """Each label at once."""
    questions = []
    for step in stream:
        questions.append(live.ask(step.row))
        if questions[-1].wanted:
            live.tell(questions[-1], step.label)
    return questions


def first_wanted(live: ActiveLearner) -> Question:
    return next(question for question in ask_all(live, STREAM) if question.wanted)
