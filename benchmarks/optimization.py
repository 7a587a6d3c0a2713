"""How long (OP) takes on a sample: points, classifiers and tolerance."""

import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from scipy.sparse import csr_array

from askance.learners.coordinate_ascent import Limits, Problem, solve
from askance.learners.sample import Snapshot
from askance.oracles.finite import VoteOracle
from askance.theory.report import markdown_table, save_result
from askance.types import State

FLOOR = 0.02


def make_problem(points: int, classifiers: int, rng: np.random.Generator) -> Problem:
    """A region of all points, and classifiers that differ from the ERM on 0.5% to 3% of them.

    The ERM is classifier 0, which is right everywhere; the regret term is small, so every
    constraint binds and the cover needs every classifier.
    """
    rates = np.concatenate([[0.0], np.geomspace(0.005, 0.03, classifiers)])
    dissent = rng.random((points, classifiers + 1)) < rates
    X = csr_array(np.column_stack([np.ones(points), dissent]).astype(float))
    oracle = VoteOracle(classifiers + 1)
    labels = np.ones(points, dtype=int)
    return Problem(
        points=X,
        predicted=labels,
        count=points,
        sample=Snapshot(X[:1000], labels[:1000], np.ones(1000), 1000),
        erm=oracle.classifiers[0],
        limits=Limits(alpha=1.0, regret_scale=0.01, slack=1e-3, floor=FLOOR),
    )


def measure(points: int, classifiers: int, tolerance: float) -> State:
    """One solve, timed."""
    problem = make_problem(points, classifiers, np.random.default_rng(0))
    oracle = VoteOracle(classifiers + 1)
    start = time.perf_counter()
    solution = solve(problem, oracle, tolerance=tolerance)
    return {
        "points": points,
        "classifiers": classifiers,
        "epsilon": tolerance,
        "seconds": time.perf_counter() - start,
        "steps": solution.iterations,
        "oracle_calls": sum(step.called_oracle for step in solution.steps),
        "in_the_cover": int(np.sum(solution.cover.multipliers > 0)),
        "converged": solution.converged,
    }


def main(out: Annotated[Path, typer.Option()] = Path("docs/theory/optimization.json")) -> None:
    """Grow the sample, then the class, then the precision."""
    console = Console()
    settings = [(u, 100, 1e-3) for u in (1000, 10_000, 100_000, 300_000)]
    settings += [(100_000, h, 1e-3) for h in (10, 30)]
    settings += [(100_000, 100, e) for e in (1e-1, 1e-2)]
    lines = [measure(*setting) for setting in settings]
    save_result({"table": lines}, out)
    console.print(markdown_table(lines))


if __name__ == "__main__":
    typer.run(main)
