"""How many labels a bound on the error takes, and whether a stop by it keeps its promise.

``python -m benchmarks.stopping`` puts its tables into ``docs/how-good.md``. It takes about half an
hour on one core; the real data sets must be at hand (``ASKANCE_DATA``).
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from askance import ActiveLearner, Budget
from askance.data.features.scales import SCALE_ROWS, matrix_terms, scaled
from askance.data.splits import permutation
from askance.estimate import error_trajectory
from askance.estimate.held_out import spent_level
from askance.learners.pacing import Prospect, focused
from askance.oracles.mixture import MixtureOracle
from askance.simulate import Seat, run_matrix
from askance.sparse import from_dense
from askance.study.design import EMBEDDED, Origin
from askance.study.origins import load_origin
from askance.types import Floats, Matrix

PAGE = Path(__file__).parent.parent / "docs" / "how-good.md"
MARKS = "<!-- stopping -->\n", "<!-- end of stopping -->\n"
DATASETS = (
    "abalone", "activity", "adult", "bank", "bio", "covtype", "eeg-eye-state", "letter",
    "magic04", "nomao", "shuttle", "skin",
)  # fmt: skip
STREAM, TEST = 5000, 10_000
RATE = 0.05
SHARES = (0.1, 0.3, 0.5, 1.0)
"""Of the labels that are spent uniformly: with 1 that is all of them."""

HELD = (0.0, 0.1, 0.2, 0.3, 0.5)
MOST = 4000
"""Labels after which a bound is given up."""

BUDGET = 1500
PROMISES = (0.05, 0.1, 0.2, 0.3)
ALPHA = 0.05
FIRST, GROWTH = 20, 1.35

app = typer.Typer(pretty_exceptions_enable=False)


class Trial(NamedTuple):
    """A stream and a test, scaled by the first rows of the stream."""

    X: Matrix
    y: Floats
    test: Matrix
    truth: Floats


def trial(name: str, data_dir: Path | None, j: int = 0) -> Trial:
    """Rows of a permutation."""
    data = load_origin(Origin("embedded" if name in EMBEDDED else "catalog", name), data_dir)
    n = min(STREAM, int(0.6 * len(data)))
    rows = permutation(name, j, len(data))[: n + TEST]
    X = data.csr[rows].toarray().astype(np.float64)
    X = scaled(X, *matrix_terms(X[:SCALE_ROWS]))
    y = np.asarray(data.labels[rows])
    return Trial(from_dense(X[:n]), y[:n], from_dense(X[n:]), y[n:])


# ------------------------------------------------------------------ how many labels a bound takes


def labels_for(
    wrong: Floats, P: Floats, target: float, level: float, seeds: Sequence[int]
) -> float:
    """Labels until the error of a fixed classifier is known to be below a target: the median.

    The examples are drawn from those with these losses, and asked about with these P.
    """
    found = []
    for seed in seeds:
        generator = np.random.default_rng(seed)
        drawn = generator.integers(len(P), size=int(MOST / P.mean()))
        places = np.flatnonzero(generator.random(len(drawn)) < P[drawn])[:MOST]
        asked = drawn[places]
        _, high = error_trajectory(
            wrong[asked], P[asked], places, floor=float(P.min()), alpha=level
        )
        below = np.flatnonzero(high <= target)
        found.append(float(below[0] + 1) if len(below) else np.inf)
    return float(np.median(found))


def bounds(one: Trial, seeds: Sequence[int]) -> dict[str, Any]:
    """Labels for twice the error of a forest of 300 labels: by uniform shares, and by levels."""
    oracle = MixtureOracle(n_features=one.X.shape[1], members=["forest"])
    forest = oracle.fit(one.X[:300], one.y[:300], np.ones(300), one.X[:1000])
    shares = forest.probabilities(one.test)
    wrong = (np.where(shares[:, 1] > shares[:, 0], 1, -1) != one.truth).astype(np.float64)
    error, margins = float(wrong.mean()), np.abs(shares[:, 1] - shares[:, 0])
    ahead = Prospect(RATE, 1e9 * RATE, 1e9)
    needed = {}
    for share in SHARES:
        P = focused(ahead, share * RATE, margins, 0.1).probabilities(margins)
        P = np.full(len(margins), RATE) if share == 1 else P
        needed[str(share)] = labels_for(wrong, P, 2 * error, ALPHA, seeds)
    flat = np.full(len(margins), RATE)
    levels = {
        str(j): labels_for(wrong, flat, 2 * error, spent_level(ALPHA, j), seeds)
        for j in (1, 5, 9, 13, 17)
    }
    return {"error": error, "needed": needed, "levels": levels}


def labels_in_all(levels: dict[str, float], share: float) -> float:
    """Labels, held out or not, until what is held out tells: every refit spends some level."""
    known, needed = [int(j) for j in levels], list(levels.values())
    if np.isinf(needed).any():
        return np.inf
    for n in np.geomspace(20, 1e6, 2000):
        j = 1 + max(np.log((1 - share) * n / FIRST) / np.log(GROWTH), 0)
        if share * n >= np.interp(j, known, needed):
            return float(n)
    return np.inf


# ------------------------------------------------------------------ what a stop promises


def stops(one: Trial, share: float, seed: int) -> dict[str, Any]:
    """A run of ``auto`` with a forest: its error, and where each promise would have ended it."""
    n = one.X.shape[0]
    live = ActiveLearner(
        "auto",
        n_features=one.X.shape[1],
        members=["forest"],
        random_state=seed,
        budget=Budget(total=min(BUDGET, n // 3)),
        horizon=n,
        hold_out=share,
    )
    promised: dict[str, tuple[int, float]] = {}
    broken, errors = False, {}

    def look(examples: int, labels: int) -> None:
        nonlocal broken
        current = live.stats().current
        if current is None:
            return
        if current.of not in errors:
            errors[current.of] = float(np.mean(live.learner.predicted(one.test) != one.truth))
        error = errors[current.of]
        broken |= not current.low <= error <= current.high
        for promise in PROMISES:
            if current.high <= promise:
                promised.setdefault(str(promise), (labels, error))

    run_matrix(Seat(live), one.X, one.y.tolist().__getitem__, look if share else None)
    live.settle()
    error = float(np.mean((live.margins(one.test) > 0) != (one.truth > 0)))
    stats = live.stats()
    crossfit, current = stats.crossfit, stats.current
    return {
        "share": share,
        "labels": stats.answered,
        "error": error,
        "broken": broken,
        "promised": promised,
        "high": None if current is None else current.high,
        "crossfit": None if crossfit is None else crossfit[:3],
        "progressive": None if stats.error is None else stats.error[:3],
    }


# ------------------------------------------------------------------ tables


def percent(value: float) -> str:
    """A share for a table."""
    return f"{100 * value:.1f}%"


def counted(value: float) -> str:
    """Labels for a table."""
    return f"{value:,.0f}" if np.isfinite(value) else f"over {MOST:,}"


def tables(found: dict[str, dict[str, Any]]) -> Iterator[str]:
    """What was found, set by set, and in all."""
    yield (
        "| data | error | "
        + " | ".join("uniform" if share == 1 else f"eps {share:.1f}" for share in SHARES)
        + " | "
        + " | ".join(f"held out {share:.0%}" for share in HELD[1:])
        + " |"
    )
    yield "|---" * (2 + len(SHARES) + len(HELD) - 1) + "|"
    for name, one in found.items():
        bound = one["bounds"]
        cells = [counted(bound["needed"][str(share)]) for share in SHARES]
        for share in HELD[1:]:
            n = labels_in_all(bound["levels"], share)
            cells.append(f"{n:,.0f}" if np.isfinite(n) else f"over {MOST / share:,.0f}")
        yield f"| {name} | {percent(bound['error'])} | " + " | ".join(cells) + " |"
    yield ""
    runs = [run for one in found.values() for run in one["stops"]]
    yield (
        "| held out | mean error at the end | its upper bound | "
        + " | ".join(f"stops at {promise:.0%}" for promise in PROMISES)
        + " | broken | ever wrong |"
    )
    yield "|---" * (5 + len(PROMISES)) + "|"
    for share in HELD:
        yield _row_of_stops(share, [run for run in runs if run["share"] == share])


def _row_of_stops(share: float, runs: list[dict[str, Any]]) -> str:
    error = percent(float(np.mean([run["error"] for run in runs])))
    if not share:
        return f"| none | {error} |" + " |" * (3 + len(PROMISES))
    high = percent(float(np.mean([run["high"] for run in runs])))
    cells, stopped, broken = [], 0, 0
    for promise in PROMISES:
        ends = [run["promised"][str(promise)] for run in runs if str(promise) in run["promised"]]
        stopped += len(ends)
        broken += sum(error > promise for _, error in ends)
        labels = f", {np.median([labels for labels, _ in ends]):,.0f} labels" if ends else ""
        cells.append(f"{len(ends)} of {len(runs)}{labels}")
    ever = sum(run["broken"] for run in runs)
    cells += [f"{broken} of {stopped}", f"{ever} of {len(runs)}"]
    return f"| {share:.0%} | {error} | {high} | " + " | ".join(cells) + " |"


@app.command()
def main(
    data: Annotated[Path | None, typer.Option(help="Folder of the data sets.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Trajectories for each number.")] = 5,
    runs: Annotated[int, typer.Option(min=1, help="Runs for each share and data set.")] = 1,
    cache: Annotated[Path, typer.Option(help="File of results, which are not computed twice.")] = (
        Path("stopping.json")
    ),
    page: Annotated[Path, typer.Option(help="Markdown file to put the tables into.")] = PAGE,
) -> None:
    """Measure, and write the tables."""
    found = json.loads(cache.read_text()) if cache.exists() else {}
    for name in DATASETS:
        if name in found:
            continue
        one = trial(name, data)
        result = {"bounds": bounds(one, range(seeds))}
        result["stops"] = [stops(one, share, seed) for seed in range(runs) for share in HELD]
        found[name] = result
        cache.write_text(json.dumps(found))
        typer.echo(name)
    before, rest = page.read_text().split(MARKS[0])
    _, after = rest.split(MARKS[1])
    body = "\n".join(["", *tables(found), ""])
    page.write_text(f"{before}{MARKS[0]}{body}\n{MARKS[1]}{after}")


if __name__ == "__main__":
    app()
