"""What a pass keeps for each setting of a grid.

A setting is one learner with its parameters. Its ERM is lane s, and the members of its cover are
the lanes from ``first[s]`` to ``first[s + 1]``.
"""

from typing import NamedTuple

from askance.kernels._records import Flag, Real, RealMatrix, Switch, Whole
from askance.kernels.lanes import Lanes, RowBuffer, Scratch
from askance.types import Floats, Integers

__all__ = [
    "COAL",
    "COVER",
    "FIRST",
    "IWAL",
    "MARGIN",
    "PASSIVE",
    "ClassPass",
    "Classes",
    "Decisions",
    "Grid",
    "Pass",
    "Progress",
    "Stream",
]

PASSIVE, MARGIN, IWAL, COVER, COAL = 0, 1, 2, 3, 4

FIRST = 3.0
"""The labels of the first three examples are always asked by the cover."""


class Grid(NamedTuple):
    """Parameters by setting, and ``first``: where the lanes of each cover begin, and the end."""

    kinds: Whole
    oracular: Flag
    error_dependent: Flag
    by_margin: Flag
    c0: Real
    c1: Real
    c2: Real
    b: Real
    alpha: Real
    beta2: Real
    first: Whole


class Progress(NamedTuple):
    """What settings have counted, and the multipliers of their cover members by lane."""

    k: Real
    error_sums: Real
    queries: Whole
    done: Flag
    numerators: Real
    denominators: Real
    multipliers: Real


class Decisions(NamedTuple):
    """The fields of a Decision by setting."""

    predicted: Real
    inside: Flag
    probability: Real
    queried: Flag
    k: Real
    threshold: Real
    floor: Real


class Pass(NamedTuple):
    """All that a pass works on: what each kernel takes and hands on.

    Within kernels this is one pointer, see :mod:`askance.kernels._records`. ``covers`` is None
    where no setting has a cover; then the walk over its members is not compiled.
    """

    row: RowBuffer
    lanes: Lanes
    grid: Grid
    progress: Progress
    work: Scratch
    decided: Decisions
    covers: Switch


class Classes(NamedTuple):
    """What a pass of one learner of several classes works on besides.

    By class: the margins or costs of the current row in float64 (``scores``), the sensitivities
    (``up``, ``down``), the range of each cost (``low``, ``high``) and whether it is ``wanted``. The
    ``costs`` of the classes, rows true; and, once, whether the lanes are of ``squared`` loss.
    """

    costs: RealMatrix
    scores: Real
    up: Real
    down: Real
    low: Real
    high: Real
    wanted: Flag
    squared: Flag


class ClassPass(NamedTuple):
    """A :class:`Pass` over the lanes of one learner of several classes.

    Lane y is that of class y, the next one the spare one, and any after it only fill a vector.
    """

    base: Pass
    classes: Classes


class Stream(NamedTuple):
    """Rows in CSR form with their labels; for the training stream also one coin a row.

    Every index was seen to lie below ``n_features``.
    """

    indptr: Integers
    indices: Integers
    values: Floats
    labels: Integers
    coins: Floats
    n_features: int
