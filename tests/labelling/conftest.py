"""A file to label, and how to compare two labellings."""

import random
from pathlib import Path

import numpy as np
import pytest

from askance.files import read_state
from askance.intake import Reading
from askance.labelling.session import Session
from askance.labelling.settings import Settings


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
