"""Random numbers of the rows of a pool, each by itself: who draws them, and when, changes no bit.

A row's numbers come from Philox, a generator that turns a counter and a key into four words. The
key is the seed; the counter is a digest of the row's id, or its number where rows have no ids.
"""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.types import Floats, Integers

__all__ = ["Draws", "digest_of_id", "draws_of", "philox"]

Words = NDArray[np.uint64]

_MULTIPLIERS = np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157)
_KEY_STEPS = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B)
_CYCLES = 10
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


class Draws(NamedTuple):
    """Three numbers of each row, uniform on [0, 1), of which none tells anything of another.

    ``turn`` says in which round the row is decided, ``coin`` whether it is asked about, and
    ``pick`` whether it is one of the rows that are kept.
    """

    turn: Floats
    coin: Floats
    pick: Floats

    def rounds(self, count: int) -> Integers:
        """The round of each row, from 0 on, of so many.

        >>> Draws(np.array([0.0, 0.39, 0.99]), *[np.zeros(3)] * 2).rounds(5).tolist()
        [0, 1, 4]
        """
        return (self.turn * count).astype(np.int64)


def digest_of_id(id: str) -> bytes:
    """What stands for an id, wherever its row is."""
    return hashlib.blake2b(id.encode(), digest_size=16).digest()


def draws_of(seed: int, ids: Sequence[str] | None, first: int, count: int) -> Draws:
    """The numbers of ``count`` rows: by their ``ids``, or by their numbers from ``first`` on.

    >>> whole, part = draws_of(7, None, 0, 9), draws_of(7, None, 4, 2)
    >>> bool((whole.coin[4:6] == part.coin).all())
    True
    """
    counters = np.zeros((4, count), np.uint64)
    if ids is None:
        counters[0] = np.arange(first, first + count)
    else:
        counters[:2] = np.frombuffer(b"".join(map(digest_of_id, ids)), "<u8").reshape(-1, 2).T
        # A number and a digest never share a counter.
        counters[2] = 1
    words = philox(counters, (seed & (2**64 - 1), seed >> 64))
    return Draws(*((words[:3] >> np.uint64(11)).astype(np.float64) * 2.0**-53))


def philox(counters: Words, key: tuple[int, int]) -> Words:
    """The four words of Philox4x64-10 for each counter, a column of four words.

    >>> zero = philox(np.zeros((4, 1), np.uint64), (0, 0))
    >>> [hex(word) for word in zero[:2, 0].tolist()]
    ['0x16554d9eca36314c', '0xdb20fe9d672d0fdc']
    """
    a, b, c, d = counters
    keys = np.array(key, np.uint64).reshape(2, 1)
    steps = np.array(_KEY_STEPS).reshape(2, 1)
    for _ in range(_CYCLES):
        high_a, low_a = _product(_MULTIPLIERS[0], a)
        high_c, low_c = _product(_MULTIPLIERS[1], c)
        a, b, c, d = high_c ^ b ^ keys[0], low_c, high_a ^ d ^ keys[1], low_a
        keys = keys + steps
    return np.stack([a, b, c, d])


def _product(factor: np.uint64, words: Words) -> tuple[Words, Words]:
    """The upper and the lower word of a product of two words."""
    high, low = words >> _HALF, words & _LOW
    above, below = np.array(factor >> _HALF), np.array(factor & _LOW)
    middle = above * low + ((below * low) >> _HALF)
    carried = (middle & _LOW) + below * high
    upper: Words = above * high + (middle >> _HALF) + (carried >> _HALF)
    return upper, words * np.array(factor)
