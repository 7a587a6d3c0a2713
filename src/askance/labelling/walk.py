"""The records of a file, one by one, with their rows and a checksum of all that was read."""

import hashlib
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

from askance.data.features import FeatureMap
from askance.data.features.records import Batch, Record
from askance.data.reading.intake import Intake, Reading
from askance.sparse import empty
from askance.types import Matrix, Row

__all__ = ["Walk"]


class Walk:
    r"""Walks over a file.

    Parameters
    ----------
    source, reading, features
        As :class:`~askance.data.reading.intake.Intake` takes them.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "mail.csv"
    >>> _ = file.write_text("size\n3\n5\n")
    >>> walk = Walk(file, Reading(), FeatureMap())
    >>> walk.rows(9).data.tolist()
    [3.0, 5.0]
    >>> walk.read().fields, walk.position
    ({'size': 3.0}, 1)
    """

    def __init__(self, source: str | Path, reading: Reading, features: FeatureMap) -> None:
        self.position = 0
        self.checksum = hashlib.blake2b(digest_size=16)
        self._features = features
        self._batches = Intake(source, reading, features).batches()
        # What is not read in the batch at hand, its rows once one of them was wanted, and the place
        # in it.
        self._records: Iterator[Record] = iter(())
        self._rows: Matrix | None = None
        self._batch: Batch | None = None
        self._place = -1
        self._fetched: Future[Batch | None] | None = None

    def read(self) -> Record | None:
        """The next record; None at the end."""
        record = next(self._records, None)
        while record is None:
            if not self._turn():
                return None
            record = next(self._records, None)
        self._place += 1
        self.position += 1
        self.checksum.update(_content(record))
        return record

    def rows(self, most: int) -> Matrix:
        """The rows of the records that come next, one at least unless there is none.

        They are encoded a batch at a time, and only where one is wanted, so that records which the
        learner already knows are read quickly.
        """
        while not self._left():
            if not self._turn():
                return empty()
        if self._rows is None:
            assert self._batch is not None
            self._rows = self._features.encode_batch(self._batch)
        return self.rows_at_hand(most)

    def rows_at_hand(self, most: int) -> Matrix:
        """Those of them that are encoded already."""
        if self._rows is None:
            return empty()
        return self._rows[self._place + 1 : self._place + 1 + most]

    def fetch(self) -> None:
        """Read the next batch before it is needed; what is wrong with it is told then."""
        if self._fetched is None:
            self._fetched = Future()
            try:
                self._fetched.set_result(next(self._batches, None))
            except Exception as error:
                self._fetched.set_exception(error)

    def skip(self, position: int) -> None:
        """Go forward to a position that was reached before, without a checksum."""
        while self._batch is None or position - self.position > self._left():
            self.position += self._left()
            if not self._turn():
                return
        for _ in range(position - self.position):
            next(self._records)
        self._place += position - self.position
        self.position = position

    def _left(self) -> int:
        return 0 if self._batch is None else len(self._batch.ids) - self._place - 1

    def _turn(self) -> bool:
        self.fetch()
        assert self._fetched is not None
        fetched, self._fetched = self._fetched, None
        self._batch, self._rows, self._place = fetched.result(), None, -1
        self._records = iter(()) if self._batch is None else self._batch.records()
        return self._batch is not None


def _content(record: Record) -> bytes:
    fields = record.fields
    if isinstance(fields, Row):
        return (
            record.id.encode("utf-8", "backslashreplace")
            + fields.indices.tobytes()
            + fields.values.tobytes()
        )
    return repr((record.id, fields)).encode("utf-8", "backslashreplace")
