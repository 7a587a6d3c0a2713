"""What a saved learner says about a file, and what can be said about the learner."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from askance.data.features import FeatureMap
from askance.data.features.columns import some_of
from askance.data.features.indexers import Numbered
from askance.data.reading.intake import Intake, Reading, shown_kinds
from askance.errors import BadRecord
from askance.exports.classifier import is_linear, named_weights
from askance.exports.importance import Importance, permutation_importances
from askance.live import ActiveLearner
from askance.storage.tables import Chunk
from askance.types import State

__all__ = ["described", "predictions"]


def predictions(
    live: ActiveLearner, source: str | Path, *, format: str | None = None, id: str | None = None
) -> Iterator[Chunk]:
    r"""Predict for every record of a file, in constant memory.

    Each chunk has the columns ``id``, ``prediction``, in the names of the learner's classes, and
    ``probability_`` with the name of the positive class. Which columns of the file are not features
    is known from the learner; a column of labels, if it is there, is left alone.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = file.write_text("age\n39\n50\n")
    >>> live = ActiveLearner("passive", features=FeatureMap(), classes=("no", "yes"))
    >>> [list(chunk) for chunk in predictions(live, file)]
    [['id', 'prediction', 'probability_yes']]
    """
    live.settle()
    kept = Reading.from_state(live.reading)
    # The labels of LIBSVM and VW text cannot be left out, so they must not surprise.
    reading = replace(kept.unlabelled(), positive=kept.positive, format=format, id=id or kept.id)
    features = live.features or FeatureMap(Numbered(live.n_features))
    intake = Intake(source, reading, features)
    _check_columns(intake)
    names = np.array(live.classes)
    for batch, csr in intake:
        # One is positive if and only if the other is above a half, to the last bit.
        margins, shares = live.margins(csr), live.probabilities(csr)
        yield {
            "id": np.array(batch.ids, np.str_),
            "prediction": names[(margins > 0).astype(int)],
            f"probability_{live.classes[1]}": shares,
        }


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


def described(live: ActiveLearner, top: int = 20) -> State:
    """What a learner has seen, asked and learned, with its largest weights, as plain values.

    One without weights has importances instead.

    >>> described(ActiveLearner("passive", n_features=3))["learner"]
    {'algorithm': 'passive', 'learning_rate': 1.6, 'n_features': 3}
    """
    live.settle()
    maps, stats = live.features, live.stats()
    weights = named_weights(live) if is_linear(live) else []
    return {
        "learner": live.preset,
        "classes": {"negative": live.classes[0], "positive": live.classes[1]},
        "reading": live.reading,
        "columns": {} if maps is None else shown_kinds(maps.kinds, maps),
        "budget": asdict(live.budget),
        "stats": asdict(stats) | {"error": stats.error and stats.error._asdict()},
        "members": live.members(),
        "weights_learned": len({weight.column for weight in weights}),
        "weights": [weight.plain() for weight in weights[:top]],
        "importances": [one.plain() for one in _importances(live)[:top]],
    }
