"""Feature names -> column numbers: by a fitted dictionary, by hashing, or already numbers."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from askance.data.text.hashing import hash_all, new_hashes
from askance.data.text.vwtext import Tokens
from askance.errors import BadRecord, InvalidParameter
from askance.types import State
from askance.validation import saved_part, saved_whole

__all__ = [
    "Dictionary",
    "Hashing",
    "Indexer",
    "Numbered",
    "Places",
    "hashes_of",
    "indexer_from",
]

MOST_NAMES = 2**22
"""The most names that hashing may remember: the table for them takes 128 MB."""

_WIDEST = 2**31 - 1


class Places(NamedTuple):
    """Where features go: a column and a sign each; the sign 0 stands for nowhere."""

    indices: NDArray[np.int32]
    signs: NDArray[np.float32]


class Indexer(Protocol):
    """What the ways to number features have in common."""

    open: bool
    """Whether names that were never seen get a column too."""

    @property
    def n_features(self) -> int: ...

    @property
    def names(self) -> Sequence[str]:
        """The names that are known."""

    def find(self, names: Sequence[str]) -> Places: ...

    def find_tokens(self, tokens: Tokens) -> Places: ...

    def name_of(self, index: int) -> str: ...

    def aside(self) -> "Indexer":
        """One that finds the same, and remembers nothing here."""

    def get_state(self) -> State: ...


class Dictionary:
    """Known names in sorted order; a name that was not seen when fitting has no column.

    >>> known = Dictionary({"b", "a"})
    >>> known.find(["b", "c"]).signs.tolist(), known.name_of(1)
    ([1.0, 0.0], 'b')
    """

    open = False

    def __init__(self, names: Iterable[str]) -> None:
        self._names = sorted(names)
        self._index = {name: i for i, name in enumerate(self._names)}

    @property
    def n_features(self) -> int:
        return len(self._names)

    @property
    def names(self) -> Sequence[str]:
        return self._names

    def find(self, names: Sequence[str]) -> Places:
        indices = np.array([self._index.get(name, -1) for name in names], dtype=np.int32)
        return Places(indices, (indices >= 0).astype(np.float32))

    def find_tokens(self, tokens: Tokens) -> Places:
        _, first, inverse = np.unique(tokens.hashes, return_index=True, return_inverse=True)
        places = self.find([tokens.name(k) for k in first.tolist()])
        return Places(places.indices[inverse], places.signs[inverse])

    def name_of(self, index: int) -> str:
        return self._names[index]

    def aside(self) -> "Dictionary":
        return self

    def get_state(self) -> State:
        return {"kind": "dictionary", "names": list(self._names)}


class Hashing:
    """Signed hashing to ``2 ** bits`` columns: no fit, any name.

    The first ``capacity`` names are remembered, so that a model can be read; where two share a
    column, both are given.

    >>> hashing = Hashing(bits=10)
    >>> place = hashing.find(["job=clerk"])
    >>> hashing.name_of(int(place.indices[0]))
    'job=clerk'
    """

    open = True

    def __init__(self, bits: int = 18, capacity: int = 1 << 16) -> None:
        if not 1 <= bits <= 30:
            raise InvalidParameter(f"bits must be from 1 to 30, got {bits}")
        if not 0 <= capacity <= MOST_NAMES:
            raise InvalidParameter(f"capacity must be from 0 to {MOST_NAMES}, got {capacity}")
        self._bits, self._capacity = bits, capacity
        self._seen = np.full(2 << max(1, capacity).bit_length(), -1)
        self._names: list[str] = []
        self._columns: dict[int, list[str]] = {}

    @property
    def n_features(self) -> int:
        return 1 << self._bits

    @property
    def names(self) -> Sequence[str]:
        return self._names

    def find(self, names: Sequence[str]) -> Places:
        hashes = hashes_of(names)
        self._remember(hashes, names.__getitem__)
        return self._places(hashes)

    def find_tokens(self, tokens: Tokens) -> Places:
        self._remember(tokens.hashes, tokens.name)
        return self._places(tokens.hashes)

    def name_of(self, index: int) -> str:
        return " or ".join(self._columns.get(index, [f"#{index}"]))

    def aside(self) -> "Hashing":
        return Hashing(self._bits, capacity=0)

    def get_state(self) -> State:
        names = list(self._names)
        return {"kind": "hashing", "bits": self._bits, "capacity": self._capacity, "names": names}

    def _places(self, hashes: NDArray[np.int64]) -> Places:
        indices = (hashes & (self.n_features - 1)).astype(np.int32)
        # The sign is a bit that no column number uses.
        return Places(indices, np.where(hashes >> 62 & 1, -1, 1).astype(np.float32))

    def _remember(self, hashes: NDArray[np.int64], name_at: Callable[[int], str]) -> None:
        """Take note of names that are new, in the order in which they come, while there is room."""
        room = self._capacity - len(self._names)
        places = np.empty(min(room, len(hashes)), dtype=np.int64)
        found = new_hashes(hashes, self._seen, room, places)
        for k in places[:found].tolist():
            self._names.append(name_at(k))
            column = int(hashes[k]) & (self.n_features - 1)
            self._columns.setdefault(column, []).append(self._names[-1])


def hashes_of(names: Sequence[str]) -> NDArray[np.int64]:
    """The hashes of names, which VW text comes with.

    >>> (hashes_of(["age"]) >= 0).tolist()
    [True]
    """
    try:
        encoded = [name.encode() for name in names]
    except UnicodeEncodeError as error:
        raise BadRecord(
            f"feature {error.object[:60]!r} contains half a character (a lone surrogate such as "
            "\\ud800), expected valid Unicode"
        ) from None
    hashes = np.empty(len(encoded), dtype=np.int64)
    ends = np.cumsum([len(name) for name in encoded], dtype=np.int64)
    hash_all(np.frombuffer(b"".join(encoded), dtype=np.int8), ends, hashes)
    return hashes


class Numbered:
    """Features that come with their numbers, as in LIBSVM files; columns count from 0.

    >>> Numbered(3).find(["2", "3"]).signs.tolist()
    [1.0, 0.0]
    """

    open = False

    def __init__(self, n_features: int) -> None:
        self._n_features = n_features

    @property
    def n_features(self) -> int:
        return self._n_features

    @property
    def names(self) -> Sequence[str]:
        return [str(index) for index in range(self._n_features)]

    def find(self, names: Sequence[str]) -> Places:
        known = [name.isdecimal() and int(name) < self._n_features for name in names]
        indices = [int(name) if ok else -1 for name, ok in zip(names, known, strict=True)]
        return Places(np.array(indices, dtype=np.int32), np.array(known, dtype=np.float32))

    def find_tokens(self, tokens: Tokens) -> Places:
        return self.find([tokens.name(k) for k in range(len(tokens.hashes))])

    def name_of(self, index: int) -> str:
        return str(index)

    def aside(self) -> "Numbered":
        return self

    def get_state(self) -> State:
        return {"kind": "numbered", "n_features": self._n_features}


def indexer_from(state: State) -> Indexer:
    """Bring an indexer back from its state, as a file has it."""
    if state["kind"] == "numbered":
        return Numbered(saved_whole(state, "n_features", most=_WIDEST))
    names = saved_part(state, "names", list)
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise InvalidParameter("saved names must be different strings, got others")
    if state["kind"] == "dictionary":
        return Dictionary(names)
    capacity = saved_whole(state, "capacity")
    if state["kind"] != "hashing" or len(names) > capacity:
        raise InvalidParameter(
            f"a saved indexer must hash at most {capacity} names, got {len(names)}"
        )
    hashing = Hashing(saved_whole(state, "bits"), capacity)
    hashing.find(names)
    return hashing
