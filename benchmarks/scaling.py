"""How our time and memory grow."""

from pathlib import Path

import numpy as np

from benchmarks import ours
from benchmarks.streams import dense, prepare, sparse
from benchmarks.table import Section
from benchmarks.timing import Bench, Job

__all__ = ["memory_section", "scaling_section"]

COVER: ours.Setting = ("online_active_cover", {"cover_size": 12, "c0": 0.1})
LONGEST = 4000
"""Non-zeros of the longest rows."""

MOST = 0.15
MOST_MEGABYTES = 600


def _series(folder: Path, n: int) -> dict[str, list[tuple[int, Job]]]:
    """Sizes and jobs, each size twice the one before."""
    streams = {m: prepare(folder / f"n{m}", *dense(m, 50), text=False) for m in _doubled(n)}
    few = n // 25
    wide = {d: prepare(folder / f"d{d}", *dense(few, d), text=False) for d in _doubled(LONGEST)}
    counts = [8, 16, 32, 64]
    return {
        "examples": [(m, Job(ours.run, (data, COVER))) for m, data in streams.items()],
        "non-zeros": [(d, Job(ours.run, (data, COVER))) for d, data in wide.items()],
        "lanes": [
            (13 * count, Job(ours.run_lanes, (streams[n // 4], [COVER] * count)))
            for count in counts
        ],
    }


def _doubled(last: int) -> list[int]:
    return [last // 8, last // 4, last // 2, last]


def scaling_section(bench: Bench, folder: Path, n: int) -> Section:
    """Exponents of time as a power of examples, non-zeros and lanes."""
    rows = []
    for name, jobs in _series(folder, n).items():
        named = {f"ours {size}": job for size, job in jobs}
        said = bench.alternate(named)
        sizes = [size for size, _ in jobs]
        seconds = [said[key]["cpu"].best for key in named]
        slope = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
        holds = "yes" if abs(slope - 1.0) <= MOST else "**no**"
        shown = ", ".join(f"{s:,}: {t:.3f}" for s, t in zip(sizes, seconds, strict=True))
        rows.append([name, shown, f"{slope:.2f}", holds])
    text = (
        "Net processor seconds of Online Active Cover with a cover of 12 on dense rows, and the "
        f"exponent that fits them best; it holds if it is within {MOST:g} of 1. Rows have 50 "
        f"non-zeros, but from {LONGEST // 8} to {LONGEST:,} where those grow: what is spent once "
        "an example, whatever its length, then hardly counts, and the state, 64 to 512 kB, is at "
        "all lengths too large for the first level of most caches and small enough for the second."
    )
    return Section("Scaling", text, ["of", "seconds by size", "exponent", "holds"], rows)


def memory_section(bench: Bench, folder: Path) -> Section:
    """Memory of a large cover on very many features."""
    data = prepare(folder / "wide", *sparse(1000, 10**6, 30), text=False)
    setting: ours.Setting = ("online_active_cover", {"cover_size": 48, "c0": 0.1})
    found = bench.once("memory", Job(ours.memory, (data, setting)))
    said, state = found["megabytes"], found["state"]
    if said < state:
        return Section("Memory", f"Not measured: {said:.0f} MB is less than the state itself.")
    holds = "holds" if said < MOST_MEGABYTES else "**does not hold**"
    text = (
        f"Cover 48 on one million features takes {said:.0f} MB, every page touched, {state:.0f} of "
        f"them the state, which is {state / 49:.2f} bytes for each feature and lane; the limit of "
        f"{MOST_MEGABYTES} MB {holds}."
    )
    return Section("Memory", text)
