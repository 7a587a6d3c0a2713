import csv
import random
from pathlib import Path

import pytest

from askance.study.design import Study, read_study

POINTS = """
permutations = 2
budgets = [5, 10, 20]

[[data]]
file = "points.csv"
label = "y"
positive = "yes"
"""

TINY = f"""{POINTS}
[[learners]]
algorithm = "passive"
learning_rate = [0.4, 0.8]

[[learners]]
algorithm = "iwal1"
c0 = [0.01, 0.1]

[[learners]]
algorithm = "online_active_cover"
cover_size = [2, 3]
"""


AUTO = f"""{POINTS}
[[learners]]
algorithm = "auto"
members = ["logistic regression"]

[[learners]]
name = "passive, same mixture"
algorithm = "auto"
members = ["logistic regression"]
uniform_share = 1.0
"""


def write_points(path: Path, n: int = 60) -> None:
    rng = random.Random(1)
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["a", "b", "y"])
        for _ in range(n):
            a, b = rng.gauss(0, 1), rng.gauss(0, 1)
            rows.writerow([f"{a:.3f}", f"{b:.3f}", "yes" if a + b > 0 else "no"])


@pytest.fixture
def tiny_file(tmp_path: Path) -> Path:
    """A study of a few cells over a file of its own."""
    write_points(tmp_path / "points.csv")
    (tmp_path / "tiny.toml").write_text(TINY)
    return tmp_path / "tiny.toml"


@pytest.fixture
def auto_file(tmp_path: Path) -> Path:
    """The same with `auto`, twice, beside the base."""
    write_points(tmp_path / "points.csv")
    (tmp_path / "auto.toml").write_text(AUTO)
    return tmp_path / "auto.toml"


@pytest.fixture
def tiny(tiny_file: Path) -> Study:
    return read_study(tiny_file)
