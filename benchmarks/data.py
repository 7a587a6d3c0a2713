"""Speed and memory of reading, as ratios to what people use today, in one run on one machine.

    python benchmarks/data.py [--data-dir DIR] [--gigabytes 1]

prints a table and writes it to docs/benchmarks-data.md.
"""

import argparse
import gc
import itertools
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK_ROWS = 20_000


@dataclass
class Line:
    """One measured claim."""

    what: str
    ours: str
    other: str
    ratio: str
    bound: str


def best(action: Callable[[], object], repeats: int = 3) -> float:
    """Time an action: the best of some runs, the first of them for warming up."""
    times = []
    for _ in range(repeats + 1):
        gc.collect()
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times[1:])


def census(data_dir: Path, scratch: Path) -> list[Line]:
    """CSV to prepared against pandas reading the CSV alone; and the second load."""
    import pandas

    from askance.data import catalog
    from askance.data.catalog.dataset import Dataset
    from askance.data.catalog.prepared import open_prepared, write_prepared
    from askance.data.catalog.recipes import census as recipe
    from askance.data.reading.sources import read_bytes

    paths = []
    for file in catalog.CATALOG["census"].files:
        paths.append(scratch / Path(file.name).stem)
        paths[-1].write_bytes(read_bytes(data_dir / "census" / file.name))
    runs = iter(range(100))
    made: list[Path] = []

    def prepare() -> Dataset:
        made.append(scratch / f"prepared-{next(runs)}")
        write_prepared(recipe(paths), made[-1])
        return open_prepared("census", made[-1])

    def with_pandas() -> None:
        for path in paths:
            pandas.read_csv(path, header=None, skipinitialspace=True)

    ours, theirs = best(prepare), best(with_pandas)
    again = best(lambda: open_prepared("census", made[-1]), 5)
    return [
        Line(
            "census, CSV to prepared; pandas.read_csv alone",
            f"{ours:.2f} s",
            f"{theirs:.2f} s",
            f"{ours / theirs:.2f}",
            "at most 3",
        ),
        Line("census, second load", f"{again * 1e3:.1f} ms", "", "", "under 100 ms"),
    ]


def libsvm(data_dir: Path, scratch: Path) -> list[Line]:
    """LIBSVM text against scikit-learn."""
    from sklearn.datasets import load_svmlight_file

    from askance.data.reading.readers import read_batches
    from askance.data.reading.sources import read_bytes

    lines = []
    for name, file in (("rcv1", "rcv1_ccat_subset.svm.xz"), ("w8a", "w8a.xz")):
        path = scratch / f"{name}.svm"
        path.write_bytes(read_bytes(data_dir / name / file))

        def ours(path: Path = path) -> None:
            for _ in read_batches(path):
                pass

        def theirs(path: Path = path) -> None:
            load_svmlight_file(str(path))

        a, b = best(ours), best(theirs)
        what = f"LIBSVM text, {name}; load_svmlight_file"
        lines.append(Line(what, f"{a:.2f} s", f"{b:.2f} s", f"{a / b:.2f}", "at most 1"))
    return lines


def vw(data_dir: Path, scratch: Path) -> list[Line]:
    """VW text to hashed rows: adult with its names, and rcv1 as numbers."""
    from askance.data.catalog import load
    from askance.data.features import FeatureMap
    from askance.data.features.indexers import Hashing
    from askance.data.reading.readers import read_batches
    from askance.sparse import rows_of

    path = scratch / "adult.vw"
    names = "age work weight school years marriage job family race sex gain loss hours land y"
    csv = scratch / "adult.csv"
    from askance.data.reading.sources import read_bytes

    raw = read_bytes(data_dir / "adult" / "adult.data.xz").replace(b", ", b",").strip()
    csv.write_bytes(names.replace(" ", ",").encode() + b"\n" + raw + b"\n")
    naming = FeatureMap()
    with path.open("w") as out:
        for batch in read_batches(csv, label="y", positive=">50K"):
            for record in batch.records():
                features = naming.features(record.fields)
                named = (n if v == 1 else f"{n}:{v}" for n, v in features)
                out.write(f"{record.label} '{record.id}| {' '.join(named)}\n")
    numbers = scratch / "rcv1.vw"
    data = load("rcv1", data_dir)
    with numbers.open("w") as out:
        for row, label in zip(rows_of(data.csr), data.labels.tolist(), strict=True):
            pairs = zip(row.indices.tolist(), row.values.tolist(), strict=True)
            out.write(f"{label} |f " + " ".join(f"{i}:{v:.6g}" for i, v in pairs) + "\n")

    lines = []
    for name, source in (("adult", path), ("rcv1", numbers)):

        def ours(source: Path = source) -> None:
            features = FeatureMap(Hashing(18))
            for batch in read_batches(source):
                features.encode_batch(batch)

        seconds = best(ours)
        speed = source.stat().st_size / 1e6 / seconds
        what = f"VW text to hashed rows, {name}"
        lines.append(Line(what, f"{speed:.0f} MB/s", "", "", "at least 20 MB/s"))
    return lines


def stream(gigabytes: float) -> list[Line]:
    """Read a CSV stream that is made on the fly, and see the reader's peak memory."""
    size = int(gigabytes * 1e9)
    start = time.perf_counter()
    maker = subprocess.Popen(
        [sys.executable, __file__, "--make-stream", str(size)], stdout=subprocess.PIPE
    )
    reader = subprocess.run(
        [sys.executable, __file__, "--read-stream"],
        stdin=maker.stdout,
        capture_output=True,
        text=True,
        check=True,
    )
    maker.wait()
    seconds = time.perf_counter() - start
    rows, peak = map(int, reader.stdout.split())
    return [
        Line(
            f"peak memory, {gigabytes:g} GB CSV stream ({rows:,} rows) to hashed rows",
            f"{peak / 1e6:.0f} MB",
            "",
            f"{size / 1e6 / seconds:.0f} MB/s",
            "under 500 MB",
        )
    ]


def make_stream(size: int) -> None:
    """Write a CSV file of about this size to standard output."""
    out = sys.stdout.buffer
    done = out.write(b"id,age,income,job,city,plan,y\n")
    for block in itertools.cycle(_blocks()):
        if done >= size:
            break
        done += out.write(block)


def _blocks() -> list[bytes]:
    """Make some megabytes to repeat, as making each row anew would be slower than reading it."""
    import numpy as np

    numbers = np.random.default_rng(0).integers(0, 10**6, (16, BLOCK_ROWS, 4)).tolist()
    return [
        "".join(
            f"r{a},{b % 90},{c / 7:.4f},job{d % 40},city{c % 5000},plan {a % 13},{d % 2}\n"
            for a, b, c, d in block
        ).encode()
        for block in numbers
    ]


def read_stream() -> None:
    """Encode standard input; print the rows and the peak memory in bytes."""
    from askance.data.features import FeatureMap
    from askance.data.features.indexers import Hashing
    from askance.data.reading.readers import read_batches

    features = FeatureMap(Hashing(18))
    rows = 0
    for batch in read_batches("-", "csv", label="y", id="id"):
        rows += features.encode_batch(batch).shape[0]
    print(rows, peak_memory())


def peak_memory() -> int:
    """Give this program's peak memory in bytes.

    Linux counts ``ru_maxrss`` from before the program was started, so its own file is asked first.
    """
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = (x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def report(lines: list[Line]) -> str:
    """Write the lines as a table."""
    head = "| what; beside | ours | beside | ratio or speed | wanted |\n|---|---|---|---|---|\n"
    rows = (f"| {x.what} | {x.ours} | {x.other} | {x.ratio} | {x.bound} |\n" for x in lines)
    return head + "".join(rows)


def main() -> None:
    """Measure everything and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("ASKANCE_DATA") or ROOT.parent / "shared" / "data"
    parser.add_argument("--data-dir", type=Path, default=default)
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--make-stream", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--read-stream", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.make_stream:
        return make_stream(chosen.make_stream)
    if chosen.read_stream:
        return read_stream()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        data_dir, scratch = Path(chosen.data_dir), Path(folder)
        lines = [*census(data_dir, scratch), *libsvm(data_dir, scratch), *vw(data_dir, scratch)]
    table = report([*lines, *stream(chosen.gigabytes)])
    print(table)
    intro = (
        "# Reading data: speed and memory\n\nMade by `python benchmarks/data.py`, on a machine "
        "that may be busy: times are the best of three runs, and ratios are safer than times. "
        "The CSV stream repeats 320,000 different rows.\n\n"
    )
    (ROOT / "docs" / "benchmarks-data.md").write_text(intro + table)
    return None


if __name__ == "__main__":
    main()
