"""Rows of a store -> arrays for the metrics, with what is missing."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askance.data.catalog import CATALOG
from askance.study.design import Study, code_of
from askance.study.metrics import auc, auc_literal, gains
from askance.types import Floats, Integers

__all__ = ["Curves", "Results", "collect", "holes", "newest_last", "parts", "wanted"]


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """All that a data set gave, over its complete permutations: no cell of them is missing.

    ``errors`` and ``queries`` are ``[permutation, setting, budget]``, ``seconds`` is
    ``[permutation, setting]``; settings are in the order of the study. ``data`` is the fingerprint
    of its content.
    """

    dataset: str
    permutations: list[int]
    errors: Floats
    queries: Integers
    seconds: Floats
    data: str = ""

    @property
    def examples(self) -> int | None:
        """How many examples a set of the catalog has, by its fingerprint; None for other sets."""
        n, *others = self.data.split(" ")
        return int(n) if len(others) == 3 else None


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """Curves of every data set with at least one complete permutation."""

    study: Study
    curves: list[Curves]
    partial: dict[str, int]
    """Cells of incomplete permutations, by data set: they are left out."""

    def columns(self, name: str) -> list[int]:
        """Places of a contestant's settings."""
        places = {pair: i for i, pair in enumerate(self.study.settings())}
        one = next(c for c in self.study.contestants if c.name == name)
        return [places[one.algorithm, setting] for setting in one.settings]

    def gains(self, name: str, *, literal: bool = False) -> list[Floats]:
        """Relative gains of a contestant over the base: ``[permutation, setting]`` by data set."""
        columns = self.columns(name)
        areas = [self._areas(curves, literal) for curves in self.curves]
        # The base is the first setting of a study.
        return [gains(area[:, 0], area[:, columns]) for area in areas]

    def _areas(self, curves: Curves, literal: bool) -> Floats:
        if literal:
            return auc_literal(curves.errors, curves.queries)
        return auc(curves.errors, self.study.budgets)


def wanted(study: Study) -> list[str]:
    """Names of a study's data sets, here or not, in its order; the catalog's is the paper's."""
    return list(dict.fromkeys(name for origin in study.origins for name in origin.names))


def holes(results: Results) -> list[str]:
    """One sentence for each thing that the study asks for and the store has not."""
    here = {curves.dataset for curves in results.curves}
    away = [name for name in wanted(results.study) if name not in here]
    found = []
    if away:
        found.append(f"No permutation is complete for {', '.join(away)}.")
    short = [c for c in results.curves if len(c.permutations) < results.study.permutations]
    if short:
        counts = ", ".join(f"{c.dataset} {len(c.permutations)}" for c in short)
        found.append(
            f"Fewer than {results.study.permutations} permutations are complete: {counts}."
        )
    if results.partial:
        cells = sum(results.partial.values())
        found.append(f"{cells} runs of incomplete permutations are left out.")
    return found


def parts(results: Results) -> list[str]:
    """One sentence for each data set of which the results know only a part."""
    known = [(c.dataset, c.examples, CATALOG.get(c.dataset)) for c in results.curves]
    return [
        f"{name} is {n:,} of the paper's {entry.paper.n:,} {entry.part}."
        for name, n, entry in known
        if n and entry and entry.part and n < entry.paper.n
    ]


def collect(study: Study, table: pa.Table) -> Results:
    """Arrange a store's rows, the data sets in the order of the study."""
    curves, partial = [], {}
    good = newest_last(study, table.filter(pc.is_null(table["failure"])))
    here = pc.unique(good["dataset"]).to_pylist()
    for dataset in [name for name in wanted(study) if name in here]:
        rows = good.filter(pc.equal(good["dataset"], dataset))
        found, left_out = _curves(study, dataset, rows)
        if len(found.permutations):
            curves.append(found)
        if left_out:
            partial[dataset] = left_out
    return Results(study, curves, partial)


def newest_last(study: Study, table: pa.Table) -> pa.Table:
    """Rows that the code as it is now has made come last, and so count before others."""
    now = pa.array(sorted({code_of(algorithm) for algorithm, _ in study.settings()}))
    made = pc.is_in(table["code"].cast(pa.string()), now).to_numpy()
    return table if not made.any() else table.take(np.argsort(made, kind="stable"))


def _curves(study: Study, dataset: str, rows: pa.Table) -> tuple[Curves, int]:
    """One data set's arrays over its complete permutations, and how many cells were left out."""
    pairs = study.settings()
    place, q, j = (
        _places(rows, list(pairs)),
        _budget_places(rows, study),
        _numbers(rows, "permutation"),
    )
    known = (place >= 0) & (q >= 0) & (j <= study.permutations)
    at = (j[known] - 1, place[known], q[known])
    shape = (study.permutations, len(pairs), len(study.budgets))
    errors, queries, seconds = np.full(shape, np.nan), np.zeros(shape, np.int64), np.zeros(shape)
    errors[at] = _numbers(rows, "error")[known]
    queries[at] = _numbers(rows, "queries")[known]
    seconds[at] = _numbers(rows, "seconds")[known]
    whole = np.isfinite(errors).all(axis=(1, 2))
    left_out = int(np.isfinite(errors[~whole]).all(axis=2).sum())
    numbers = (np.flatnonzero(whole) + 1).tolist()
    arrays = errors[whole], queries[whole], seconds[whole, :, -1]
    return Curves(dataset, numbers, *arrays, data=rows["data"][-1].as_py()), left_out


def _numbers(rows: pa.Table, name: str) -> Floats | Integers:
    array: Floats | Integers = rows[name].to_numpy()
    return array


def _budget_places(rows: pa.Table, study: Study) -> Integers:
    budgets = _numbers(rows, "budget")
    places = np.searchsorted(study.budgets, budgets)
    places[places == len(study.budgets)] = 0
    return np.where(np.asarray(study.budgets)[places] == budgets, places, -1)


def _places(rows: pa.Table, pairs: list[tuple[str, str]]) -> Integers:
    """Place of each row's algorithm and setting in the study, -1 where it has none."""
    codes, words = [], []
    for name in ("algorithm", "setting"):
        column = rows[name].unify_dictionaries().combine_chunks()
        chunk = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
        codes.append(chunk.indices.to_numpy())
        words.append({word: i for i, word in enumerate(chunk.dictionary.to_pylist())})
    table = np.full((len(words[0]), len(words[1])), -1)
    for place, (algorithm, setting) in enumerate(pairs):
        if algorithm in words[0] and setting in words[1]:
            table[words[0][algorithm], words[1][setting]] = place
    return np.asarray(table[codes[0], codes[1]])
