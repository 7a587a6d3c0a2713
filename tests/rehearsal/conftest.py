import random
from collections.abc import Callable
from pathlib import Path

import pytest

from askance.data.reading.intake import Intake, Reading
from askance.rehearsal.demo import Size, run_demo
from askance.simulate import Contestant


def write_mail(path: Path, n: int = 400, seed: int = 1) -> Path:
    """A file with text, a category, a number, a few gaps, and labels that follow from them."""
    draw = random.Random(seed)
    spam = ["win", "cash", "prize", "free", "now"]
    ham = ["lunch", "report", "notes", "team", "call"]
    lines = ["id,subject,sender,size,spam"]
    for i in range(n):
        positive = draw.random() < 0.4
        words = draw.choices(spam if positive else ham, k=2) + draw.choices(["the", "a", "of"], k=3)
        sender = draw.choice(["shop", "friend"] if draw.random() < 0.8 else ["list"])
        size = "" if draw.random() < 0.1 else f"{draw.gauss(20 - 8 * positive, 5):.1f}"
        label = "" if draw.random() < 0.05 else ("no", "yes")[positive != (draw.random() < 0.1)]
        lines.append(f"m{i},{' '.join(words)},{sender},{size},{label}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def mail(tmp_path) -> Path:
    return write_mail(tmp_path / "mail.csv")


@pytest.fixture
def intake_of() -> Callable[[Path], Intake]:
    return lambda path: Intake(path, Reading(label="spam", id="id", bits=10))


SMALL = Size(permutations=2, stream=300, test=200)

FAST = (
    Contestant("margin sampling", "margin", {"b": 0.1}),
    Contestant("passive", "passive", {}),
)


@pytest.fixture(scope="session")
def small():
    return SMALL


@pytest.fixture(scope="session")
def fast():
    return FAST


@pytest.fixture(scope="session")
def curves():
    return run_demo(FAST, size=SMALL, seed=5)
