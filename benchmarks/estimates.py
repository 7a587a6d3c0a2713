"""How wide the intervals of an error are, and what they cost, for the page "How good is it".

``python -m benchmarks.estimates`` puts its tables into ``docs/how-good.md``, a minute later.
"""

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from askance import ActiveLearner
from askance.estimate import FixedError, ProgressiveError, error_trajectory
from askance.estimate.measures import wilson
from askance.estimate.sequences import ErrorSequence
from askance.live import Budget
from askance.types import Floats, Integers

PAGE = Path(__file__).parent.parent / "docs" / "how-good.md"
MARKS = "<!-- tables -->\n", "<!-- end of tables -->\n"
LABELS = (100, 300, 1000)
ERRORS = (0.005, 0.05, 0.2, 0.4)
RATE = 0.05
"""The share of examples that is asked about."""

NORMAL = 1.959963984540054

MANY = 10_000
"""Labels after which an interval is timed."""

LIVE: dict[str, dict[str, Any]] = {
    "`margin`": {"learner": "margin", "b": 2.0},
    "`margin`, a part held out,": {"learner": "margin", "b": 2.0, "hold_out": 0.3},
    "`auto`, a part held out,": {
        "learner": "auto",
        "budget": Budget(total=MANY + 1000),
        "horizon": int(1.5 * MANY),
        "hold_out": 0.3,
    },
}

app = typer.Typer(pretty_exceptions_enable=False)


class Sample(NamedTuple):
    """The labels that were bought: losses, P, and positions in the stream; P is never lower."""

    losses: Floats
    P: Floats
    positions: Integers
    floor: float


def plain(error: float, generator: np.random.Generator) -> Sample:
    """Every label is asked for."""
    n = max(LABELS)
    losses = generator.random(n) < error
    return Sample(losses.astype(float), np.ones(n), np.arange(n), 1.0)


def paced(error: float, generator: np.random.Generator, spread: float = 0.3) -> Sample:
    """A part of the labels is spent alike, the rest on a tenth of the stream with most errors."""
    n = int(1.5 * max(LABELS) / RATE)
    hard = generator.random(n) < 0.1
    P = np.where(hard, RATE * (1 + 9 * (1 - spread)), RATE * spread)
    there = min(5 * error, 0.5)
    elsewhere = (error - 0.1 * there) / 0.9
    wrong = generator.random(n) < np.where(hard, there, elsewhere)
    positions = np.flatnonzero(generator.random(n) < P)
    return Sample(wrong[positions].astype(float), P[positions], positions, RATE * spread)


SAMPLES: dict[str, Callable[[float, np.random.Generator], Sample]] = {
    "every label": plain,
    "asked where unsure": paced,
}


def widths(sample: Sample, labels: int) -> Iterator[tuple[float, float]]:
    """Bounds after so many labels, by each method."""
    losses, P, positions, floor = sample
    first = slice(0, labels)
    n = int(positions[labels - 1]) + 1
    for kind in (FixedError, ProgressiveError):
        low, high = error_trajectory(
            losses[first], P[first], positions[first], floor=floor, of=kind
        )
        yield float(low[-1]), float(high[-1])
    terms = losses[first] / P[first]
    mean = float(terms.sum()) / n
    half = math.sqrt(math.log(40) / (2 * n)) / floor
    yield max(mean - half, 0.0), min(mean + half, 1.0)
    spread = NORMAL * math.sqrt(max(float((terms**2).sum()) / n - mean**2, 0.0) / n)
    yield max(mean - spread, 0.0), min(mean + spread, 1.0)


METHODS = ("fixed classifier", "one that learns", "Hoeffding", "normal", "Wilson, uniform labels")


def width_table(runs: int) -> Iterator[str]:
    """Mean bounds, in percent."""
    yield "| labels | error | sample | " + " | ".join(METHODS) + " |"
    yield "|---|---|---|" + "---|" * len(METHODS)
    for labels in LABELS:
        for error in ERRORS:
            for name, draw in SAMPLES.items():
                drawn = [draw(error, np.random.default_rng([7, run])) for run in range(runs)]
                bounds = np.array([list(widths(sample, labels)) for sample in drawn])
                seen = np.random.default_rng(7).binomial(labels, error, runs) / labels
                last = np.array([wilson(share, labels, 0.05) for share in seen])
                columns = [*np.moveaxis(bounds, 1, 0), last]
                cells = " | ".join(_range(*column.mean(axis=0)) for column in columns)
                yield f"| {labels:,} | {100 * error:g}% | {name} | {cells} |"


def _range(low: float, high: float) -> str:
    return f"{100 * low:.1f} to {100 * high:.1f}%"


def cost_table(many: int) -> Iterator[str]:
    """Processor time of an interval after so many labels, and of them all."""
    generator = np.random.default_rng(0)
    losses = (generator.random(many) < 0.05).astype(float)
    P = generator.uniform(RATE, 1.0, many)
    # Between two labels the smallest P of the others is known, as it is of an exported sample.
    positions = np.cumsum(generator.geometric(RATE, many)) - 1
    least = generator.uniform(RATE, P)
    yield f"| of | floor of P | a label and its interval, after {many:,} labels | all of them |"
    yield "|---|---|---|---|"
    kinds = {"a fixed classifier": FixedError, "one that learns": ProgressiveError}
    for name, kind in kinds.items():
        for floor in (RATE, None):
            one = _incremental(kind(floor=floor), losses, P, least)
            started = time.process_time()
            error_trajectory(
                losses, P, positions, floor=floor, of=kind, least=None if floor else least
            )
            whole = time.process_time() - started
            yield f"| {name} | {'known' if floor else 'none'} | {one:.2f} ms | {whole:.2f} s |"
    for name, settings in LIVE.items():
        yield f"| all that `stats()` of {name} says | | {_live(many, **settings):.2f} ms | |"


def _incremental(sequence: ErrorSequence, losses: Floats, P: Floats, least: Floats) -> float:
    """Milliseconds for each label more, with its interval."""
    for loss, p, q in zip(losses.tolist(), P.tolist(), least.tolist(), strict=True):
        sequence.skip(19, probability=q)
        sequence.add(loss, p)
    more = losses[:1000].tolist()
    started = time.process_time()
    for loss, p, q in zip(more, P.tolist(), least.tolist(), strict=False):
        sequence.skip(19, probability=q)
        sequence.add(loss, p)
        sequence.interval()
    return 1000 * (time.process_time() - started) / len(more)


def _live(many: int, **settings: Any) -> float:
    """Milliseconds of ``stats`` after each label that follows the first so many."""
    learner = ActiveLearner(n_features=3, random_state=0, **settings)
    generator = np.random.default_rng(0)
    labels, took = 0, 0.0
    while labels < many + 300:
        x = generator.random(3)
        question = learner.ask(x)
        if question.wanted:
            learner.tell(question, 1 if x.sum() + 0.3 * generator.standard_normal() > 1.5 else -1)
            labels += 1
            started = time.process_time()
            if labels > many:
                learner.stats()
            took += time.process_time() - started
    return 1000 * took / 300


@app.command()
def main(
    runs: Annotated[int, typer.Option(help="Samples of each kind.")] = 100,
    labels: Annotated[int, typer.Option(help="After how many labels costs are measured.")] = MANY,
    page: Annotated[Path, typer.Option(help="The page with the tables.")] = PAGE,
) -> None:
    """Measure, and put the tables into the page."""
    text = page.read_text()
    head, begin, rest = text.partition(MARKS[0])
    _, end, tail = rest.partition(MARKS[1])
    tables = "\n\n".join("\n".join(table) for table in (width_table(runs), cost_table(labels)))
    page.write_text(f"{head}{begin}\n{tables}\n\n{end}{tail}")


if __name__ == "__main__":
    app()
