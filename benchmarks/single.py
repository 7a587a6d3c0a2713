"""One learner over one stream, against Vowpal Wabbit."""

from pathlib import Path

from benchmarks import ours, vw
from benchmarks.streams import Prepared, coded, dense, prepare, sparse
from benchmarks.table import Ratio, Section
from benchmarks.timing import Bench, Job, Times

__all__ = ["class_rows", "cover_rows", "passive_rows"]

C0S = (0.01, 0.1, 8.0)
CLASSES, MELLOWNESS = (3, 10, 26), (0.01, 0.1, 1.0)
LEAST = {3: 6.0, 12: 8.0, 48: 8.0}


def passive_rows(bench: Bench, name: str, data: Prepared) -> tuple[list[Ratio], Section]:
    """Plain logistic regression."""
    times = _times(bench, data, ("passive", {}), [], 3 * bench.repeats)
    title = f"Passive, {name}"
    ratio = Ratio(title, times.ratio, times.net_ratio, 3.0 if "of" in name else None)
    head = ["Vowpal Wabbit", "ours", "its parsing", "its net", "our net"]
    return [ratio], Section(title, "", head, [times.cells()])


def cover_rows(
    bench: Bench, name: str, data: Prepared, examples: int
) -> tuple[list[Ratio], Section]:
    """Online Active Cover by cover size and c0; the worst c0 of a size counts."""
    ratios, rows = [], []
    for cover, least in LEAST.items():
        found = []
        for c0 in C0S:
            options = ["--active_cover", "--cover", str(cover), "--mellowness", str(c0)]
            setting = ("online_active_cover", {"cover_size": cover, "c0": c0})
            times = _times(bench, data, setting, options, bench.repeats)
            theirs = bench.once("vw", Job(vw.count, (data, options, examples, cover)))
            mine = bench.once("ours", Job(ours.count, (data, setting)))
            counts = [f"{side[key]:,}" for key in ("queries", "updates") for side in (theirs, mine)]
            rows.append([str(cover), f"{c0:g}", f"{times.ratio:.1f}", *times.cells(), *counts])
            found.append((times.ratio, times.net_ratio, f"c0 = {c0:g}"))
            print(f"  cover {cover}, c0 {c0:g}: {times.ratio:.1f}", flush=True)
        ratio, net, where = min(found)
        ratios.append(
            Ratio(f"Online Active Cover, cover {cover}, {name}", ratio, net, least, where)
        )
    head = [
        "cover", "c0", "ratio", "Vowpal Wabbit", "ours", "its parsing", "its net", "our net",
        "its queries", "our queries", "its lane updates", "our lane updates",
    ]  # fmt: skip
    text = "A lane is one classifier; an update is one example that it learns something from."
    return ratios, Section(f"Online Active Cover, {name}", text, head, rows)


def class_rows(bench: Bench, folder: Path, n: int) -> tuple[list[Ratio], Section]:
    """COAL by the number of classes and c0, sparse and dense; the worst counts."""
    ratios, rows = [], []
    made = {"30 of 10,000 features": sparse(n, 10_000, 30)[0], "dense 50 features": dense(n, 50)[0]}
    for classes in CLASSES:
        found = []
        for name, examples in made.items():
            place = folder / f"{classes} classes, {name.split()[0]}"
            data = prepare(place, examples, coded(examples, classes), n_classes=classes)
            for c0 in MELLOWNESS:
                options = ["--cs_active", str(classes), "--simulation", "--adax"]
                options += ["--mellowness", str(c0)]
                bench.once("vw", Job(vw.run, (data, options)))
                asked = bench.once("ours", Job(ours.run_classes, (data, ("coal", {"c0": c0}))))
                times = _times(bench, data, ("coal", {"c0": c0}), options, bench.repeats)
                share = f"{asked['asked'] / n:.0%}"
                rows.append(
                    [str(classes), name, f"{c0:g}", f"{times.ratio:.1f}", *times.cells(), share]
                )
                found.append((times.ratio, times.net_ratio, f"c0 = {c0:g}, {name}"))
        ratio, net, where = min(found)
        ratios.append(Ratio(f"COAL, {classes} classes", ratio, net, 5.0, where))
    head = [
        "classes", "work", "c0", "ratio", "Vowpal Wabbit", "ours", "its parsing", "its net",
        "our net", "we ask",
    ]  # fmt: skip
    text = (
        f"COAL over {n:,} examples beside `--cs_active --simulation --adax`, which learns single "
        "costs, while a label teaches us all of them."
    )
    return ratios, Section("Several classes", text, head, rows)


class _Pair:
    """Times of both sides on the same work."""

    def __init__(self, theirs: Times, parsing: Times, mine: Times, net: Times) -> None:
        self.theirs, self.parsing, self.mine, self.net = theirs, parsing, mine, net
        self.their_net = theirs.best - parsing.best
        self.ratio = theirs.best / mine.best
        self.net_ratio = self.their_net / net.best

    def cells(self) -> list[str]:
        times = [str(self.theirs), str(self.mine), str(self.parsing)]
        return [*times, f"{self.their_net:.3f}", f"{self.net.best:.3f}"]


def _times(
    bench: Bench, data: Prepared, setting: ours.Setting, options: list[str], repeats: int
) -> _Pair:
    jobs = {
        "vw": Job(vw.run, (data, options)),
        "vw parsing": Job(vw.read, (data,)),
        "ours": Job(ours.run if data.n_classes is None else ours.run_classes, (data, setting)),
    }
    said = bench.alternate(jobs, repeats)
    return _Pair(
        said["vw"]["seconds"],
        said["vw parsing"]["seconds"],
        said["ours"]["seconds"],
        said["ours"]["net"],
    )
