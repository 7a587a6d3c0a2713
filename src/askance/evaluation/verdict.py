"""A classifier judged by a sample: errors along the labels, and other measures at their end."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from askance.data.reading.labels import LabelReader
from askance.errors import BadRecord, InvalidLabel, InvalidParameter
from askance.estimate import confusion_table, error_of_sample, error_trajectory, measures
from askance.estimate.measures import scaled_costs
from askance.evaluation.costs import Costs
from askance.evaluation.predicted import Said
from askance.evaluation.stored_sample import StoredSample
from askance.plots.curve import Band
from askance.types import Floats, Interval, State

__all__ = ["Verdict", "class_order", "judged"]


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What a sample says of a classifier.

    ``anytime`` holds whenever one looks: the error, and the mean cost if there are costs.
    ``fixed`` holds at a time that was fixed beforehand, and so does the ``confusion`` table, which
    has labels by rows and predictions by columns. ``narrowing`` is None where the sample does not
    say where its labels stood. ``unanswered`` questions have no label.
    """

    classes: tuple[str, ...]
    labels: int
    n: int
    anytime: list[Interval]
    fixed: list[Interval]
    confusion: list[list[Interval]]
    narrowing: Band | None
    unanswered: int

    def as_json(self) -> State:
        """All of it in plain values."""
        found: State = {
            "classes": list(self.classes),
            "labels": self.labels,
            "n": self.n,
            "unanswered": self.unanswered,
            "measures": [_plain(one) for one in (*self.anytime, *self.fixed)],
            "confusion": [[_plain(cell) for cell in row] for row in self.confusion],
        }
        if self.narrowing is not None:
            found["narrowing"] = {
                name: values.tolist() for name, values in self.narrowing._asdict().items()
            }
        return found


def _plain(one: Interval) -> State:
    """An interval in plain values; JSON has no word for what is not known.

    >>> _plain(Interval(float("nan"), 0.0, 1.0, 0.95, "precision", "at a fixed time"))["estimate"]
    """
    return one._asdict() | {"estimate": None if np.isnan(one.estimate) else one.estimate}


def class_order(sample: StoredSample, said: Said, positive: str | None = None) -> tuple[str, ...]:
    """All names of labels and predictions, in their order; of two, the positive one last.

    It is the one named, or the model's, or the one that speaks for itself, like yes beside no.
    """
    names = sorted({*sample.labels, *said.predictions})
    if positive is not None and positive not in names:
        raise InvalidParameter(
            f"{positive!r} is no class of {sample.source}, which are {', '.join(names)}"
        )
    if len(names) > 2:
        return tuple(names)
    if positive is None and set(said.classes) == set(names):
        return said.classes
    try:
        reader = LabelReader(positive)
        return tuple(sorted(names, key=lambda name: int(reader.read([name])[0])))
    except InvalidLabel:
        raise InvalidParameter(
            f"which of {names[0]!r} and {names[1]!r} is the positive class must be said"
        ) from None


def judged(
    sample: StoredSample,
    said: Said,
    *,
    positive: str | None = None,
    costs: Costs | None = None,
    alpha: float = 0.05,
) -> Verdict:
    """Judge a classifier by a sample that has not taught it.

    Parameters
    ----------
    sample
        The labels.
    said
        The predictions.
    positive
        The positive one of two classes.
    costs
        What each prediction costs for each label.
    alpha
        How often an interval may be wrong.
    """
    sample, said = _untaught(sample, said)
    classes = class_order(sample, said, positive)
    pairs = list(zip(sample.labels, said.predictions, strict=True))
    wrong = np.array([float(label != prediction) for label, prediction in pairs])
    narrowing = _narrowed(sample, wrong, alpha)
    anytime = [_last(sample, wrong, narrowing, alpha)]
    if costs is not None:
        anytime.append(_cost(sample, pairs, costs, alpha))
    facts = said.predictions, sample.labels, sample.weights, sample.n
    return Verdict(
        classes=classes,
        labels=len(pairs),
        n=sample.n,
        anytime=anytime,
        fixed=list(measures(*facts, classes=classes, alpha=alpha).values()),
        confusion=confusion_table(*facts, classes=classes, alpha=alpha),
        narrowing=narrowing,
        unanswered=0 if sample.places is None else sum(map(len, sample.places.unanswered)),
    )


def _untaught(sample: StoredSample, said: Said) -> tuple[StoredSample, Said]:
    """The sample if nothing of it has taught the classifier, or else what was held out of it."""
    if not said.taught.any():
        return sample, said
    held = sample.held_out
    if held is not None:
        rows = list(sample.held_out_rows)
        if not said.taught[rows].any():
            predictions = [said.predictions[row] for row in rows]
            return held, said._replace(predictions=predictions, taught=said.taught[rows])
    taught = int(said.taught.sum())
    raise BadRecord(
        f"the model was taught by {taught:,} of the {len(said.taught):,} labels of "
        f"{sample.source}, and no others were held out, expected labels that it has not learned"
    )


def _narrowed(sample: StoredSample, losses: Floats, alpha: float) -> Band | None:
    """The bounds of a mean loss after each label, as far as the sample says where that stood."""
    if sample.places is None:
        return None
    positions, least, unanswered = sample.places
    low, high = error_trajectory(
        losses,
        1.0 / sample.weights,
        positions,
        floor=sample.floor,
        alpha=alpha,
        least=least,
        unanswered=unanswered,
    )
    examples = np.append(positions[1:], sample.n)
    return Band(
        labels=np.arange(1, len(losses) + 1),
        estimate=np.minimum(np.cumsum(sample.weights * losses) / examples, 1.0),
        # All of them hold at once, so each bound is the best so far.
        low=np.maximum.accumulate(low),
        high=np.minimum.accumulate(high),
    )


def _last(sample: StoredSample, losses: Floats, narrowing: Band | None, alpha: float) -> Interval:
    """The interval of a mean loss after the last label."""
    floor = 1.0 if sample.algorithm == "passive" else sample.floor
    found = error_of_sample(losses, sample.weights, sample.n, floor=floor, alpha=alpha)
    if narrowing is None:
        return found
    low, high = float(narrowing.low[-1]), float(narrowing.high[-1])
    # Bounds that cross have a chance of alpha at most, and say nothing.
    return found._replace(low=min(low, high), high=max(low, high))


def _cost(
    sample: StoredSample, pairs: Sequence[tuple[str, str]], costs: Costs, alpha: float
) -> Interval:
    table, least, span = scaled_costs(costs.table, len(costs.classes))
    place = {name: i for i, name in enumerate(costs.classes)}
    for name in itertools.chain.from_iterable(pairs):
        if name not in place:
            raise InvalidParameter(
                f"costs are needed for each class, got none of {name!r}, "
                f"only of {', '.join(costs.classes)}"
            )
    losses = np.array([table[place[label], place[said]] for label, said in pairs])
    found = _last(sample, losses, _narrowed(sample, losses, alpha), alpha)
    low, high = (least + span * bound for bound in (found.low, found.high))
    return found._replace(estimate=least + span * found.estimate, low=low, high=high, of="cost")
