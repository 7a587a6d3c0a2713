"""Profiles of hypothesis, and what many tests need.

Every run tries the same examples, and fewer of them where nothing is compiled. Where a failure is
expected, nobody needs the smallest example of it.
"""

import contextlib
import importlib
import os
import random
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, settings
from threadpoolctl import threadpool_limits

import askance
from askance.data.reading.intake import Reading
from askance.errors import AskanceError
from askance.labelling.session import Session
from askance.labelling.settings import Settings
from askance.storage.states import read_state
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


RunScript = Callable[..., subprocess.CompletedProcess[str]]


def _run_script(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(Path(askance.__file__).parents[1])}
    command = [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def run_script() -> RunScript:
    """Runs Python code in a process of its own, which may die."""
    return _run_script


@pytest.fixture
def killed_while_writing() -> Callable[[Path], Path]:
    """Lets a process die while it writes a file, and gives what it left behind."""

    def kill(path: Path) -> Path:
        script = """
            import os, signal, sys
            from askance.storage.files import write_atomically
            with write_atomically(sys.argv[1]) as file:
                file.write(b"half")
                file.flush()
                os.kill(os.getpid(), signal.SIGKILL)
        """
        before = set(path.parent.iterdir())
        assert _run_script(script, path).returncode != 0
        (left,) = set(path.parent.iterdir()) - before
        return left

    return kill


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


@pytest.fixture
def small_trees(monkeypatch):
    """Forests of a few trees, fitted by one thread, where it does not matter how good they are."""
    importlib.import_module("askance.oracles.mixture")
    for name, module in list(sys.modules.items()):
        if name.startswith("askance.oracles.") and hasattr(module, "TREES"):
            monkeypatch.setattr(module, "TREES", 10)
    with threadpool_limits(1, "blas"):
        yield


# --- a file to label, and how to compare two labellings: for labelling/ and terminal/


@pytest.fixture
def mail(tmp_path) -> Path:
    """Two hundred made-up records with a category, a number and text."""
    draw = random.Random(5)
    lines = ["sender,size,subject"]
    for _ in range(200):
        words = draw.choices(["win", "cash", "report", "lunch", "now", "the"], k=5)
        lines.append(f"{draw.choice(['ann', 'bob'])},{draw.randint(1, 99)},{' '.join(words)}")
    path = tmp_path / "mail.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def begun(tmp_path, mail):
    """Begin a labelling in a folder of its own."""

    def begin(name: str | Path, **settings) -> Path:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        wanted = Settings(
            **{"parameters": {"cover_size": 2}, "reading": Reading(bits=8), **settings}
        )
        Session.begin(folder, wanted.settled(mail))
        return folder

    return begin


def _plain(value):
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


@pytest.fixture
def state_of(tmp_path):
    """Everything that a learner saves, to be compared bit for bit."""

    def state(session: Session):
        session.learner.save(tmp_path / "compared.askance")
        return _plain(read_state(tmp_path / "compared.askance", "active learner"))

    return state
