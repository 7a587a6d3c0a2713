"""Watch Vowpal Wabbit learn and decide, one example at a time.

Rows are ``{feature index: value}``. They are handed over as numbers, never as text, so that the
only rounding is that of each value to float32, which `float32` does beforehand.
"""

import os
import re
import struct
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from vowpalwabbit import Workspace

Row = Mapping[int, float]

LEARNER = "--loss_function logistic -b 20 --quiet"
UNLABELED = 3.4028234663852886e38  # the label of an example whose label was removed


class Step(NamedTuple):
    """What ``--active_cover`` did with one example."""

    margin: float
    """The ERM's margin before the example was learned, not yet clipped to [-50, 50]."""
    label: int
    """The label learned: true if queried, predicted outside the region, else 0."""
    weight: float
    """The weight learned: 1/P if queried, 1 outside the region, else 0."""
    last_margin: float
    """The margin of the last cover member after its update (without cover: the ERM's before)."""


def float32(value: float) -> float:
    """The float32 nearest to a value."""
    rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    return rounded


def passive_margins(stream: Iterable[tuple[Row, int, float]], options: str = "") -> list[float]:
    """Margins of plain logistic regression before it learns each (row, label, weight)."""
    workspace = Workspace(f"{LEARNER} {options}")
    margins = []
    for row, label, weight in stream:
        example = _example(workspace, row, f"{label} {weight!r}")
        workspace.learn(example)
        margins.append(float(example.get_partial_prediction()))
        workspace.finish_example(example)
    workspace.finish()
    return margins


def active_cover_steps(
    stream: Iterable[tuple[Row, int]], options: str, random_seed: int = 7, *, binary: bool = True
) -> list[Step]:
    """What ``--active_cover`` does with each (row, label), deciding by itself."""
    seeded = f"{LEARNER} --random_seed {random_seed} {'--binary' if binary else ''}"
    workspace = Workspace(f"--active_cover {options} {seeded}")
    steps = []
    for row, label in stream:
        margin = _erm_margin(workspace, row)
        example = _example(workspace, row, str(label))
        workspace.learn(example)
        learned = example.get_simplelabel_label()
        weight = float(example.get_simplelabel_weight())
        last_margin = float(example.get_partial_prediction())
        steps.append(Step(margin, 0 if learned == UNLABELED else int(learned), weight, last_margin))
        workspace.finish_example(example)
    workspace.finish()
    return steps


class Cost(NamedTuple):
    """What ``--cs_active`` found out about the cost of one class, and whether it learned it."""

    cost: float
    sensitivity: float
    low: float
    high: float
    learned: bool


def cs_active_steps(
    stream: Iterable[tuple[Row, list[float]]], classes: int, options: str
) -> list[list[Cost]]:
    """What ``--cs_active --simulation`` does with each (row, costs), from what it says of it."""
    # Its debug lines are the only place where ranges and single queries show; they go to stdout.
    with tempfile.TemporaryFile() as protocol:
        before = os.dup(1)
        os.dup2(protocol.fileno(), 1)
        try:
            workspace = Workspace(f"--cs_active {classes} --simulation --csa_debug -b 20 {options}")
            for row, costs in stream:
                label = " ".join(f"{y}:{cost!r}" for y, cost in enumerate(costs, 1))
                features = " ".join(f"{j}:{x!r}" for j, x in sorted(row.items()))
                example = workspace.example(f"{label} | {features}")
                workspace.learn(example)
                workspace.finish_example(example)
            workspace.finish()
        finally:
            os.dup2(before, 1)
            os.close(before)
        protocol.seek(0)
        said = protocol.read().decode()
    ranges = re.findall(r"i=\d+ pp=(\S+) sens=(\S+) eta=\S+ \[(\S+), (\S+)\]", said)
    learned = re.findall(r"label=\d+ .* ql=(\w+)", said)
    found = [
        Cost(*map(float, numbers), asked == "true")
        for numbers, asked in zip(ranges, learned, strict=True)
    ]
    return [found[i : i + classes] for i in range(0, len(found), classes)]


def _example(workspace: Any, row: Row, label: str) -> Any:
    example = workspace.example({" ": sorted(row.items())})
    example.set_label_string(label)
    return example


def _erm_margin(workspace: Any, row: Row) -> float:
    # `learn` leaves the margin of the last cover member behind, so the ERM's is read before, and
    # from a second example: `predict` marks its example as a test example, whose loss is never
    # counted. Weight 0 keeps the second one out of the clock.
    example = _example(workspace, row, "1 0")
    workspace.predict(example)
    margin = float(example.get_partial_prediction())
    workspace.finish_example(example)
    return margin
