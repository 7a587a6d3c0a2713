"""Predictions for any number of files, by any workers."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from askance.data.reading.files import Piece, find_files, require_rereadable_files
from askance.data.reading.readers import pieces_of
from askance.exports.predictions import predictions
from askance.live import ActiveLearner
from askance.scale.workers import Team, Workers
from askance.storage.tables import Chunk

__all__ = ["predict_pool"]

MOST_ROWS = 1 << 20
"""Rows of a piece from which on its predictions are not put together for another process."""


class _Job(NamedTuple):
    live: ActiveLearner
    format: str | None
    id: str | None


def predict_pool(
    live: ActiveLearner,
    pool: str | Path | Sequence[str | Path],
    workers: Team | None = None,
    *,
    format: str | None = None,
    id: str | None = None,
) -> Iterator[Chunk]:
    r"""Predict for every record, in the order of the files, however many workers there are.

    The chunks are those of ``askance.exports.predictions.predictions``. With several workers,
    files other than Parquet are read once more, to count their rows, and those of over a million
    rows are left to this process: only so memory stays constant.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = file.write_text("age\n39\n50\n")
    >>> from askance.data.features import FeatureMap
    >>> live = ActiveLearner("passive", features=FeatureMap(), classes=("no", "yes"))
    >>> [chunk["id"].tolist() for chunk in predict_pool(live, file)]
    [['1', '2']]
    """
    live.settle()
    files = find_files(pool)
    if workers is None or workers == Workers():
        yield from predictions(live, files, format=format, id=id)
        return
    require_rereadable_files(files, "several workers count its rows first: save it as a file")
    pieces = [piece for piece in pieces_of(files, format) if piece.rows]
    job = _Job(live, format, id)
    with workers.running() as each:
        for large, run in groupby(pieces, lambda piece: piece.rows > MOST_ROWS):
            some = list(run)
            # Those of a large piece are given on as they come.
            found = (_predicted(job, one) for one in some) if large else each(_listed, job, some)
            for chunks in found:
                yield from chunks


def _predicted(job: _Job, piece: Piece) -> Iterator[Chunk]:
    return predictions(job.live, piece, format=job.format, id=job.id)


def _listed(job: _Job, piece: Piece) -> list[Chunk]:
    return list(_predicted(job, piece))
