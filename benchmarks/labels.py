"""What a label budget buys: the study ``studies/labels.toml``, its peers, its ablation, its page.

``askance study run studies/labels.toml`` and ``... studies/ablation.toml`` run what is missing of
`auto` and the paper's algorithms, ``python -m benchmarks.labels peers`` what is missing of the
peers (see :mod:`benchmarks.pools`). All can be stopped at any time, and take ``--permutations`` and
``--data``. ``python -m benchmarks.labels report`` exports the three stores to
``docs/results/labels`` and writes the page and the picture there from what they hold.

Finished results count as done. So after a change of `auto` remove the Parquet files of
``docs/results/labels``: in ``stores`` its runs are named by the code that made them, and those of
other code are run again.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import typer
from scipy.stats import t as student

from askance.plots.curve import sum_up
from askance.plots.figure import Look, draw, save_plot
from askance.presets import ALGORITHMS
from askance.storage.files import write_atomically
from askance.study.blocks import Block, Heading, TableBlock, Text, markdown
from askance.study.design import Study, part_of, read_study
from askance.study.results import newest_last
from askance.study.store import Store, export_results, read_results
from askance.types import ResultRow, Run
from benchmarks import pools

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "results" / "labels"
STUDIES = {"labels": FOLDER, "ablation": FOLDER / "ablation"}
"""The studies, and where their results are committed."""

CHOSEN_ON = (
    "20news", "abalone", "adult", "bio", "covtype", "ijcnn1", "magic04", "nomao", "shuttle", "w8a",
)  # fmt: skip
HELD_OUT = (
    "a9a", "activity", "bank", "census", "eeg-eye-state", "letter", "mushroom", "rcv1", "skin",
    "vehv2binary", "titanic",
)  # fmt: skip
GROUPS = {
    "All sets": (*CHOSEN_ON, *HELD_OUT),
    "Sets that were held out": HELD_OUT,
    "Sets on which the constants of auto were chosen": CHOSEN_ON,
}

BASE, SAME, AUTO = "passive", "passive, same mixture", "auto"
PEER = next(iter(pools.PEERS))
SHOWN = (BASE, SAME, PEER, AUTO)
"""In the table of all sets, and in the picture."""

WORSE = 0.05
"""How much more error than passive learning with the same mixture counts as worse."""

LEVEL = 0.95

app = typer.Typer(pretty_exceptions_enable=False)


# ------------------------------------------------------------------ running


@app.command()
def peers(
    names: Annotated[list[str] | None, typer.Argument(help="Some of the peers.")] = None,
    data_dir: Annotated[Path | None, typer.Option(envvar="ASKANCE_DATA")] = None,
    stores: Path = Path("stores"),
    permutations: int = 5,
    data: list[str] | None = None,
    jobs: int = 1,
) -> None:
    """Run what is missing of the peers."""
    chosen = names or list(pools.PEERS)
    if unknown := [name for name in chosen if name not in pools.PEERS]:
        raise typer.BadParameter(f"peers are {'; '.join(pools.PEERS)}, got {unknown[0]!r}")
    study = _study("labels")
    part = part_of(study, permutations=permutations, datasets=data or ())
    store = Store(stores / "peers")
    for sentence in pools.absent():
        print(sentence)
    with store.writing(study.text):
        store.adopt(FOLDER / "peers")
        for cell in pools.run_peers(part, chosen, store, data_dir, jobs=jobs):
            print(cell.dataset, cell.permutation, cell.algorithm, flush=True)
        store.compact()


def _study(name: str) -> Study:
    return read_study(ROOT / "studies" / f"{name}.toml")


# ------------------------------------------------------------------ reading


class Measured(NamedTuple):
    """One run: its test error, and the seconds it took."""

    error: float
    seconds: float


Runs = dict[tuple[str, str, int], dict[int, Measured]]
"""By data set, contestant and budget: the permutations that were run."""


def gather(study: Study, table: pa.Table) -> Runs:
    """The runs of a study's contestants, and of peers, that a table of results holds."""
    names = {(c.algorithm, setting): c.name for c in study.contestants for setting in c.settings}
    names |= {(name, setting): name for name in pools.PEERS for setting in _settings(table, name)}
    runs: Runs = {}
    good = newest_last(study, table.filter(pc.is_null(table["failure"])))
    for row in good.to_pylist():
        name = names.get((row["algorithm"], row["setting"]))
        if name is not None and row["budget"] in study.budgets:
            at = (row["dataset"], name, row["budget"])
            runs.setdefault(at, {})[row["permutation"]] = Measured(row["error"], row["seconds"])
    planned = [c.name for c in study.contestants if c.algorithm not in ALGORITHMS]
    return _apart(runs, [*planned, *pools.PEERS], study.budgets)


def _settings(table: pa.Table, algorithm: str) -> list[str]:
    some = table.filter(pc.equal(table["algorithm"].cast(pa.string()), algorithm))
    return sorted(set(some["setting"].to_pylist()))


def _apart(runs: Runs, names: Sequence[str], budgets: Sequence[int]) -> Runs:
    """Where each budget has a run of its own, the store counts the seconds since the first."""
    apart = dict(runs)
    for data, name, budget in runs:
        place = budgets.index(budget)
        if name in names and place > 0:
            before = runs.get((data, name, budgets[place - 1]), {})
            apart[data, name, budget] = {
                j: one._replace(seconds=one.seconds - before[j].seconds if j in before else np.nan)
                for j, one in runs[data, name, budget].items()
            }
    return apart


def read(folder: Path = FOLDER) -> tuple[Runs, Runs]:
    """The runs of the study with its peers, and of the ablation."""
    tables = {name: read_results(folder / STUDIES[name].relative_to(FOLDER)) for name in STUDIES}
    tables["labels"] = pa.concat_tables(
        [tables["labels"], read_results(folder / "peers")]
    ).unify_dictionaries()
    return gather(_study("labels"), tables["labels"]), gather(
        _study("ablation"), tables["ablation"]
    )


# ------------------------------------------------------------------ measures


def paired(runs: Runs, data: str, one: str, other: str, budget: int) -> tuple[list[float], ...]:
    """Errors of two contestants on a data set, over the permutations that both have."""
    pair = [runs.get((data, name, budget), {}) for name in (one, other)]
    both = sorted(pair[0].keys() & pair[1].keys())
    return tuple([found[j].error for j in both] for found in pair)


def less(runs: Runs, data: str, one: str, other: str, budget: int) -> float | None:
    """How much less error one has than another on a data set, if that can be said."""
    ours, theirs = paired(runs, data, one, other, budget)
    if not ours or sum(theirs) == 0:
        return None
    return 1 - sum(ours) / sum(theirs)


def mean_less(
    runs: Runs, sets: Iterable[str], one: str, other: str, budget: int
) -> tuple[float, int] | None:
    """The mean over data sets, and their number."""
    found = [less(runs, data, one, other, budget) for data in sets]
    known = [value for value in found if value is not None]
    return (float(np.mean(known)), len(known)) if known else None


def is_worse(ours: Sequence[float], theirs: Sequence[float]) -> bool | None:
    """Whether errors are more than 5% above others, beyond the interval over permutations.

    None if there are too few permutations for an interval.
    """
    if len(ours) < 2:
        return None
    above = np.array(ours) - (1 + WORSE) * np.array(theirs)
    width = student.ppf((1 + LEVEL) / 2, len(above) - 1) * above.std(ddof=1) / np.sqrt(len(above))
    return bool(above.mean() - width > 0)


# ------------------------------------------------------------------ the page


@app.command()
def report(stores: Path = Path("stores")) -> None:
    """Export the stores, and write the page and the picture from what is committed."""
    for name, folder in (*STUDIES.items(), ("peers", FOLDER / "peers")):
        store = Store(stores / name)
        if store.study_path.is_file():
            export_results(store, folder)
    runs, ablation = read()
    (FOLDER / "report").mkdir(parents=True, exist_ok=True)
    with write_atomically(FOLDER / "report" / "summary.md") as file:
        file.write(markdown(list(page(runs, ablation))).encode())
    picture(runs, FOLDER)


def page(runs: Runs, ablation: Runs) -> Iterator[Block]:
    """All tables, with the sentences that stand around them."""
    study = _study("labels")
    yield Heading("What a label budget buys", 1)
    yield from _face(runs, study)
    yield Heading("Less error")
    yield Text(
        "1 - error/error of passive learning of the online linear classifier, mean over data sets "
        "(their number)."
    )
    names = [*(c.name for c in study.contestants), *pools.PEERS]
    for title, sets in GROUPS.items():
        yield Heading(title, 3)
        rows = [[name, *_lesses(runs, sets, name, BASE, study)] for name in names]
        yield _table("contestant", study, [row for row in rows if any(row[1:])])
    yield Heading("Against passive learning with the same mixture")
    yield Text("1 - error/error of the same classifiers, fitted to labels of a random sample.")
    rows = [[title, *_lesses(runs, sets, AUTO, SAME, study)] for title, sets in GROUPS.items()]
    yield _table("auto", study, rows)
    yield from _worse(runs, study)
    yield from _errors(runs, study)
    yield from _peers(runs, study)
    yield from _ablation(runs, ablation)


def _table(first: str, study: Study, rows: Sequence[Sequence[object]]) -> Block:
    return TableBlock([first, *(f"{b:,} labels" for b in study.budgets)], rows)


def _lesses(runs: Runs, sets: Iterable[str], one: str, other: str, study: Study) -> list[str]:
    found = [mean_less(runs, sets, one, other, budget) for budget in study.budgets]
    return ["" if some is None else f"{100 * some[0]:+.0f}% ({some[1]})" for some in found]


def _face(runs: Runs, study: Study) -> Iterator[Block]:
    here = {data for data, _, _ in runs}
    away = [name for name in GROUPS["All sets"] if name not in here]
    counts = [len(found) for (_, name, _), found in runs.items() if name == AUTO]
    yield Text(
        f"{_counted(sorted(here), 'data set')}; of auto {min(counts, default=0)} to "
        f"{max(counts, default=0)} of {study.permutations} permutations."
    )
    lacks = [f"No run of {', '.join(away)} yet."] if away else []
    lacks += [f"{name} has no run yet." for name in pools.PEERS if not _has(runs, name)]
    if lacks:
        yield Text(" ".join(lacks), warns=True)


def _has(runs: Runs, name: str) -> bool:
    return any(one == name for _, one, _ in runs)


def _worse(runs: Runs, study: Study) -> Iterator[Block]:
    rows = []
    for data in GROUPS["All sets"]:
        for budget in study.budgets:
            gain = less(runs, data, AUTO, SAME, budget)
            if gain is not None and gain < -WORSE:
                beyond = is_worse(*paired(runs, data, AUTO, SAME, budget))
                known = "one permutation" if beyond is None else "yes" if beyond else "no"
                rows.append([data, f"{budget:,}", f"{-100 * gain:.0f}%", known])
    yield Heading("Where it is worse")
    if not rows:
        yield Text(
            "On no set and at no budget has auto 5% more error than passive learning with the "
            "same mixture."
        )
        return
    yield Text(
        "Sets on which auto has at least 5% more error than passive learning with the same "
        "mixture, and whether that is beyond the interval (95%, Student's t) over permutations."
    )
    yield TableBlock(["data set", "labels", "more error", "beyond the interval"], rows)


def _errors(runs: Runs, study: Study) -> Iterator[Block]:
    yield Heading("Errors on each set")
    yield Text(f"In percent, means over permutations: {' / '.join(SHOWN)}.")
    for title, sets in list(GROUPS.items())[1:]:
        yield Heading(title, 3)
        here = [data for data in sets if any((data, n, study.budgets[0]) in runs for n in SHOWN)]
        yield _table("data set", study, [[data, *_of_set(runs, data, study)] for data in here])


def _of_set(runs: Runs, data: str, study: Study) -> Iterator[str]:
    for budget in study.budgets:
        found = [runs.get((data, name, budget), {}).values() for name in SHOWN]
        means = [f"{100 * np.mean([r.error for r in some]):.1f}" if some else "-" for some in found]
        yield " / ".join(means)


def _peers(runs: Runs, study: Study) -> Iterator[Block]:
    yield Heading("Beside other libraries")
    yield Text(
        "Pool-based peers look at all examples before each question, ask for a tenth of the budget "
        "at a time, and fit the forest of the mixture. They take dense arrays, so sets of more "
        f"than {pools.WIDEST:,} features are left out for them. Error in percent and wall-clock "
        "seconds of a run, means over the sets (their number) and permutations that all of them "
        "have at a budget. A sample can be reweighted if the probability of each question is known "
        "and never 0."
    )
    names = [name for name in (AUTO, SAME, *pools.PEERS) if _has(runs, name)]
    rows: list[list[str]] = []
    for name in names:
        weighted = name not in pools.PEERS or pools.PEERS[name].reweighted
        cells = [_beside(runs, name, names, budget) for budget in study.budgets]
        rows.append([name, "yes" if weighted else "no", *cells])
    heads = [f"{b:,} labels" for b in study.budgets]
    yield TableBlock(["contestant", "can be reweighted", *heads], rows)


def _beside(runs: Runs, name: str, names: Sequence[str], budget: int) -> str:
    asked = [one for one in names if any((data, one, budget) in runs for data, _, _ in runs)]
    common = shared(runs, asked, budget) if name in asked else []
    if not common:
        return ""
    some = [runs[data, name, budget][j] for data, j in common]
    error, seconds = (float(np.nanmean([one[i] for one in some])) for i in (0, 1))
    return f"{100 * error:.1f}, {seconds:.1f} s ({len({data for data, _ in common})})"


def shared(runs: Runs, names: Sequence[str], budget: int) -> list[tuple[str, int]]:
    """Data sets with their permutations that all of some contestants have at a budget."""
    return [
        (data, j)
        for data in GROUPS["All sets"]
        for j in sorted(set.intersection(*(set(runs.get((data, n, budget), {})) for n in names)))
    ]


def _ablation(runs: Runs, ablation: Runs) -> Iterator[Block]:
    study = _study("ablation")
    yield Heading("What each part is worth")
    yield Text(
        "Less error than passive learning of the online linear classifier, as above, with one "
        "thing changed in auto. After the slash auto itself, on the same sets and "
        "permutations. A uniform share of 0.1, pacing, all members, weights of 1 in fitting and up "
        "to 10 in judging members are the default."
    )
    both: Runs = {**ablation, **{at: found for at, found in runs.items() if at[1] in (BASE, AUTO)}}
    rows = [
        [name, *_both(both, name, study)]
        for name in (c.name for c in study.contestants)
        if _has(ablation, name)
    ]
    if _has(runs, SAME):
        rows.append(["uniform share 1: random questions", *_both(runs, SAME, study)])
    if rows:
        yield _table("changed", study, rows)
    else:
        yield Text("No run yet.", warns=True)


def _both(runs: Runs, name: str, study: Study) -> Iterator[str]:
    """What a variant gains, and `auto`, on the permutations that both have."""
    for budget in study.budgets:
        common = shared(runs, (name, AUTO, BASE), budget)
        only: Runs = {}
        for data, j in common:
            for one in (name, AUTO, BASE):
                only.setdefault((data, one, budget), {})[j] = runs[data, one, budget][j]
        pair = [mean_less(only, GROUPS["All sets"], one, BASE, budget) for one in (name, AUTO)]
        shown = [f"{100 * some[0]:+.0f}%" for some in pair if some]
        yield f"{' / '.join(shown)} ({pair[0][1]})" if pair[0] else ""


def _counted(some: Sequence[object], what: str) -> str:
    return f"{len(some)} {what}{'' if len(some) == 1 else 's'}"


def picture(runs: Runs, folder: Path) -> None:
    """Mean error over the sets that all have, against labels."""
    budgets = _study("labels").budgets
    names = [name for name in SHOWN if _has(runs, name)]
    whole = [set(shared(runs, names, budget)) for budget in budgets]
    common = set.intersection(*whole) if names else set()
    sets = sorted({data for data, _ in common})
    js = [j for j in sorted({j for _, j in common}) if all((d, j) in common for d in sets)]
    if not js:
        return
    curves = []
    for name in names:
        found = []
        for j in js:
            errors = [np.mean([runs[d, name, b][j].error for d in sets]) for b in budgets]
            rows = [
                ResultRow(b, b, b, float(e), True) for b, e in zip(budgets, errors, strict=True)
            ]
            found.append(Run(tuple(rows), 0, budgets[-1], rows[-1].error, "budget spent"))
        curves.append(sum_up(name, found))
    look = Look(
        "What a label budget buys",
        f"Mean test error on {_counted(sets, 'data set')}; median and quartiles of "
        f"{_counted(js, 'permutation')}.",
    )
    save_plot(draw(curves, look), folder, "errors")


if __name__ == "__main__":
    app()
