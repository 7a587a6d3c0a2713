"""Names to 63-bit numbers, alike in compiled and in interpreted code.

Text comes as int8, so that a byte widens to a signed 64-bit integer both ways.
"""

import numpy as np
from numpy.typing import NDArray

from askance.kernels._jit import kernel

__all__ = ["HASH_START", "finish_hash", "hash_all", "hash_span", "new_hashes"]

Bytes = NDArray[np.int8]
Whole = NDArray[np.int64]

HASH_START = 0x1C9DC511C9DC511
"""The state of the hash before the first byte."""


@kernel
def _hexadecimal(code: int) -> int:
    if 48 <= code <= 57:
        return code - 48
    if 65 <= code <= 70:
        return code - 55
    if 97 <= code <= 102:
        return code - 87
    return -1


@kernel
def hash_span(text: Bytes, start: int, stop: int, state: int, decode: bool) -> int:
    """Carry a hash over a span; ``decode`` reads ``%20`` as one byte.

    Two lanes, of 32 and 31 bits, each like FNV-1a: so that no product leaves 63 bits, because the
    compiler takes it for granted that signed numbers do not overflow.
    """
    low = state & 0xFFFFFFFF
    high = state >> 32
    i = start
    while i < stop:
        code = int(text[i]) & 255
        i += 1
        if decode and code == 37 and i + 1 < stop:
            first = _hexadecimal(int(text[i]))
            second = _hexadecimal(int(text[i + 1]))
            if first >= 0 and second >= 0:
                code = first * 16 + second
                i += 2
        low = ((low ^ code) * 16777619) & 0xFFFFFFFF
        high = ((high ^ code) * 1566083941) & 0x7FFFFFFF
    return (high << 32) | low


@kernel
def _stir(word: int) -> int:
    for _ in range(2):
        word = ((word ^ (word >> 16)) * 73244475) & 0xFFFFFFFF
    return word ^ (word >> 16)


@kernel
def finish_hash(state: int) -> int:
    """Stir the bits of a finished hash, so that any few of them make a good bucket."""
    high = _stir(state >> 32)
    low = _stir((state & 0xFFFFFFFF) ^ high)
    return ((high & 0x7FFFFFFF) << 32) | low


@kernel
def hash_all(text: Bytes, ends: Whole, hashes: Whole) -> None:
    """Hash names that stand one after the other; ``ends`` says where each ends."""
    start = 0
    for i in range(len(ends)):
        hashes[i] = finish_hash(hash_span(text, start, ends[i], HASH_START, False))
        start = ends[i]


@kernel
def new_hashes(hashes: Whole, table: Whole, room: int, places: Whole) -> int:
    """Find the places of hashes that a table lacks, and add them while there is room.

    The table is a power of two in size, at least twice as large as all that it will hold; -1 is an
    empty cell. Gives how many places were found.
    """
    found = 0
    for i in range(len(hashes)):
        if found == room:
            break
        cell = hashes[i] & (len(table) - 1)
        while table[cell] not in (-1, hashes[i]):
            cell = (cell + 1) & (len(table) - 1)
        if table[cell] == -1:
            table[cell] = hashes[i]
            places[found] = i
            found += 1
    return found
