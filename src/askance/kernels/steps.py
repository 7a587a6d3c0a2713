"""One row of one learner at a time, for callers in Python.

Handing an array over from Python costs more than the work on a short one. So the arrays of a group
of one setting stay where they are, and what is handed over is a table of their addresses; only the
values of its row are handed over themselves, as ``room``, and tell the precision of the state.
"""

from askance.kernels._jit import brief, inlined
from askance.kernels._records import record_at
from askance.kernels.cover import multiplier
from askance.kernels.formulas import sign
from askance.kernels.lanes import load_row, sweep_decay, sweep_margins
from askance.kernels.linear import margin, row_fault, squared_norm
from askance.kernels.pass_records import Pass
from askance.kernels.passes import decide as decide_all
from askance.kernels.passes import learn as learn_all
from askance.types import Floats, Integers

__all__ = ["learn", "offer", "predict"]


@inlined
def _load(p: Pass, indices: Integers, values: Floats) -> int:
    """Put a row into its buffer; 0 entries if it cannot be learned from or there is no room."""
    n, scales = indices.shape[0], p.lanes.scales
    # Nothing else stands between an array from Python and memory: no kernel looks at bounds.
    if n != values.shape[0] or n >= p.row.indices.shape[0]:
        return 0
    if row_fault(indices, values, scales.shape[0] - 1) >= 0:
        return 0
    return load_row(indices, values, 0, n, scales, p.row)


@brief
def predict(table: Integers, room: Floats, indices: Integers, values: Floats) -> int:
    """The prediction of the first lane; 0 for a row that is too long or cannot be learned from."""
    p = record_at(table, Pass, room.dtype)
    n = _load(p, indices, values)
    if n == 0:
        return 0
    return sign(margin(p.row.indices[:n], p.row.scaled[:n], p.lanes.weights, 0))


@brief
def offer(
    table: Integers,
    room: Floats,
    indices: Integers,
    values: Floats,
    k: int,
    error_sum: float,
    coin: float,
) -> tuple[int, bool, float, bool, int, float, float]:
    """Decide on a row, and learn it at once if its label is not wanted: the fields of a Decision.

    A prediction of 0 says that the row is too long or cannot be learned from, or that the coin does
    not lie in [0, 1); then nothing has happened.
    """
    p = record_at(table, Pass, room.dtype)
    # Refused by a value and not by an error, which would cost more than the step: the caller looks
    # closer, and says what is wrong.
    n = _load(p, indices, values) if 0.0 <= coin < 1.0 else 0
    if n == 0:
        return 0, False, 0.0, False, k, 0.0, 0.0
    progress, out = p.progress, p.decided
    # Handed in and back as numbers: the learner keeps them as such, and its verbs may change them.
    progress.k[0], progress.error_sums[0] = float(k), error_sum
    # The numerators and denominators are the learner's own arrays, which may have been changed
    # since the last call, by its verbs or by a file; the multipliers are only what follows.
    for lane in range(1, progress.multipliers.shape[0]):
        progress.multipliers[lane] = multiplier(
            float(progress.numerators[lane]), float(progress.denominators[lane])
        )
    norm = squared_norm(p.row.scaled[:n])
    decide_all(p, n, norm, coin)
    # At once, while its margins are there; nobody looks at the label that is handed over.
    if not out.queried[0]:
        learn_all(p, n, norm, 1.0)
    # In Python's own types, which a Decision holds.
    return (
        int(out.predicted[0]),
        bool(out.inside[0]),
        float(out.probability[0]),
        bool(out.queried[0]),
        k,
        float(out.threshold[0]),
        float(out.floor[0]),
    )


@brief
def learn(
    table: Integers,
    room: Floats,
    indices: Integers,
    values: Floats,
    k: int,
    error_sum: float,
    predicted: int,
    inside: bool,
    probability: float,
    queried: bool,
    decided_k: int,
    threshold: float,
    floor: float,
    label: int,
) -> float:
    """Learn a row as it was decided, with its label where that was asked; the new error sum.

    It is negative for a row that is too long or cannot be learned from; then nothing has happened.
    """
    p = record_at(table, Pass, room.dtype)
    n = _load(p, indices, values)
    if n == 0:
        return -1.0
    progress, out = p.progress, p.decided
    progress.k[0], progress.error_sums[0] = float(k), error_sum
    out.predicted[0], out.inside[0] = float(predicted), inside
    out.probability[0], out.queried[0] = probability, queried
    out.k[0], out.threshold[0], out.floor[0] = float(decided_k), threshold, floor
    # A label may come late, and other examples in between: the margins are those of now, while
    # what was decided stays as it was.
    sweep_margins(p.row, n, p.lanes.weights, p.work.margins)
    sweep_decay(p.work)
    norm = squared_norm(p.row.scaled[:n])
    learn_all(p, n, norm, float(label))
    return float(progress.error_sums[0])
