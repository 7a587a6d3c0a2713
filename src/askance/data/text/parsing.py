"""Numbers, LIBSVM lines and VW lines out of raw bytes.

Text comes as int8, so that a byte widens to a signed 64-bit integer alike in compiled and in
interpreted code. A number that does not fit an exact short cut is left to Python: its place and
span go to ``hard``.
"""

import numpy as np
from numpy.typing import NDArray

from askance.data.text.hashing import HASH_START, finish_hash, hash_span
from askance.kernels._jit import allocating, kernel

__all__ = ["parse_libsvm", "parse_vw", "read_number"]

Bytes = NDArray[np.int8]
Whole = NDArray[np.int64]


@kernel
def read_number(text: Bytes, start: int, stop: int) -> tuple[float, bool]:
    """Read a decimal number; the second result says whether the first is exactly rounded.

    At most 15 digits and a power of ten up to 22 are exact in one operation on doubles.

    >>> read_number(np.frombuffer(b"-12.5e1", dtype=np.int8), 0, 7)
    (-125.0, True)
    >>> read_number(np.frombuffer(b"abc", dtype=np.int8), 0, 3)[1]
    False
    """
    i = start
    negative = i < stop and text[i] == 45
    if i < stop and (text[i] == 45 or text[i] == 43):
        i += 1
    mantissa = 0
    seen = 0
    digits = 0
    power = 0
    in_fraction = False
    while i < stop:
        code = int(text[i])
        if 48 <= code <= 57:
            seen += 1
            if mantissa > 0 or code > 48:
                digits += 1
                if digits > 15:
                    return 0.0, False
            mantissa = mantissa * 10 + (code - 48)
            if in_fraction:
                power -= 1
        elif code == 46 and not in_fraction:
            in_fraction = True
        else:
            break
        i += 1
    if seen == 0:
        return 0.0, False
    if i < stop:
        if text[i] != 101 and text[i] != 69:
            return 0.0, False
        i += 1
        exponent_negative = i < stop and text[i] == 45
        if i < stop and (text[i] == 45 or text[i] == 43):
            i += 1
        if i == stop or stop - i > 3:
            return 0.0, False
        exponent = 0
        while i < stop:
            code = int(text[i])
            if code < 48 or code > 57:
                return 0.0, False
            exponent = exponent * 10 + (code - 48)
            i += 1
        power += -exponent if exponent_negative else exponent
    if mantissa == 0:
        return 0.0, True
    if power < -22 or power > 22:
        return 0.0, False
    scale = 1.0
    for _ in range(abs(power)):
        scale *= 10.0
    value = mantissa / scale if power < 0 else mantissa * scale
    return -value if negative else value, True


@kernel
def _line_end(text: Bytes, start: int) -> int:
    i = start
    while i < len(text) and text[i] != 10:
        i += 1
    return i


@kernel
def _skip_blanks(text: Bytes, start: int, stop: int) -> int:
    i = start
    while i < stop and (text[i] == 32 or text[i] == 9 or text[i] == 13):
        i += 1
    return i


@kernel
def _token_end(text: Bytes, start: int, stop: int) -> int:
    i = start
    while i < stop and text[i] != 32 and text[i] != 9 and text[i] != 13:
        i += 1
    return i


@kernel
def _find(text: Bytes, code: int, start: int, stop: int) -> int:
    i = start
    while i < stop and text[i] != code:
        i += 1
    return i


@kernel
def parse_libsvm(
    text: Bytes,
    base: int,
    labels: NDArray[np.float64],
    indptr: Whole,
    indices: NDArray[np.int32],
    values: NDArray[np.float64],
    hard: Whole,
) -> tuple[int, int, int, int, int, int]:
    """Parse whole lines ``label index:value ... # comment``; zeros are left out.

    Gives lines read, examples, hard numbers, an error (0: none, 1: not ``index:value``, 2: an index
    below ``base``, 3: indices that do not increase, 4: an index too large) and the span it is in.
    A row of ``hard`` is an entry (or -1 - example, for a label) and a span.
    """
    position = 0
    lines = 0
    rows = 0
    entries = 0
    n_hard = 0
    indptr[0] = 0
    while position < len(text):
        line_stop = _line_end(text, position)
        stop = _find(text, 35, position, line_stop)
        i = _skip_blanks(text, position, stop)
        position = line_stop + 1
        lines += 1
        if i == stop:
            continue
        j = _token_end(text, i, stop)
        labels[rows], exact = read_number(text, i, j)
        if not exact:
            hard[n_hard, 0] = -1 - rows
            hard[n_hard, 1] = i
            hard[n_hard, 2] = j
            n_hard += 1
        previous = -1
        i = _skip_blanks(text, j, stop)
        while i < stop:
            j = _token_end(text, i, stop)
            colon = _find(text, 58, i, j)
            if colon in (i, j) or colon - i > 10:
                return lines, rows, n_hard, 1, i, j
            if text[i] == 113:  # qid:7, a query of a ranking task
                i = _skip_blanks(text, j, stop)
                continue
            index = 0
            for k in range(i, colon):
                code = int(text[k])
                if code < 48 or code > 57:
                    return lines, rows, n_hard, 1, i, j
                index = index * 10 + (code - 48)
            index -= base
            if index < 0:
                return lines, rows, n_hard, 2, i, j
            if index <= previous:
                return lines, rows, n_hard, 3, i, j
            if index > 2147483646:
                return lines, rows, n_hard, 4, i, j
            previous = index
            value, exact = read_number(text, colon + 1, j)
            if not exact:
                hard[n_hard, 0] = entries
                hard[n_hard, 1] = colon + 1
                hard[n_hard, 2] = j
                n_hard += 1
            if value != 0.0 or not exact:
                indices[entries] = index
                values[entries] = value
                entries += 1
            i = _skip_blanks(text, j, stop)
        rows += 1
        indptr[rows] = entries
    return lines, rows, n_hard, 0, 0, 0


@kernel
def _parse_vw_header(
    text: Bytes, start: int, stop: int, labels: NDArray[np.float64], heads: Whole, row: int
) -> None:
    """Read ``[label] [tag]`` before the bar; whatever else is there, is marked for Python."""
    heads[row, 2] = -1
    heads[row, 3] = -1
    labels[row] = np.nan
    simple = True
    i = _skip_blanks(text, start, stop)
    while i < stop:
        j = _token_end(text, i, stop)
        if text[i] == 39 or j == stop:
            heads[row, 2] = i + 1 if text[i] == 39 else i
            heads[row, 3] = j
            simple = simple and _skip_blanks(text, j, stop) == stop
        else:
            simple = simple and np.isnan(labels[row])
            labels[row], exact = read_number(text, i, j)
            simple = simple and exact
        i = _skip_blanks(text, j, stop)
    heads[row, 0] = start if simple else -1 - start
    heads[row, 1] = stop


@allocating
def parse_vw(
    text: Bytes,
    labels: NDArray[np.float64],
    heads: Whole,
    indptr: Whole,
    hashes: Whole,
    values: NDArray[np.float64],
    spans: Whole,
    hard: Whole,
) -> tuple[int, int, int, int, int, int]:
    """Parse whole lines ``label 'tag |namespace name:value name ...``.

    A row of ``heads`` is the span before the first bar (its start as -1 - start, where Python must
    read it) and the tag's span, -1 if there is none; a row of ``spans`` is a namespace's span and a
    name's; a row of ``hard`` is an entry and a span. Gives lines read, examples, hard numbers, an
    error (0: none, 1: no bar, 2: a scale that is no number) and the span it is in.
    """
    caret = np.full(1, 94, dtype=np.int8)
    position = 0
    lines = 0
    rows = 0
    entries = 0
    n_hard = 0
    indptr[0] = 0
    while position < len(text):
        start = position
        stop = _line_end(text, start)
        position = stop + 1
        lines += 1
        if _skip_blanks(text, start, stop) == stop:
            continue
        i = _find(text, 124, start, stop)
        if i == stop:
            return lines, rows, n_hard, 1, start, stop
        _parse_vw_header(text, start, i, labels, heads, rows)
        while i < stop:
            space_start = i + 1
            group_stop = _find(text, 124, space_start, stop)
            i = _token_end(text, space_start, group_stop)
            space_stop = _find(text, 58, space_start, i)
            scale = 1.0
            if space_stop < i:
                scale, exact = read_number(text, space_stop + 1, i)
                if not exact:
                    return lines, rows, n_hard, 2, space_start, i
            state = hash_span(text, space_start, space_stop, HASH_START, True)
            if space_start < space_stop:
                state = hash_span(caret, 0, 1, state, False)
            i = _skip_blanks(text, i, group_stop)
            while i < group_stop:
                j = _token_end(text, i, group_stop)
                colon = _find(text, 58, i, j)
                value = 1.0
                if colon < j:
                    value, exact = read_number(text, colon + 1, j)
                    if not exact:
                        hard[n_hard, 0] = entries
                        hard[n_hard, 1] = colon + 1
                        hard[n_hard, 2] = j
                        value = 1.0
                        n_hard += 1
                hashes[entries] = finish_hash(hash_span(text, i, colon, state, True))
                values[entries] = value * scale
                spans[entries, 0] = space_start
                spans[entries, 1] = space_stop
                spans[entries, 2] = i
                spans[entries, 3] = colon
                entries += 1
                i = _skip_blanks(text, j, group_stop)
            i = group_stop
        rows += 1
        indptr[rows] = entries
    return lines, rows, n_hard, 0, 0, 0
