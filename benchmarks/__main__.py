"""Time askance and its peers: ``python -m benchmarks``, or ``make bench``."""

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import ours, vw
from benchmarks.grid import grid_rows, prepare_adult
from benchmarks.parts import live_section, pass_section
from benchmarks.peers import ROWS as ROWS_OF_PEERS
from benchmarks.peers import class_step_rows, peer_rows, step_rows
from benchmarks.scaling import memory_section, scaling_section
from benchmarks.single import class_rows, cover_rows, passive_rows
from benchmarks.streams import Prepared, dense, prepare, sparse
from benchmarks.table import Circumstances, Ratio, Section, document, renewed
from benchmarks.timing import Bench, Job

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
PARTS = (
    "passive",
    "sparse",
    "dense",
    "classes",
    "grid",
    "scaling",
    "memory",
    "peers",
    "steps",
    "profile",
)

Found = tuple[list[Ratio], *tuple[Section, ...]]


class Run:
    """What the rows of one benchmark share: streams, workers and sizes."""

    def __init__(self, bench: Bench, folder: Path, quick: bool) -> None:
        self.bench, self.folder, self.quick = bench, folder, quick
        self.n = 20_000 if quick else 200_000
        self._streams: dict[str, Prepared] = {}

    def stream(self, name: str) -> Prepared:
        """A stream with Vowpal Wabbit's cache file, made once; both sides have seen it."""
        if name not in self._streams:
            made = sparse(self.n, 10_000, 30) if "of" in name else dense(self.n, 50)
            data = prepare(self.folder / name.split()[0], *made)
            self.bench.once("vw", Job(vw.read, (data,)))
            self.bench.once("ours", Job(ours.run, (data, ("passive", {}))))
            self._streams[name] = data
        return self._streams[name]

    def passive(self) -> Found:
        ratios, section = passive_rows(self.bench, SPARSE, self.stream(SPARSE))
        more, other = passive_rows(self.bench, DENSE, self.stream(DENSE))
        return ratios + more, section._replace(
            title="Passive", rows=[*section.rows, *other.rows], text="Sparse, then dense."
        )

    def sparse(self) -> Found:
        return cover_rows(self.bench, SPARSE, self.stream(SPARSE), self.n)

    def dense(self) -> Found:
        return cover_rows(self.bench, DENSE, self.stream(DENSE), self.n)

    def classes(self) -> Found:
        ratios, section = class_rows(self.bench, self.folder, self.n // 10)
        more, steps = class_step_rows(self.bench, self.n // 100)
        return ratios + more, section, steps

    def grid(self) -> Found:
        streams = prepare_adult(self.folder)
        if streams is None:
            return [], Section("The paper's grid", "Skipped: the data folder has no adult.")
        self.bench.once("vw", Job(vw.read, (streams[0],)))
        self.bench.once("ours", Job(ours.run_grid, (*streams, [("passive", {})])))
        few = {"sample": 1, "step": 20} if self.quick else {"sample": 4}
        return grid_rows(self.bench, *streams, **few)

    def scaling(self) -> Found:
        self.small()
        return [], scaling_section(self.bench, self.folder, self.n // 4)

    def memory(self) -> Found:
        return [], memory_section(self.bench, self.folder)

    def small(self) -> Prepared:
        """A stream that slow peers can finish."""
        if "small" not in self._streams:
            rows = sparse(ROWS_OF_PEERS, 200, 30)
            data = prepare(self.folder / "small", *rows, text=False)
            self.bench.once("ours", Job(ours.run, (data, ("passive", {}))))
            self._streams["small"] = data
        return self._streams["small"]

    def peers(self) -> Found:
        return peer_rows(self.bench, self.small())

    def steps(self) -> Found:
        return step_rows(self.bench, self.n // 10)

    def profile(self) -> Found:
        """Where the time goes: of a pass, and of ask and tell."""
        of_pass = pass_section(self.bench, self.folder, self.n // 10)
        of_steps = live_section(self.bench, self.n // 10)
        return [], of_pass, of_steps


SPARSE = "30 of 10,000 features"
DENSE = "dense 50 features"


Measured = tuple[list[Ratio], list[Section], Circumstances]


def measure(parts: Sequence[str], repeats: int, quick: bool) -> Measured:
    """Run the parts one after the other."""
    ratios: list[Ratio] = []
    sections: list[Section] = []
    met = Circumstances(os.getloadavg()[0], [], {}, quick)
    with tempfile.TemporaryDirectory() as folder, Bench(repeats) as bench:
        run = Run(bench, Path(folder), quick)
        for name in parts:
            if not vw.available() and name in ("passive", "sparse", "dense", "classes", "grid"):
                sections.append(Section(name, "Skipped: vowpalwabbit is not installed."))
                continue
            print(f"{name} ...", flush=True)
            start = time.perf_counter()
            found = getattr(run, name)()
            met.seconds[name] = time.perf_counter() - start
            met.during.append(os.getloadavg()[0])
            print(f"{name}: {met.seconds[name]:.0f} s, load {met.during[-1]:.1f}", flush=True)
            ratios += found[0]
            sections += found[1:]
    return ratios, sections, met


def main() -> None:
    """Run the chosen parts, print the page and, for a whole run, write it to the documents."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="what to time")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each side, at most")
    parser.add_argument("--quick", action="store_true", help="small streams, to try it out")
    parser.add_argument("--output", type=Path, help="where to write the page")
    parser.add_argument("--renew", action="store_true", help="only these parts of the documents")
    given = parser.parse_args()
    found = measure(given.only, given.repeats, given.quick)
    page = document(*found, "make bench")
    print(page)
    whole = given.only == PARTS and not given.quick
    if given.renew:
        command = f"python -m benchmarks --renew --only {' '.join(given.only)}"
        page = renewed(PAGE.read_text(), *found, command)
    if given.output or whole or given.renew:
        (given.output or PAGE).write_text(page)


if __name__ == "__main__":
    main()
