"""What a label budget buys: error after 30 to 1,000 labels on the sets of the catalog.

``python -m benchmarks.labels run`` adds the runs that are missing to
``docs/results/labels/runs.jsonl``, one line each, so it can be stopped at any time;
``python -m benchmarks.labels report`` puts the tables into the page beside it.

Whole streams of at most 20,000 examples are offered, and up to 5,000 others are tested on. Every
constant of `auto` was chosen on the first half of the sets.
"""

import itertools
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.progress import track

from askance.data.catalog import load
from askance.data.splits import coins, permutation
from askance.engine import stream_of
from askance.presets import make_learner
from askance.rehearsal.comparison import contestant
from askance.simulate import run_blocks, simulate_settings
from askance.types import Matrix

CHOSEN_ON = (
    "20news", "abalone", "adult", "bio", "covtype", "ijcnn1", "magic04", "nomao", "shuttle", "w8a",
)  # fmt: skip
HELD_OUT = (
    "a9a", "activity", "bank", "census", "eeg-eye-state", "letter", "mushroom", "rcv1", "skin",
    "vehv2binary", "titanic",
)  # fmt: skip
BUDGETS = (30, 100, 300, 1000)
MOST, TESTED = 20_000, 5000
FOLDER = Path(__file__).parent.parent / "docs" / "results" / "labels"

LINEAR = ("passive", "online_active_cover", "iwal1", "margin")
AUTO: dict[str, dict[str, Any]] = {
    "auto": {},
    "auto, all examples alike": {"uniform_share": 1.0},
    "auto, uniform_share=0.02": {"uniform_share": 0.02},
    "auto, uniform_share=0.05": {"uniform_share": 0.05},
    "auto, uniform_share=0.3": {"uniform_share": 0.3},
    "auto, surest questions": {"focus": 1e-6},
    "auto, focus=0.3": {"focus": 0.3},
    "auto, fit_clip=5": {"fit_clip": 5.0},
    "auto, vote_clip=1": {"vote_clip": 1.0},
    "auto, logistic regression": {
        "members": ["logistic regression", "logistic regression of words"]
    },
    "auto, forest": {"members": ["forest", "logistic regression of topics"]},
    "auto, extra trees": {"members": ["extra trees", "naive Bayes of words"]},
    "auto, boosted trees": {"members": ["boosted trees", "naive Bayes of words"]},
}

app = typer.Typer(pretty_exceptions_enable=False)


class Split:
    """A permutation of a data set: what is offered, and what is tested on."""

    def __init__(self, name: str, j: int, data_dir: Path | None) -> None:
        data = load(name, data_dir)
        n = len(data)
        tested = min(n // 5, TESTED)
        rows = permutation(name, j, n)[: tested + MOST]
        self.X: Matrix = data.csr[rows[tested:]].astype(np.float64)
        self.y = data.labels[rows[tested:]]
        self.test, self.truth = (
            data.csr[rows[:tested]].astype(np.float64),
            data.labels[rows[:tested]],
        )
        self.coins = coins(name, j, len(self.y))
        self.name, self.j = name, j


def run_linear(split: Split, algorithm: str, budgets: list[int]) -> Iterator[dict[str, Any]]:
    """The paper's algorithms, at their suggested settings."""
    started = time.process_time()
    X, test = split.X, split.test
    d = X.shape[1]
    stream = stream_of(X.indptr, X.indices, X.data, split.y, split.coins, n_features=d)
    tested = stream_of(test.indptr, test.indices, test.data, split.truth, n_features=d)
    (run,) = simulate_settings([contestant(algorithm, {})], d, stream, tested, budgets=budgets)
    seconds = time.process_time() - started
    for row in run.rows:
        yield {"budget": row.budget, "labels": row.queries, "error": row.error, "seconds": seconds}


def run_auto(split: Split, options: dict[str, Any], budgets: list[int]) -> Iterator[dict[str, Any]]:
    """`auto`, once for each budget."""
    labels = split.y.tolist()
    own = {
        name: options[name] for name in options if name not in ("members", "fit_clip", "vote_clip")
    }
    for budget in budgets:
        started = time.process_time()
        learner = make_learner(
            "auto",
            n_features=split.X.shape[1],
            budget=budget,
            horizon=len(labels),
            seed=split.j,
            **own,
        )
        for name in options.keys() - own.keys():
            setattr(learner.oracle, name, options[name])
        run = run_blocks(learner, split.X, split.coins, labels.__getitem__, limit=budget)
        learner.settle()
        wrong = learner.predict_many(split.test) != split.truth
        yield {
            "budget": budget,
            "labels": run.queries,
            "examples": run.examples,
            "error": float(np.mean(wrong)),
            "seconds": time.process_time() - started,
            "members": getattr(learner.classifier, "weights", {}),
        }


@app.command()
def run(
    contestants: Annotated[list[str] | None, typer.Argument()] = None,
    data_dir: Annotated[Path | None, typer.Option(envvar="ASKANCE_DATA")] = None,
    permutations: int = 5,
    budgets: str = ",".join(map(str, BUDGETS)),
    datasets: str = ",".join((*CHOSEN_ON, *HELD_OUT)),
) -> None:
    """Run what is missing."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / "runs.jsonl"
    done = {(r["data"], r["j"], r["name"], r["budget"]) for r in read(path)}
    wanted = [int(one) for one in budgets.split(",")]
    names = contestants or [*LINEAR, "auto", "auto, all examples alike"]
    tasks = list(itertools.product(range(permutations), datasets.split(",")))
    with path.open("a") as file:
        for j, data in track(tasks):
            split = None
            for name in names:
                missing = [b for b in wanted if (data, j, name, b) not in done]
                if not missing:
                    continue
                split = split or Split(data, j, data_dir)
                fits = [b for b in missing if 3 * b <= len(split.y)]
                made = (
                    run_linear(split, name, fits)
                    if name in LINEAR
                    else run_auto(split, AUTO[name], fits)
                )
                for row in made if fits else ():
                    file.write(json.dumps({"data": data, "j": j, "name": name, **row}) + "\n")
                    file.flush()


def read(path: Path) -> list[dict[str, Any]]:
    """The runs so far; a line that a kill cut off is left out."""
    found = []
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


@app.command()
def report() -> None:
    """Put the tables of the runs so far into the page."""
    runs = read(FOLDER / "runs.jsonl")
    page = [tables(runs, half, budgets=BUDGETS) for half in (CHOSEN_ON, HELD_OUT)]
    titles = ("## Sets on which its constants were chosen", "## Sets that were held out")
    text = "\n\n".join(f"{title}\n\n{table}" for title, table in zip(titles, page, strict=True))
    readme = FOLDER / "README.md"
    head, mark, _ = readme.read_text().partition("<!-- tables -->\n")
    readme.write_text(f"{head}{mark}\n{text}\n")


def tables(runs: list[dict[str, Any]], half: Sequence[str], budgets: Sequence[int]) -> str:
    """Less error than passive learning, mean over sets, and the errors of each set."""
    errors: dict[tuple[str, str, int], dict[int, float]] = {}
    for row in runs:
        errors.setdefault((row["data"], row["name"], row["budget"]), {})[row["j"]] = row["error"]
    names = sorted({name for _, name, _ in errors}, key=[*LINEAR, *AUTO].index)
    lines = [
        "| contestant | " + " | ".join(f"{b:,} labels" for b in budgets) + " |",
        "|---|" + "---|" * len(budgets),
    ]
    lines += [
        f"| {name} | " + " | ".join(_less(errors, half, name, b) for b in budgets) + " |"
        for name in names
    ]
    main = [name for name in ("passive", "auto, all examples alike", "auto") if name in names]
    lines += [
        "",
        "Mean errors, in percent: " + " / ".join(main) + ".",
        "",
        "| data set | " + " | ".join(f"{b:,} labels" for b in budgets) + " |",
        "|---|" + "---|" * len(budgets),
    ]
    for data in half:
        cells = [" / ".join(_mean(errors.get((data, name, b))) for name in main) for b in budgets]
        lines.append(f"| {data} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _mean(found: dict[int, float] | None) -> str:
    return "" if found is None else f"{100 * np.mean(list(found.values())):.1f}"


def _less(
    errors: dict[tuple[str, str, int], dict[int, float]],
    half: Sequence[str],
    name: str,
    budget: int,
) -> str:
    """How much less error than passive learning, over the permutations that both have."""
    gains = []
    for data in half:
        ours, theirs = (errors.get((data, one, budget), {}) for one in (name, "passive"))
        both = ours.keys() & theirs.keys()
        if both and (passive := np.mean([theirs[j] for j in both])) > 0:
            gains.append(1 - np.mean([ours[j] for j in both]) / passive)
    return f"{100 * np.mean(gains):+.0f}% ({len(gains)} sets)" if gains else ""


if __name__ == "__main__":
    app()
