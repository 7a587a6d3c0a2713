"""Write four data sets with their own classes as CSV files, for studies/classes.toml.

They are made of the raw files of the catalog's letter, shuttle, covtype and 20news, at most 25,000
rows of each, chosen by a fixed seed: ``python tools/classes.py DATA_DIR OUTPUT``.
"""

import argparse
import csv
import random
from collections.abc import Callable, Iterable
from pathlib import Path

from askance.data.catalog.newsgroups import authored
from askance.data.reading.sources import open_bytes, tar_members

MOST = 25_000

Rows = Iterable[list[str]]


def _lines(path: Path) -> list[str]:
    with open_bytes(path) as stream:
        return stream.read().decode("latin1").splitlines()


def letter(folder: Path) -> Rows:
    """Sixteen numbers of a printed letter, and which of 26 it is."""
    lines = [line.split(",") for line in _lines(folder / "letter-recognition.data.xz")]
    rows = [row for row in lines if len(row) == 17 and len(row[0]) == 1]
    return [[f"f{i}" for i in range(16)] + ["class"], *([*row[1:], row[0]] for row in rows)]


def shuttle(folder: Path) -> Rows:
    """Nine numbers of a sensor, and which of seven states it is in."""
    lines = _lines(folder / "shuttle.trn.xz")
    rows = [line.replace(",", " ").split() for line in lines if line.strip()]
    return [[f"f{i}" for i in range(9)] + ["class"], *rows]


def covtype(folder: Path) -> Rows:
    """54 numbers of a piece of land, and which of seven trees cover it."""
    rows = [line.split(",") for line in _lines(folder / "covtype.csv.xz") if line[:1].isdigit()]
    return [[f"f{i}" for i in range(54)] + ["class"], *rows]


def news(folder: Path) -> Rows:
    """What the author of a message wrote, and which of 20 groups it was sent to."""
    found = [
        [" ".join(authored(content.decode("latin1")).split()), name.split("/")[-2]]
        for name, content in sorted(tar_members(folder / "20news-bydate.tar.xz"))
    ]
    return [["text", "class"], *found]


SETS: dict[str, Callable[[Path], Rows]] = {
    "letter": letter,
    "shuttle": shuttle,
    "covtype": covtype,
    "20news": news,
}


def main() -> None:
    """Write them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("output", type=Path)
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    for name, read in SETS.items():
        head, *rows = read(given.data_dir / name)
        if len(rows) > MOST:
            rows = random.Random(0).sample(rows, MOST)
        with (given.output / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([head, *rows])


if __name__ == "__main__":
    main()
