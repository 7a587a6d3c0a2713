"""What a saved learner says about a file, and what can be said about the learner."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace

import numpy as np

from askance.data.features import FeatureMap
from askance.data.features.columns import some_of
from askance.data.features.indexers import Numbered
from askance.data.reading.files import Sources
from askance.data.reading.intake import Intake, Reading, shown_kinds
from askance.errors import BadRecord
from askance.estimate import confusion_table
from askance.exports.classifier import NamedWeight, has_lanes, is_linear, named_weights
from askance.exports.importance import Importance, permutation_importances
from askance.live import ActiveLearner
from askance.storage.tables import Chunk
from askance.types import State

__all__ = ["described", "predictions"]


def predictions(
    live: ActiveLearner, source: Sources, *, format: str | None = None, id: str | None = None
) -> Iterator[Chunk]:
    r"""Predict for every record of a file, or of several, in constant memory.

    Each chunk has the columns ``id``, ``prediction``, in the names of the learner's classes, and
    ``probability_`` with the name of the positive class, or of each of three or more. Which columns
    of the file are not features is known from the learner; a column of labels, if it is there, is
    left alone.

    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = file.write_text("age\n39\n50\n")
    >>> live = ActiveLearner("passive", features=FeatureMap(), classes=("no", "yes"))
    >>> [list(chunk) for chunk in predictions(live, file)]
    [['id', 'prediction', 'probability_yes']]
    """
    live.settle()
    kept = Reading.from_state(live.reading)
    # The labels of LIBSVM and VW text cannot be left out, so they must not surprise.
    reading = replace(
        kept.unlabelled(),
        positive=kept.positive,
        classes=None if live.n_classes is None else (),
        format=format,
        id=id or kept.id,
    )
    features = live.features or FeatureMap(Numbered(live.n_features))
    intake = Intake(source, reading, features)
    _check_columns(intake)
    names = np.array(live.classes)
    for batch, csr in intake:
        shares = live.probabilities(csr)
        if live.n_classes is None:
            # One is positive if and only if the other is above a half, to the last bit.
            said = (live.margins(csr) > 0).astype(int)
            given = {f"probability_{live.classes[1]}": shares}
        else:
            said = live.predict_many(csr)
            given = {f"probability_{name}": shares[:, i] for i, name in enumerate(live.classes)}
        yield {"id": np.array(batch.ids, np.str_), "prediction": names[said], **given}


def _check_columns(intake: Intake) -> None:
    """A table must have the columns that were learned; records of JSON need some of them only."""
    known, found = intake.features.kinds, intake.columns
    missing = [name for name in known if name not in found]
    if found and missing and (intake.is_table or len(missing) == len(known)):
        raise BadRecord(
            f"{intake.source} has no column {some_of(map(repr, missing))} as the model expects, "
            f"its columns are {some_of(found)}"
        )


def _importances(live: ActiveLearner) -> list[Importance]:
    """Where there are no weights, and something was learned."""
    return permutation_importances(live) if live.members() else []


def _weights(live: ActiveLearner) -> list[tuple[str | None, NamedWeight]]:
    """All weights, with the class that they speak for where each has its own."""
    if has_lanes(live):
        names = enumerate(live.classes)
        return [(name, weight) for code, name in names for weight in named_weights(live, code)]
    return [(None, weight) for weight in named_weights(live)] if is_linear(live) else []


def _first(weights: list[tuple[str | None, NamedWeight]], top: int) -> list[State]:
    """The first of each class as plain values."""
    counts: Counter[str | None] = Counter()
    found: list[State] = []
    for name, weight in weights:
        counts[name] += 1
        if counts[name] <= top:
            found.append(weight.plain() | ({} if name is None else {"class": name}))
    return found


def _confusion(live: ActiveLearner) -> State | None:
    """What the classifier says of labels that were held out from it, with intervals.

    By rows the labels, by columns the predictions, in the order of the classes; None where no
    label was held out.
    """
    if not live.stats().held_out:
        return None
    sample = live.weighted_sample(held_out=True)
    said, true = (
        [live.name_of(label) for label in labels.tolist()]
        for labels in (live.predict_many(sample.X), sample.y)
    )
    table = confusion_table(said, true, sample.weight, sample.n, classes=live.classes)
    return {"n": sample.n, "cells": [[cell._asdict() for cell in row] for row in table]}


def described(live: ActiveLearner, top: int = 20) -> State:
    """What a learner has seen, asked and learned, with its largest weights, as plain values.

    The confusion table is by labels that were held out, if there are any. A learner without weights
    has importances instead; where each class has weights, ``top`` of each.

    >>> described(ActiveLearner("passive", n_features=3))["learner"]
    {'algorithm': 'passive', 'learning_rate': 1.6, 'n_features': 3}
    """
    live.settle()
    maps, stats = live.features, live.stats()
    weights = _weights(live)
    two = {"negative": live.classes[0], "positive": live.classes[1]}
    judged = {"error": stats.error, "current": stats.current, "crossfit": stats.crossfit}
    return {
        "learner": live.preset,
        "classes": two if live.n_classes is None else list(live.classes),
        "reading": live.reading,
        "columns": {} if maps is None else shown_kinds(maps.kinds, maps),
        "budget": asdict(live.budget),
        "stats": asdict(stats) | {name: one and one._asdict() for name, one in judged.items()},
        "members": live.members(),
        "confusion": _confusion(live),
        "weights_learned": len({(name, weight.column) for name, weight in weights}),
        "weights": _first(weights, top),
        "importances": [one.plain() for one in _importances(live)[:top]],
    }
