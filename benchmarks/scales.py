"""What scaling by rows without labels is worth: error at label budgets, with it and without.

``python -m benchmarks.scales`` runs it on the sets of the catalog that hold numbers and on two of
scikit-learn's, and puts the tables into ``docs/scales.md``.
"""

import itertools
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer
from scipy.sparse import csr_array

from askance.data.features.scales import SCALE_ROWS, matrix_terms, scaled
from askance.data.splits import coins, permutation
from askance.engine import stream_of
from askance.kernels.passes import Stream
from askance.rehearsal.comparison import contestant
from askance.simulate import simulate_settings
from askance.study.design import EMBEDDED, Origin
from askance.study.origins import load_origin
from askance.types import Floats

DATASETS = (
    "abalone", "activity", "adult", "bank", "bio", "breast_cancer", "covtype", "digits",
    "eeg-eye-state", "letter", "magic04", "nomao", "shuttle", "skin", "vehv2binary",
)  # fmt: skip
ALGORITHMS = ("passive", "iwal1", "margin", "online_active_cover")
BUDGETS = (100, 300, 1000)
MOST = 5000
"""Examples of a stream at most, and of its test."""

PAGE = Path(__file__).parent.parent / "docs" / "scales.md"


class Found(NamedTuple):
    """Mean test errors over permutations: [algorithm, without or with, budget]."""

    dataset: str
    errors: Floats


def run_dataset(name: str, data_dir: Path | None, permutations: int) -> Found:
    """All algorithms on the first rows of some permutations, without scales and with them."""
    origin = Origin("embedded" if name in EMBEDDED else "catalog", name)
    data = load_origin(origin, data_dir)
    n = min(MOST, int(0.8 * len(data)))
    errors = np.zeros((permutations, len(ALGORITHMS), 2, len(BUDGETS)))
    for j, on in itertools.product(range(permutations), (0, 1)):
        rows = permutation(name, j, len(data))[: n + MOST]
        X = data.csr[rows].toarray().astype(np.float64)
        if on:
            X = scaled(X, *matrix_terms(X[: min(n, SCALE_ROWS)]))
        stream = _stream(X[:n], data.labels[rows[:n]], coins(name, j, n))
        test = _stream(X[n:], data.labels[rows[n:]], np.zeros(0))
        for a, algorithm in enumerate(ALGORITHMS):
            (run,) = simulate_settings(
                [contestant(algorithm, {})], X.shape[1], stream, test, budgets=BUDGETS
            )
            errors[j, a, on] = [row.error for row in run.rows]
    return Found(name, errors.mean(axis=0))


def _stream(X: Floats, labels: Floats, drawn: Floats) -> Stream:
    part = csr_array(X.astype(np.float32))
    return stream_of(part.indptr, part.indices, part.data, labels, drawn, n_features=X.shape[1])


def tables(found: list[Found]) -> str:
    """The summary and the figures of each set, as Markdown."""
    errors = np.array([one.errors for one in found])
    # Beside passive learning as it was.
    less = 1.0 - errors / errors[:, :1, :1]
    gain = 1.0 - errors[:, :, 1] / errors[:, :, 0]
    lines = [
        "| algorithm | less error than with `scale=False`, at 100 / 300 / 1,000 labels "
        "| less than unscaled passive: off | on | sets that got worse |",
        "|---|---|---|---|---|",
    ]
    for a, algorithm in enumerate(ALGORITHMS):
        worse = " / ".join(str(int(count)) for count in (gain[:, a] < 0.0).sum(axis=0))
        shares = [gain[:, a].mean(axis=0), *less[:, a].mean(axis=0)]
        cells = [" / ".join(f"{share:.0%}" for share in row) for row in shares]
        lines.append(f"| `{algorithm}` | {' | '.join(cells)} | {worse} |")
    lines += ["", "| data set | " + " | ".join(f"`{name}`" for name in ALGORITHMS) + " |"]
    lines.append("|---" * (1 + len(ALGORITHMS)) + "|")
    for one in found:
        cells = []
        for off, on in one.errors:
            pairs = zip(off, on, strict=True)
            cells.append(", ".join(f"{100 * a:.1f} → {100 * b:.1f}" for a, b in pairs))
        lines.append(f"| {one.dataset} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main(
    data_dir: Annotated[Path | None, typer.Option(envvar="ASKANCE_DATA")] = None,
    permutations: int = 3,
) -> None:
    """Run all data sets, and put the tables into the page."""
    found = []
    for name in DATASETS:
        found.append(run_dataset(name, data_dir, permutations))
        print(name, flush=True)
    head, start, rest = PAGE.read_text().partition("<!-- tables -->\n")
    _, end, tail = rest.partition("<!-- end of tables -->\n")
    PAGE.write_text(f"{head}{start}\n{tables(found)}\n\n{end}{tail}")


if __name__ == "__main__":
    typer.run(main)
