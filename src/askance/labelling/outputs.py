"""What a labelling leaves: the labels with their records, the model, the weighted sample."""

from pathlib import Path

import numpy as np

from askance.exports import record_columns, write_sample
from askance.labelling.session import Session

__all__ = ["write_outputs"]


def write_outputs(session: Session, *, raw: bool = False) -> dict[str, Path]:
    """Write ``labels.csv``, ``sample.parquet`` and ``model.askance`` into the session's folder.

    The first two hold the same rows, for people and for programs: one for each label given, with
    its id, weight and probability, and the columns of the record. Skipped records are in neither.
    ``raw`` keeps texts in CSV that a spreadsheet would run as formulas.
    """
    folder = session.folder
    names = ("labels.csv", "sample.parquet", "model.askance")
    labels, sample, model = (folder / name for name in names)
    negative, positive = session.settings.classes
    classes = {"yes": positive, "no": negative}
    pairs = zip(session.journal.answers, session.records, strict=True)
    labelled = [(given, record) for given, record in pairs if given.answer in classes]
    probabilities = np.array([given.probability for given, _ in labelled])
    for path in (labels, sample):
        write_sample(
            path,
            ids=[given.id for given, _ in labelled],
            labels=[classes[given.answer] for given, _ in labelled],
            weights=1.0 / probabilities,
            probabilities=probabilities,
            n=session.learner.weighted_sample().n,
            columns=record_columns(record for _, record in labelled),
            raw=raw,
        )
    session.learner.save(model)
    return {"labels": labels, "sample": sample, "model": model}
