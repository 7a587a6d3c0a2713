from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from askance.data.reading.intake import Reading
from askance.scale import PoolPlan

ROWS = 1200


def truth(fields) -> str:
    return "up" if fields["x"] + 0.3 * fields["y"] > 0 else "down"


def plan(**changed) -> PoolPlan:
    """A plan whose fits take no time."""
    options = {
        "budget": 150,
        "questions": 50,
        "reading": Reading(id="doc", bits=8),
        "classes": ("down", "up"),
        "parameters": {"estimator": LogisticRegression()},
        **changed,
    }
    return PoolPlan(**options)


@pytest.fixture
def pool(tmp_path) -> Path:
    rng = np.random.default_rng(0)
    for part in ("a", "b"):
        rows = zip(range(ROWS // 2), *rng.normal(size=(2, ROWS // 2)), strict=True)
        lines = "".join(f"={part}{i},{x:.4f},{y:.4f}\n" for i, x, y in rows)
        (tmp_path / f"pool-{part}.csv").write_text("doc,x,y\n" + lines)
    return tmp_path / "pool-*.csv"


@pytest.fixture
def model(tmp_path) -> Path:
    return tmp_path / "m.askance"
