"""One row of one learner of several classes at a time, as :mod:`askance.kernels.steps` for two."""

from askance.kernels._jit import brief, inlined
from askance.kernels._records import record_at
from askance.kernels.class_passes import decide_class, learn_class, score_classes
from askance.kernels.lanes import load_row
from askance.kernels.linear import row_fault, squared_norm
from askance.kernels.pass_records import ClassPass
from askance.types import Floats, Integers

__all__ = ["REFUSED", "learn", "offer", "predict"]

REFUSED = -1
"""The prediction for a row that is too long or cannot be learned from."""


@inlined
def _load(p: ClassPass, indices: Integers, values: Floats) -> int:
    """Put a row into its buffer; 0 entries if it cannot be learned from or there is no room."""
    n, scales = indices.shape[0], p.base.lanes.scales
    # Nothing else stands between an array from Python and memory: no kernel looks at bounds.
    if n != values.shape[0] or n >= p.base.row.indices.shape[0]:
        return 0
    if row_fault(indices, values, scales.shape[0] - 1) >= 0:
        return 0
    return load_row(indices, values, 0, n, scales, p.base.row)


@brief
def predict(table: Integers, room: Floats, indices: Integers, values: Floats) -> int:
    """The best class; REFUSED for a row that is too long or cannot be learned from."""
    p = record_at(table, ClassPass, room.dtype)
    n = _load(p, indices, values)
    return score_classes(p, n)[0] if n > 0 else REFUSED


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

    A prediction of REFUSED says that the row is too long or cannot be learned from, or that the
    coin does not lie in [0, 1); then nothing has happened.
    """
    p = record_at(table, ClassPass, room.dtype)
    n = _load(p, indices, values) if 0.0 <= coin < 1.0 else 0
    if n == 0:
        return REFUSED, False, 0.0, False, k, 0.0, 0.0
    progress, out = p.base.progress, p.base.decided
    progress.k[0], progress.error_sums[0] = float(k), error_sum
    norm = squared_norm(p.base.row.scaled[:n])
    decide_class(p, n, norm, coin)
    if not out.queried[0]:
        learn_class(p, n, norm, 0, False)
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

    It is negative for a row that is too long or cannot be learned from, or for what is no class;
    then nothing has happened.
    """
    p = record_at(table, ClassPass, room.dtype)
    n, classes = _load(p, indices, values), p.classes.scores.shape[0]
    # Both are looked up in the costs.
    if n == 0 or not (0 <= label < classes and 0 <= predicted < classes):
        return -1.0
    progress, out = p.base.progress, p.base.decided
    progress.k[0], progress.error_sums[0] = float(k), error_sum
    out.predicted[0], out.inside[0] = float(predicted), inside
    out.probability[0], out.queried[0] = probability, queried
    # A label may come late, and other examples in between: the scores are those of now.
    score_classes(p, n)
    learn_class(p, n, squared_norm(p.base.row.scaled[:n]), label, False)
    return float(progress.error_sums[0])
