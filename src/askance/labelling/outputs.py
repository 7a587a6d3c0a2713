"""What a labelling leaves: the labels with their records, the model, the weighted sample."""

from pathlib import Path

from askance.exports import record_columns, write_model_sample
from askance.labelling.session import Session

__all__ = ["write_outputs"]


def write_outputs(session: Session, *, raw: bool = False) -> dict[str, Path]:
    """Write ``labels.csv``, ``sample.parquet`` and ``model.askance`` into the session's folder.

    The first two hold the same rows, for people and for programs: one for each label given, with
    its id, weight and probability, where it stood, and the columns of the record. Skipped records
    are in neither. ``raw`` keeps texts in CSV that a spreadsheet would run as formulas.
    """
    folder = session.folder
    names = ("labels.csv", "sample.parquet", "model.askance")
    labels, sample, model = (folder / name for name in names)
    pairs = zip(session.journal.answers, session.records, strict=True)
    labelled = [(given.id, record) for given, record in pairs if given.answer != "skip"]
    for path in (labels, sample):
        write_model_sample(
            path,
            session.learner,
            ids=[id for id, _ in labelled],
            columns=record_columns(record for _, record in labelled),
            raw=raw,
        )
    session.learner.save(model)
    return {"labels": labels, "sample": sample, "model": model}
