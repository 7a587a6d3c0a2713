"""A user's file and a few options -> encoded rows with labels, ids and class names, read once."""

import itertools
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from askance.data.features import FeatureMap
from askance.data.features.column_features import column_kind
from askance.data.features.columns import Column, Words, some_of
from askance.data.features.indexers import Hashing
from askance.data.features.naming import kind_of
from askance.data.features.records import Batch
from askance.data.reading.files import Piece, Sources, each_source, find_files
from askance.data.reading.labels import AnyLabels, label_text
from askance.data.reading.readers import read_batches
from askance.errors import BadRecord, InvalidParameter
from askance.types import Matrix, State
from askance.validation import shown

__all__ = ["MOST_NGRAMS", "Intake", "Reading", "Rows", "new_map", "shown_kinds", "text_columns"]

SOME_WORDS = 2.0
"""Words in a value, on average, from which on a column of mostly different values is text."""

MANY_WORDS = 8.0
"""Words from which on it is text even if its values repeat."""

_FEW = 20
"""Records whose values may all differ by chance."""

MOST_NGRAMS = 9
"""Words that a run may have. A longer one hardly ever occurs twice."""

MOST_BITS = 30
"""Bits that a hash may have. A weight for each of 2 ** 30 columns takes 4 GB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How records are read: which columns are what.

    Parameters
    ----------
    format, label, id, positive, strings
        As :func:`askance.data.reading.readers.read` takes them.
    classes
        All labels, in the order of their classes; without it they are told from the file, and
        where it is empty any label is taken.
    text
        Columns of strings to cut into words; None recognises them from the first records.
    ignore
        Columns to leave out.
    ngrams, bits
        The longest run of words that makes a feature, from 1 to 9, and 2 ** bits hashed columns,
        bits from 1 to 30.
    scale
        Whether the first rows say how numbers are centred and scaled and words weighed, as
        :mod:`askance.data.features.scales` has it; labels have no part in it.
    """

    format: str | None = None
    label: str | None = None
    id: str | None = None
    positive: str | None = None
    classes: tuple[str, ...] | None = None
    strings: tuple[str, ...] = ()
    text: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    ngrams: int = 1
    bits: int = 18
    scale: bool = True

    def __post_init__(self) -> None:
        self._check_classes()
        if type(self.scale) is not bool:
            raise InvalidParameter(f"scale must be true or false, got {shown(self.scale)}")
        for name, most in (("ngrams", MOST_NGRAMS), ("bits", MOST_BITS)):
            value = getattr(self, name)
            if type(value) is not int or not 1 <= value <= most:
                raise InvalidParameter(
                    f"{name} must be a whole number from 1 to {most}, got {shown(value)}"
                )

    def _check_classes(self) -> None:
        if not self.classes:
            return
        names = [label_text(name) for name in self.classes]
        if not (len(set(names)) == len(names) >= 2 and None not in names):
            raise InvalidParameter(
                f"classes must be two or more different labels, got {shown(list(self.classes))}"
            )
        if self.positive is not None:
            raise InvalidParameter("classes name the positive one as the last of two, got both")

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        """Read the options of a file that a person wrote, such as a table of TOML.

        >>> Reading.from_options({"label": "y", "ignore": ["town"], "text": "title"}).text
        ('title',)
        """
        return cls(**{name: _option(name, value) for name, value in options.items()})

    def as_state(self) -> State:
        """What a saved model keeps of it: which columns of a file are not features.

        >>> Reading.from_state(Reading(label="spam").as_state()).label
        'spam'
        """
        # Where there is nothing to say, files stay as they were before there were more classes.
        named = {} if self.classes is None else {"classes": list(self.classes)}
        return {
            "label": self.label,
            "id": self.id,
            "positive": self.positive,
            "strings": list(self.strings),
            "ignore": list(self.ignore),
            **named,
        }

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Bring back what a saved model kept; a format is told from the next file."""
        return cls(
            label=state.get("label"),
            id=state.get("id"),
            positive=state.get("positive"),
            classes=tuple(state["classes"]) if "classes" in state else None,
            strings=tuple(state.get("strings", ())),
            ignore=tuple(state.get("ignore", ())),
        )

    def unlabelled(self) -> "Reading":
        """The same for a file whose label column, if it has one, is not wanted."""
        dropped = () if self.label is None else (self.label,)
        return replace(
            self, label=None, positive=None, classes=None, ignore=(*self.ignore, *dropped)
        )


def _option(name: str, value: Any) -> Any:
    if name in ("strings", "text", "ignore"):
        names = [value] if isinstance(value, str) else value
        if isinstance(names, list) and all(isinstance(one, str) for one in names):
            return tuple(names)
        raise InvalidParameter(f"{name} must be a list of column names, got {shown(value)}")
    if name in ("ngrams", "bits", "scale"):
        return value
    if name == "positive":
        return _label(name, value)
    if name == "classes":
        return tuple(_label(name, one) for one in (value if isinstance(value, list) else [value]))
    if name not in ("format", "label", "id"):
        known = ", ".join(Reading.__dataclass_fields__)
        raise InvalidParameter(f"a file is read with {known}, got {shown(name)}")
    if isinstance(value, str) and value:
        return value
    raise InvalidParameter(f"{name} must be text, got {shown(value)}")


def _label(name: str, value: Any) -> str:
    # It may be a number or a switch: TOML has 1 and true without quotes.
    text = label_text(value) if isinstance(value, str) or _is_number(value) else None
    if text is None:
        raise InvalidParameter(f"{name} must be a label, got {shown(value)}")
    return text


def _is_number(value: object) -> bool:
    """Whether a value is a number that a float can hold; true and false are 1 and 0."""
    return isinstance(value, int | float) and abs(value) <= sys.float_info.max


class Rows(NamedTuple):
    """Some records in a row, as they were read and as they are learned from."""

    batch: Batch
    csr: Matrix


class Intake:
    r"""A file, encoded while it is read, once, in constant memory.

    The first rows are read ahead if they are to say how values are scaled.

    Parameters
    ----------
    source
        A path, a pattern or an address, or several of them, whose records are numbered through; or
        ``-`` for standard input.
    reading
        Which columns are what.
    features
        The map of a saved model; without one, names are hashed. With one, what the reading ignores
        need not be there.
    every_id
        Refuse a record without an id, where a column of ids is named; else it gets its number.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "mail.csv"
    >>> _ = file.write_text("subject,size,spam\nwin a car now,3,yes\nlunch at one,5,no\n")
    >>> intake = Intake(file, Reading(label="spam"))
    >>> intake.columns
    {'subject': 'text', 'size': 'number'}
    >>> [rows.batch.labels.tolist() for rows in intake], intake.classes
    ([[1, -1]], ('no', 'yes'))
    """

    def __init__(
        self,
        source: Sources,
        reading: Reading,
        features: FeatureMap | None = None,
        *,
        every_id: bool = False,
    ) -> None:
        if not isinstance(source, Piece):
            source = find_files(source)
        self.source = _named(source)
        self.reading = reading
        self._every_id = every_id and reading.id is not None
        self._labels = AnyLabels(reading.positive, reading.classes)
        self._batches = self._read(source, features)
        first = next(self._batches, None)
        if first is None:
            raise BadRecord(f"{self.source} holds no records")
        self._first = self._without_ignored(first)
        self._ahead = [self._first]
        if features is None:
            self._check_names(first)
            features = new_map(self._first, reading)
            if reading.scale:
                features.learn_scales(self._read_ahead())
        self.features = features

    def __iter__(self) -> Iterator[Rows]:
        """Walk over the file, batch after batch; it can be done once."""
        for batch in self.batches():
            yield Rows(batch, self.features.encode_batch(batch))

    def batches(self) -> Iterator[Batch]:
        """The same walk without the encoding, for callers that do not need every row."""
        self.settle()
        while self._ahead:
            yield self._meant(self._ahead.pop(0))
        yield from (self._meant(self._without_ignored(batch)) for batch in self._batches)

    def settle(self) -> None:
        """Decide by what was read so far whether there are two classes or more."""
        self._labels.settle()

    def _meant(self, batch: Batch) -> Batch:
        return batch._replace(labels=self._labels.meant(batch.labels))

    def read_whole(self) -> None:
        """Read the file to its end, so that its classes are known before the walk."""
        self._ahead += map(self._without_ignored, self._batches)

    @property
    def classes(self) -> tuple[str, ...]:
        """The user's names of the classes, as far as they have been read; of two, -1 and +1."""
        return self._labels.classes

    @property
    def is_table(self) -> bool:
        """Whether every record has every column."""
        return isinstance(self._first.content, dict)

    @property
    def columns(self) -> dict[str, str]:
        """What each column of the first records is read as; none where a format has no columns."""
        return shown_kinds(_kinds(self._first), self.features)

    def likely_ids(self) -> list[str]:
        """Columns that look like ids, from which nothing can be learned.

        Their first values all differ, and are single words, or numbers that count up by one.
        """
        content = self._first.content
        if not isinstance(content, dict) or len(self._first.ids) < _FEW:
            return []
        return [
            name
            for name, column in content.items()
            if name not in self.features.text and _looks_like_ids(column)
        ]

    def _read_ahead(self) -> Iterator[Batch]:
        """Batches that are kept for the walk."""
        yield self._first
        for batch in map(self._without_ignored, self._batches):
            self._ahead.append(batch)
            yield batch

    def _read(self, source: Sources, features: FeatureMap | None) -> Iterator[Batch]:
        options = self.reading
        known = [] if features is None else [n for n, k in features.kinds.items() if k == "string"]
        strings = (*options.strings, *(options.text or ()), *known)
        columns = options.label, options.id
        return read_batches(
            source,
            options.format,
            *columns,
            self._labels,
            strings,
            # Who reads a piece does not see the files before it.
            expected=features.kinds if features and isinstance(source, Piece) else (),
            ignored=options.ignore,
            every_id=self._every_id,
        )

    def _without_ignored(self, batch: Batch) -> Batch:
        content, ignored = batch.content, self.reading.ignore
        if not ignored or not isinstance(content, dict | list):
            return batch
        if isinstance(content, dict):
            kept = {name: column for name, column in content.items() if name not in ignored}
            return batch._replace(content=kept)
        records = [{k: v for k, v in fields.items() if k not in ignored} for fields in content]
        return batch._replace(content=records)

    def _check_names(self, first: Batch) -> None:
        """A column that is named must be there: it may be a typo."""
        kinds = _kinds(first)
        options = self.reading
        wanted = {
            "for strings": options.strings,
            "for text": options.text or (),
            "to ignore": options.ignore,
        }
        for role, names in wanted.items():
            for name in names:
                # The features of a namespace are not columns.
                if name.partition("^")[0] not in kinds:
                    has = some_of(kinds) or "none"
                    raise InvalidParameter(
                        f"{self.source} has no column {name!r} {role}, its columns are {has}"
                    )


def new_map(first: Batch, reading: Reading) -> FeatureMap:
    """A map for records of which these are the first: they say which columns are text."""
    text = reading.text
    if text is None:
        text = tuple(name for name in text_columns(first) if name not in reading.strings)
    return FeatureMap(Hashing(reading.bits), text, reading.ngrams)


def _named(source: Sources) -> str:
    """What messages call a source."""
    first, *more = each_source(source)
    name = first.source if isinstance(first, Piece) else str(first)
    name = "standard input" if name == "-" else name
    return f"{name} and {len(more)} more" if more else name


def _looks_like_ids(column: Column) -> bool:
    if isinstance(column, Words):
        return len(column.values) == len(column.codes)
    return isinstance(column, np.ndarray) and bool((np.diff(column) == 1).all())


_SHOWN = {"string": "category", None: "empty"}


def shown_kinds(kinds: Mapping[str, str | None], features: FeatureMap) -> dict[str, str]:
    """What columns are read as, in the words of a user.

    >>> shown_kinds({"title": "string", "town": "string"}, FeatureMap(text=["title"]))
    {'title': 'text', 'town': 'category'}
    """
    return {
        name: "text" if name in features.text else _SHOWN.get(kind) or str(kind)
        for name, kind in kinds.items()
    }


def _kinds(batch: Batch) -> dict[str, str | None]:
    """The kind of each column of some records; None holds nothing yet."""
    content = batch.content
    if isinstance(content, dict):
        return {name: column_kind(column) for name, column in content.items()}
    kinds: dict[str, str | None] = {}
    if isinstance(content, list):
        for name, value in itertools.chain.from_iterable(fields.items() for fields in content):
            kinds[name] = kinds.get(name) or kind_of(name, value)
    return kinds


def text_columns(batch: Batch) -> list[str]:
    """Columns of strings that are text rather than categories, from some of their values.

    Text has two words or more in a value and seldom the same value twice, or eight words or more.

    >>> titles = Words(np.arange(3, dtype=np.int32), ["a red car", "two blue cars", "no car"])
    >>> towns = Words(np.array([0, 1, 0, 1, 1]), ["New York", "Los Angeles"])
    >>> text_columns(Batch(["1"], np.zeros(1, np.int8), {"title": titles, "town": towns}))
    ['title']
    """
    return [name for name, values in _strings(batch).items() if _is_text(values)]


def _strings(batch: Batch) -> dict[str, list[str]]:
    content = batch.content
    if isinstance(content, dict):
        words = {name: c for name, c in content.items() if isinstance(c, Words)}
        return {
            n: [w.values[code] for code in w.codes.tolist() if code >= 0] for n, w in words.items()
        }
    found: dict[str, list[str]] = {}
    if isinstance(content, list):
        for name, value in itertools.chain.from_iterable(fields.items() for fields in content):
            if isinstance(value, str):
                found.setdefault(name, []).append(value)
    return found


def _is_text(values: Sequence[str]) -> bool:
    if not values:
        return False
    words = sum(len(value.split()) for value in values) / len(values)
    mostly_different = 2 * len(set(values)) >= len(values)
    return words >= MANY_WORDS or (words >= SOME_WORDS and mostly_different)
