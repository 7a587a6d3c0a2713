"""What a label budget buys: the study ``studies/labels.toml``, its peers, its ablation, its page.

``askance study run studies/labels.toml`` and ``... studies/ablation.toml`` run what is missing of
`auto` and the paper's algorithms, ``python -m benchmarks.labels peers`` what is missing of the
peers (see :mod:`benchmarks.pools`). All can be stopped at any time, and take ``--permutations`` and
``--data``. ``python -m benchmarks.labels report`` exports the three stores to
``docs/results/labels`` and writes the page and the picture there from what they hold. ``...
ceiling`` runs what all labels would give (:mod:`benchmarks.ceiling`), and ``... times`` measures
whole runs beside a peer's (:mod:`benchmarks.run_times`); the page shows both.

Finished results count as done. So after a change of `auto` remove the Parquet files of
``docs/results/labels``: in ``stores`` its runs are named by the code that made them, and those of
other code are run again.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import typer
from scipy.stats import t as student

from askance.plots.curve import sum_up
from askance.plots.figure import Look, draw, save_plot
from askance.storage.files import write_atomically
from askance.study.blocks import Block, Heading, TableBlock, Text, markdown
from askance.study.design import Study, part_of, read_study
from askance.study.results import newest_last
from askance.study.store import Store, export_results, read_results
from askance.types import ResultRow, Run
from benchmarks import pools
from benchmarks.ceiling import MOST, ceilings, run_ceilings
from benchmarks.run_times import Taken, measure, read_times, write_times

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "results" / "labels"
STUDIES = {"labels": FOLDER, "ablation": FOLDER / "ablation"}
"""The studies, and where their results are committed."""

TIMES = FOLDER / "times.csv"

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

TEXTS = ("20news", "rcv1")
"""Sets of words, which count among those with most room whatever their room."""

ROOMY = 14
"""How many sets those with most room are."""

ROOM_AT = (100, 300, 1000)
"""Budgets over which room is measured."""

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


@app.command()
def ceiling(
    data_dir: Annotated[Path | None, typer.Option(envvar="ASKANCE_DATA")] = None,
    stores: Path = Path("stores"),
    permutations: int = 1,
    data: list[str] | None = None,
) -> None:
    """Run what is missing of what all labels would give."""
    study = _study("labels")
    store = Store(stores / "ceiling")
    with store.writing(study.text):
        store.adopt(FOLDER / "ceiling")
        part = part_of(study, permutations=permutations, datasets=data or ())
        for cell in run_ceilings(part, store, data_dir):
            print(cell.dataset, cell.permutation, flush=True)
        store.compact()


@app.command()
def times(data_dir: Annotated[Path | None, typer.Option(envvar="ASKANCE_DATA")] = None) -> None:
    """Time whole runs of auto and of a peer, in turns, and keep what they took."""
    write_times(TIMES, list(measure(_study("labels"), PEER, data_dir)))


def _study(name: str) -> Study:
    return read_study(ROOT / "studies" / f"{name}.toml")


# ------------------------------------------------------------------ reading


Runs = dict[tuple[str, str, int], dict[int, float]]
"""By data set, contestant and budget: test errors of the permutations that were run."""


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
            runs.setdefault(at, {})[row["permutation"]] = row["error"]
    return runs


def _settings(table: pa.Table, algorithm: str) -> list[str]:
    some = table.filter(pc.equal(table["algorithm"].cast(pa.string()), algorithm))
    return sorted(set(some["setting"].to_pylist()))


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
    return tuple([found[j] for j in both] for found in pair)


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
    others = {name: FOLDER / name for name in ("peers", "ceiling")}
    for name, folder in {**STUDIES, **others}.items():
        store = Store(stores / name)
        if store.study_path.is_file():
            export_results(store, folder)
    runs, ablation = read()
    (FOLDER / "report").mkdir(parents=True, exist_ok=True)
    with write_atomically(FOLDER / "report" / "summary.md") as file:
        file.write(markdown(list(page(runs, ablation, *known()))).encode())
    picture(runs, FOLDER)


def known(folder: Path = FOLDER) -> tuple[dict[str, float], list[Taken]]:
    """Errors with all labels, and times."""
    return ceilings(folder / "ceiling"), read_times(folder / TIMES.name)


def page(
    runs: Runs, ablation: Runs, least: dict[str, float], taken: Sequence[Taken]
) -> Iterator[Block]:
    """All tables, with the sentences that stand around them."""
    study = _study("labels")
    groups = _groups(runs, least)
    yield Heading("What a label budget buys", 1)
    yield from _face(runs, study)
    yield Heading("Less error")
    yield Text(
        "1 - error/error of passive learning of the online linear classifier, mean over data sets "
        "(their number)."
    )
    if ROOM in groups:
        yield Text(_rule(groups[ROOM]))
    names = [*(c.name for c in study.contestants), *pools.PEERS]
    for title, sets in groups.items():
        yield Heading(title, 3)
        rows = [[name, *_lesses(runs, sets, name, BASE, study)] for name in names]
        yield _table("contestant", study, [row for row in rows if any(row[1:])])
    yield Heading("Against passive learning with the same mixture")
    yield Text("1 - error/error of the same classifiers, fitted to labels of a random sample.")
    rows = [[title, *_lesses(runs, sets, AUTO, SAME, study)] for title, sets in groups.items()]
    yield _table("auto", study, rows)
    yield from _worse(runs, study)
    yield from _errors(runs, study, least)
    yield from _peers(runs, study)
    yield from _times(taken, study)
    yield from _ablation(runs, ablation)


ROOM = f"The {ROOMY} sets with most room"


def room(runs: Runs, data: str, least: dict[str, float]) -> float | None:
    """By how much the error of passive learning could fall if all labels were known."""
    found = [
        1 - least[data] / float(np.mean(list(errors.values())))
        for budget in ROOM_AT
        if data in least and (errors := runs.get((data, BASE, budget)))
    ]
    return float(np.mean(found)) if found else None


def _groups(runs: Runs, least: dict[str, float]) -> dict[str, Sequence[str]]:
    """The groups of sets, with those that have most room, where that is known of enough."""
    rooms = {data: room(runs, data, least) for data in GROUPS["All sets"]}
    others = {data: one for data, one in rooms.items() if one is not None and data not in TEXTS}
    roomy = sorted(others, key=lambda data: -others[data])[: ROOMY - len(TEXTS)]
    groups: dict[str, Sequence[str]] = dict(GROUPS)
    if len(roomy) + len(TEXTS) < ROOMY:
        return groups
    return {"All sets": groups.pop("All sets"), ROOM: (*TEXTS, *roomy), **groups}


def _rule(sets: Sequence[str]) -> str:
    budgets = ", ".join(f"{budget:,}" for budget in ROOM_AT)
    return (
        f"On some sets passive learning is nearly as good as all labels of the stream (or the "
        f"first {MOST:,} of them) would be, so nobody can have much less error there. Room is 1 - "
        f"error with all labels/error of passive learning, mean over {budgets} labels; auto has no "
        f"part in it. The {ROOMY} sets with most room are the two of words, {' and '.join(TEXTS)}, "
        f"and of the others those with most: {', '.join(sets[len(TEXTS) :])}."
    )


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


def _errors(runs: Runs, study: Study, least: dict[str, float]) -> Iterator[Block]:
    yield Heading("Errors on each set")
    yield Text(
        f"In percent, means over permutations: {' / '.join(SHOWN)}. The last column is what a part "
        f"of the mixture has with all labels of the stream, or the first {MOST:,}."
    )
    heads = ["data set", *(f"{b:,} labels" for b in study.budgets), "all labels"]
    for title, sets in list(GROUPS.items())[1:]:
        yield Heading(title, 3)
        here = [data for data in sets if any((data, n, study.budgets[0]) in runs for n in SHOWN)]
        rows = [[data, *_of_set(runs, data, study), _percent(least.get(data))] for data in here]
        yield TableBlock(heads, rows)


def _percent(error: float | None) -> str:
    return "-" if error is None else f"{100 * error:.1f}"


def _of_set(runs: Runs, data: str, study: Study) -> Iterator[str]:
    for budget in study.budgets:
        found = [runs.get((data, name, budget), {}).values() for name in SHOWN]
        means = [float(np.mean(list(some))) if some else None for some in found]
        yield " / ".join(map(_percent, means))


def _peers(runs: Runs, study: Study) -> Iterator[Block]:
    yield Heading("Beside other libraries")
    yield Text(
        "Pool-based peers look at all examples before each question, ask for a tenth of the budget "
        "at a time, and fit the forest of the mixture. They take dense arrays, so sets of more "
        f"than {pools.WIDEST:,} features are left out for them. Error in percent, means over the "
        "sets (their number) and permutations that all of them have at a budget. A sample can be "
        "reweighted if the probability of each question is known and never 0."
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
    error = float(np.mean([runs[data, name, budget][j] for data, j in common]))
    return f"{_percent(error)} ({len({data for data, _ in common})})"


def _times(taken: Sequence[Taken], study: Study) -> Iterator[Block]:
    if not taken:
        return
    sets = sorted({one.data for one in taken})
    yield Text(
        f"CPU seconds of a whole run, both in one process by turns, means over {', '.join(sets)}:"
    )
    rows = []
    for name in dict.fromkeys(one.contestant for one in taken):
        found = {
            budget: [t.seconds for t in taken if (t.contestant, t.budget) == (name, budget)]
            for budget in study.budgets
        }
        rows.append([name, *(f"{np.mean(some):.1f}" if some else "" for some in found.values())])
    yield _table("contestant", study, rows)


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
            errors = [np.mean([runs[d, name, b][j] for d in sets]) for b in budgets]
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
