"""Profiles of hypothesis, and what many tests need.

Every run tries the same examples, and fewer of them where nothing is compiled. Where a failure is
expected, nobody needs the smallest example of it.
"""

import contextlib
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest
from hypothesis import Phase, settings

from askance.errors import AskanceError
from askance.types import Label, Row, State

INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")

settings.register_profile("compiled", max_examples=100, deadline=None, derandomize=True)
settings.register_profile("interpreted", max_examples=25, deadline=None, derandomize=True)
settings.register_profile(
    "mutants", settings.get_profile("interpreted"), phases=[Phase.explicit, Phase.generate]
)
settings.load_profile("interpreted" if INTERPRETED else "compiled")

Refused = Callable[..., AbstractContextManager[None]]


@contextlib.contextmanager
def _refused(kind: type[AskanceError], *parts: str) -> Iterator[None]:
    with pytest.raises(AskanceError) as caught:
        yield
    message = str(caught.value)
    assert type(caught.value) is kind, message
    assert "\n" not in message
    assert len(message) < 250
    for part in parts:
        assert part in message


@pytest.fixture
def refused() -> Refused:
    """A block that must raise exactly this error, in one sentence with these parts."""
    return _refused


class ScriptedOracle:
    """An online oracle that says what it is told to, and keeps what it was taught."""

    learning_rate = 0.5

    def __init__(self, margin: float = 1.0, flip: float = 0.0, after: float | None = None) -> None:
        self.f, self.flip, self.after = margin, flip, after
        self.taught: list[tuple[Label, float]] = []
        self.observed = 0

    def observe(self, x: Row) -> None:
        self.observed += 1

    def margin(self, x: Row) -> float:
        return self.f

    def predict(self, x: Row) -> Label:
        return 1 if self.f > 0 else -1

    def learn(self, x: Row, target: Label, weight: float) -> float:
        assert self.observed > len(self.taught), "a row is observed before it is learned"
        self.taught.append((target, weight))
        if self.after is not None:
            self.f = self.after
        return self.f

    def flip_weight(self, x: Row) -> float:
        return self.flip

    def get_state(self) -> State:
        return {"f": self.f}

    def set_state(self, state: State) -> None:
        self.f = state["f"]


@pytest.fixture
def scripted() -> type[ScriptedOracle]:
    return ScriptedOracle
