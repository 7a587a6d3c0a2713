"""The paper's whole grid of settings on one data set, against Vowpal Wabbit's scaled time."""

import os
from pathlib import Path

import numpy as np

from askance.data import catalog
from askance.data.splits import permutation, train_test
from askance.errors import DatasetUnavailable
from benchmarks import ours, vw
from benchmarks.streams import Prepared, prepare
from benchmarks.table import Ratio, Section
from benchmarks.timing import Bench, Job

__all__ = ["grid_rows", "paper_grid", "prepare_adult"]

REPOSITORY = Path(__file__).parent.parent
RATES = [0.1 * 2.0**e for e in range(-2, 9)]
COVERS = (3, 6, 12, 24, 48)
COVER_C0 = [
    *(0.1 * 2.0**e for e in range(-10, 0)),
    *(0.1, 0.3, 0.5, 0.7, 0.9),
    *(2.0**e for e in range(5)),
]
IWAL_C0 = [*(0.1 * 2.0**e for e in range(-17, 1)), *(2.0**e for e in range(5))]
ORACULAR_C0 = [2.0**e for e in range(-17, 6)]
LEAST = 25.0


def paper_grid() -> dict[str, list[ours.Setting]]:
    """All settings of ``appendix:hyper-parameters``, by algorithm and cover size."""
    grid: dict[str, list[ours.Setting]] = {}
    for size in COVERS:
        grid[f"cover {size}"] = [
            ("online_active_cover", {"cover_size": size, "c0": c0, "learning_rate": rate})
            for rate in RATES
            for c0 in COVER_C0
        ]
    for name, c0s in (
        ("iwal0", IWAL_C0),
        ("iwal1", IWAL_C0),
        ("oracular_iwal0", ORACULAR_C0),
        ("oracular_iwal1", ORACULAR_C0),
    ):
        grid[name] = [(name, {"c0": c0, "learning_rate": rate}) for rate in RATES for c0 in c0s]
    grid["passive"] = [("passive", {"learning_rate": rate}) for rate in RATES]
    return grid


def prepare_adult(folder: Path) -> tuple[Prepared, Prepared] | None:
    """Training and test streams of one permutation; None without the data."""
    nearby = REPOSITORY.parent / "shared" / "data"
    try:
        data = catalog.load("adult", os.environ.get("ASKANCE_DATA", nearby))
    except DatasetUnavailable:
        return None
    rows = data.csr
    train, test = train_test(permutation("adult", 0, len(data)))
    return (
        prepare(folder / "train", rows[train], data.labels[train]),
        prepare(folder / "test", rows[test], data.labels[test], text=False),
    )


def _options(setting: ours.Setting) -> list[str]:
    """Vowpal Wabbit's counterpart of a setting."""
    name, given = setting
    options = ["-l", str(given["learning_rate"])]
    if name == "passive":
        return options
    options += ["--mellowness", str(given["c0"])]
    if name.startswith("iwal"):
        return [*options, "--active", "--simulation"]
    if name == "online_active_cover":
        return [*options, "--active_cover", "--cover", str(given["cover_size"])]
    return [*options, "--active_cover", "--oracular"]


def grid_rows(
    bench: Bench, train: Prepared, test: Prepared, sample: int, step: int = 1
) -> tuple[list[Ratio], Section]:
    """Our time of all settings, and theirs from ``sample`` settings of each algorithm and size.

    With a ``step``, only one in so many settings is there at all.
    """
    grid = {name: settings[::step] for name, settings in paper_grid().items()}
    rng = np.random.default_rng(0)
    every = [setting for settings in grid.values() for setting in settings]
    jobs = {
        "ours": Job(ours.run_grid, (train, test, every)),
        "vw parsing": Job(vw.read, (train,)),
    }
    for name, settings in grid.items():
        for i in rng.choice(len(settings), sample, replace=False):
            jobs[f"vw {name} {i}"] = Job(vw.run, (train, _options(settings[i])))
    said = bench.alternate(jobs, min(bench.repeats, 2))
    mine, parsing = said["ours"], said["vw parsing"]["seconds"].best
    rows, total = [], 0.0
    for name, settings in grid.items():
        chosen = [said[key] for key in jobs if key.startswith(f"vw {name} ")]
        seconds = float(np.mean([each["seconds"].best for each in chosen]))
        theirs, ours_of_it = seconds * len(settings), mine[name].best
        total += theirs
        cells = [f"{seconds:.3f}", f"{theirs:.1f}", f"{ours_of_it:.1f}"]
        rows.append([name, str(len(settings)), str(sample), *cells, f"{theirs / ours_of_it:.1f}"])
    total_net = total - len(every) * parsing
    best = mine["seconds"].best
    cells = [f"{total:.1f}", f"{best:.1f}", f"{total / best:.1f}"]
    rows.append(["all", str(len(every)), "", "", *cells])
    ratio = Ratio(
        "the paper's whole grid on adult, one permutation",
        total / mine["seconds"].best,
        total_net / mine["net"].best,
        LEAST,
    )
    text = (
        f"Ours: {mine['seconds']} s for {len(every):,} settings, their test errors at all label "
        f"budgets included, which take {mine['count_mistakes'].best:.1f} s of it; settings leave "
        f"when their last budget is spent. Vowpal Wabbit: mean "
        f"seconds of a stratified sample, times the number of settings; it tests nothing. Of each "
        f"of its runs {parsing:.3f} s are parsing. Its counterpart of IWAL is "
        f"`--active --simulation`, that of the oracular ones `--active_cover --oracular`."
    )
    head = ["algorithm", "settings", "sampled", "Vowpal Wabbit, s a run", "s in all"]
    head += ["ours, s in all", "ratio"]
    return [ratio], Section("The paper's grid", text, head, rows)
