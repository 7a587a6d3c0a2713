"""Time askance and its peers: ``python -m benchmarks``, or ``make bench``."""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks import ours, vw
from benchmarks.grid import grid_rows, prepare_adult
from benchmarks.parts import PROFILE
from benchmarks.peers import ROWS as ROWS_OF_PEERS
from benchmarks.peers import peer_rows, step_rows
from benchmarks.scaling import memory_section, scaling_section
from benchmarks.single import cover_rows, passive_rows
from benchmarks.streams import Prepared, dense, prepare, sparse
from benchmarks.table import Ratio, Section, document
from benchmarks.timing import Bench, Job

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
ROWS = ("passive", "sparse", "dense", "grid", "scaling", "memory", "peers", "steps")

Found = tuple[list[Ratio], Section]


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

    def grid(self) -> Found:
        streams = prepare_adult(self.folder)
        if streams is None:
            return [], Section("The paper's grid", "Skipped: the data folder has no adult.")
        self.bench.once("vw", Job(vw.read, (streams[0],)))
        self.bench.once("ours", Job(ours.run_grid, (*streams, [("passive", {})])))
        return grid_rows(self.bench, *streams, sample=1 if self.quick else 4)

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
        return step_rows(self.bench, self.small(), 2_000 if self.quick else 20_000)


SPARSE = "30 of 10,000 features"
DENSE = "dense 50 features"


def main() -> None:
    """Run the chosen rows, print the page and, for a whole run, write it to the documents."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=ROWS, help="what to time")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each side")
    parser.add_argument("--quick", action="store_true", help="small streams, to try it out")
    parser.add_argument("--output", type=Path, help="where to write the page")
    given = parser.parse_args()
    start = time.perf_counter()
    ratios: list[Ratio] = []
    sections: list[Section] = []
    with tempfile.TemporaryDirectory() as folder, Bench(given.repeats) as bench:
        run = Run(bench, Path(folder), given.quick)
        for name in given.rows:
            if not vw.available() and name in ("passive", "sparse", "dense", "grid"):
                sections.append(Section(name, "Skipped: vowpalwabbit is not installed."))
                continue
            print(f"{name} ...", flush=True)
            row: Callable[[], Found] = getattr(run, name)
            found, section = row()
            ratios += found
            sections.append(section)
    sections.append(PROFILE)
    page = document(ratios, sections, "make bench")
    print(page)
    print(f"{(time.perf_counter() - start) / 60:.1f} minutes")
    whole = given.rows == ROWS and not given.quick
    if given.output or whole:
        (given.output or PAGE).write_text(page)


if __name__ == "__main__":
    main()
