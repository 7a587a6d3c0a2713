"""A weighted sample as it was exported, checked before anything is judged by it."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.data.features.columns import some_of
from askance.data.reading.labels import label_text
from askance.data.reading.readers import read_columns
from askance.errors import BadRecord, InvalidParameter
from askance.exports.sample_table import AUDITED, BASIC, HELD_OUT, ORIGIN, columns_beside
from askance.storage.tables import unmarked
from askance.types import Floats, LabelPlaces
from askance.validation import shown

__all__ = ["StoredSample", "read_sample"]

BLIND = frozenset(
    {
        "online_active_cover",
        "oracular_iwal0",
        "oracular_iwal1",
        "active_cover",
        "oracular_cal",
        "coal",
    }
)
"""Algorithms that never ask outside their region, and whose samples say nothing of it."""

_SURE = frozenset({"passive", "margin", "iwal0", "iwal1", "batch_iwal", "auto"})

_NEEDED = ("id", "label", "weight", "n")


@dataclass(frozen=True, slots=True, eq=False)
class StoredSample:
    """The labels of a sample, with all that it says of how they were asked for.

    Parameters
    ----------
    source
        The file, for messages.
    ids, labels
        By the names that their owner gave.
    weights
        1/P.
    n
        Examples that were offered and not refused.
    algorithm
        What has asked.
    floor
        What P was to stay above, if that was known beforehand.
    places
        Where the labels stood; None in a table of an earlier version.
    records
        The columns of the labelled records, as the table names them.
    own
        Names of columns that are the sample's own.
    held_out
        Those labels that the learner was not shown, a sample by themselves; None without any.
    held_out_rows
        Their rows in this one.
    """

    source: str
    ids: list[str]
    labels: list[str]
    weights: Floats
    n: int
    algorithm: str
    floor: float | None
    places: LabelPlaces | None
    records: dict[str, list[Any]]
    own: frozenset[str]
    held_out: "StoredSample | None" = None
    held_out_rows: tuple[int, ...] = ()

    def record_column(self, name: str, known: Collection[str]) -> list[Any] | None:
        """A column by the name that it had among the ``known`` ones of a record; None without it.

        A name that the sample needs for itself was written with underscores in front.
        """
        written = columns_beside({one: one for one in (*known, name)}, self.own)
        places = {original: free for free, original in written.items()}
        return self.records.get(places[name])

    def is_mapping(self, name: str) -> bool:
        """Whether a column holds mappings, as JSON in a table that has no room for them."""
        first = next((value for value in self.records[name] if value is not None), None)
        return isinstance(first, dict) or (isinstance(first, str) and first.startswith("{"))

    @property
    def classes(self) -> list[str]:
        """The names of all labels, in their order."""
        return sorted(set(self.labels))


def read_sample(path: str | Path, algorithm: str | None = None) -> StoredSample:
    r"""Read a sample that ``run``, ``label`` or ``export`` wrote.

    Parameters
    ----------
    path
        A table of CSV, TSV or Parquet.
    algorithm
        What has asked, for tables of earlier versions, which do not tell.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "sample.csv"
    >>> _ = path.write_text("id,label,weight,n,age\na,yes,1,3,39\nb,no,2,3,50\n")
    >>> sample = read_sample(path, "margin")
    >>> sample.labels, sample.weights.tolist(), sample.n, sample.records
    (['yes', 'no'], [1.0, 2.0], 3, {'age': ['39', '50']})
    """
    source = str(path)
    table = {
        unmarked(name): [unmarked(value) for value in values]
        for name, values in read_columns(path).items()
    }
    missing = [name for name in _NEEDED if name not in table]
    if missing:
        raise BadRecord(
            f"{source} is no weighted sample of askance: it has no column "
            f"{some_of(map(repr, missing))}, its columns are {some_of(table)}"
        )
    if not table["id"]:
        raise BadRecord(f"{source} holds no labels")
    n, weights = _n(table, source), _weights(table, source)
    places = _places(table, source, n)
    whole = StoredSample(
        source=source,
        ids=_texts(table, "id", source, str),
        labels=_labels(table, source),
        weights=weights,
        n=n,
        algorithm=_algorithm(table, source, algorithm, places),
        floor=_floor(table, source),
        places=places,
        records={name: values for name, values in table.items() if name not in _own(table)},
        own=frozenset(_own(table)),
    )
    if not whole.own.issuperset(HELD_OUT):
        return whole
    rows = [row for row, value in enumerate(table["held_out"]) if value == "yes"]
    held = _held_out(table, whole, rows)
    return replace(whole, held_out=held, held_out_rows=tuple(rows))


def _held_out(
    table: Mapping[str, Sequence[Any]], whole: StoredSample, rows: Sequence[int]
) -> StoredSample | None:
    """The labels that were held out; where they stood among each other is not known."""
    expected = f"a whole number from {len(rows):,} to {whole.n:,}"
    ns = _numbers(
        table,
        "n_held_out",
        whole.source,
        lambda n: n.is_integer() and len(rows) <= n <= whole.n,
        expected,
    )
    labels = [whole.labels[row] for row in rows]
    if len(set(labels)) < 2 or len(set(ns.tolist())) > 1:
        return None
    weights = whole.weights[list(rows)]
    # A learner that spreads its budget asks about all that it holds out alike.
    alike = whole.algorithm == "auto" and bool(np.ptp(weights) == 0)
    return replace(
        whole,
        ids=[whole.ids[row] for row in rows],
        labels=labels,
        weights=weights,
        n=int(ns[0]),
        floor=float(1.0 / weights[0]) if alike or (weights == 1).all() else None,
        places=None,
        records={name: [values[row] for row in rows] for name, values in whole.records.items()},
    )


def _own(table: Mapping[str, Any]) -> set[str]:
    """Columns that are not the record's: those of an earlier version have no origin."""
    origin = (*ORIGIN, *(HELD_OUT if all(name in table for name in HELD_OUT) else ()))
    return {*BASIC, *(origin if "position" in table else ())}


def _bad(source: str, row: int, found: str, expected: str) -> BadRecord:
    return BadRecord(f"row {row + 1:,} of {source} has {found}, {expected}")


def _texts(
    table: Mapping[str, Sequence[Any]],
    name: str,
    source: str,
    text: Callable[[Any], str | None],
) -> list[str]:
    found = []
    for row, value in enumerate(table[name]):
        known = None if value is None else text(value)
        if known is None:
            raise _bad(source, row, f"no {name}", "each label needs one")
        found.append(known)
    return found


def _labels(table: Mapping[str, Sequence[Any]], source: str) -> list[str]:
    labels = _texts(table, "label", source, label_text)
    if len(set(labels)) < 2:
        raise BadRecord(
            f"all {len(labels):,} labels of {source} are {labels[0]!r}, "
            "labels of two classes or more were expected"
        )
    return labels


def _cell(value: Any) -> str:
    """A cell as it is shown; a reader makes None of NaN."""
    return "NaN or nothing" if value is None else shown(value)


def _number(value: Any) -> float:
    """A number of a cell; NaN where it is none."""
    try:
        return math.nan if value is None else float(value)
    except (TypeError, ValueError):
        return math.nan


def _numbers(
    table: Mapping[str, Sequence[Any]],
    name: str,
    source: str,
    good: Callable[[float], bool],
    expected: str,
) -> NDArray[np.float64]:
    found = [_number(value) for value in table[name]]
    for row, number in enumerate(found):
        if not good(number):
            raise _bad(source, row, f"the {name} {_cell(table[name][row])}", f"expected {expected}")
    return np.array(found)


def _n(table: Mapping[str, Sequence[Any]], source: str) -> int:
    rows = len(table["n"])
    expected = f"a whole number from {rows:,}, the labels, on"
    found = _numbers(table, "n", source, lambda n: n.is_integer() and rows <= n < 2**53, expected)
    if len(set(found.tolist())) > 1:
        raise BadRecord(
            f"n of {source} must be the same in each row, got {found.min():.0f} and "
            f"{found.max():.0f}"
        )
    return int(found[0])


def _weights(table: Mapping[str, Sequence[Any]], source: str) -> Floats:
    expected = "a finite number of at least 1"
    weights = _numbers(table, "weight", source, lambda w: 1 <= w < math.inf, expected)
    for row, cell in enumerate(table.get("probability", ())):
        if not abs(weights[row] * _number(cell) - 1) < 1e-6:
            found = f"the weight {weights[row]:g} and the probability {_cell(cell)}"
            raise _bad(source, row, found, "one is one over the other")
    return weights


def _is_empty(values: Sequence[Any]) -> bool:
    return all(value is None for value in values)


def _places(table: Mapping[str, Sequence[Any]], source: str, n: int) -> LabelPlaces | None:
    if "position" not in table or _is_empty(table["position"]):
        return None
    absent = [name for name in ORIGIN if name not in table]
    if absent:
        raise BadRecord(f"{source} has a column 'position' but none {absent[0]!r}")
    positions = _numbers(
        table, "position", source, lambda p: p.is_integer() and 0 <= p < n, f"one from 0 to {n - 1}"
    )
    falls = np.flatnonzero(np.diff(positions) <= 0)
    if len(falls):
        row = int(falls[0]) + 1
        raise _bad(
            source, row, f"the position {positions[row]:.0f}", "one after that of the row before"
        )
    least = _numbers(table, "least", source, lambda p: 0 <= p <= 1, "one from 0 to 1")
    unanswered = [
        tuple(_number(one) for one in str(cell or "").split()) for cell in table["unanswered"]
    ]
    gaps = np.diff(positions, prepend=-1) - 1
    for row, (missing, gap) in enumerate(zip(unanswered, gaps.tolist(), strict=True)):
        if not (all(0 < one <= 1 for one in missing) and len(missing) <= gap):
            found = f"{shown(table['unanswered'][row])} as unanswered"
            raise _bad(source, row, found, f"at most {gap:.0f} probabilities were expected")
    return LabelPlaces(positions.astype(np.int64), least, unanswered)


def _floor(table: Mapping[str, Sequence[Any]], source: str) -> float | None:
    if "floor" not in _own(table) or _is_empty(table["floor"]):
        return None
    floors = _numbers(table, "floor", source, lambda p: 0 < p <= 1, "one above 0, at most 1")
    if len(set(floors.tolist())) > 1:
        raise BadRecord(f"the floor of {source} must be the same in each row, got several")
    return float(floors[0])


def _algorithm(
    table: Mapping[str, Sequence[Any]],
    source: str,
    given: str | None,
    places: LabelPlaces | None,
) -> str:
    """What has asked; refused if it may pass over examples without any chance of a question."""
    told = set(table["algorithm"] if "algorithm" in _own(table) else ()) - {None}
    if given is not None:
        told.add(given)
    if not told:
        raise InvalidParameter(
            f"{source} does not say which algorithm has asked, as tables of earlier versions do "
            "not: name it by --algorithm"
        )
    if len(told) > 1:
        raise BadRecord(f"the labels of {source} were asked by several: {some_of(sorted(told))}")
    name = str(told.pop())
    asked_all = places is not None and bool((places.least > 0).all())
    plain = name.removesuffix(AUDITED)
    blind = plain in BLIND and plain == name
    if blind or not (asked_all if places is not None else plain in _SURE):
        raise BadRecord(
            f"{source} was asked by {name}, which never asks about some examples, so it says "
            "nothing of them: expected auto, passive, margin or IWAL"
        )
    return name
