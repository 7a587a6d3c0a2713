"""The records of a file, one by one, with their rows and a checksum of all that was read."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from askance.data.features import FeatureMap
from askance.data.records import Record
from askance.intake import Intake, Reading
from askance.types import Row

__all__ = ["Walk"]


class Walk:
    r"""Walks over a file.

    Parameters
    ----------
    source, reading, features
        As :class:`~askance.intake.Intake` takes them.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "mail.csv"
    >>> _ = file.write_text("size\n3\n5\n")
    >>> walk = Walk(file, Reading(), FeatureMap())
    >>> record, row = next(walk)
    >>> record.fields, row.values.tolist(), walk.position
    ({'size': 3.0}, [3.0], 1)
    """

    def __init__(self, source: str | Path, reading: Reading, features: FeatureMap) -> None:
        self.position = 0
        self.checksum = hashlib.blake2b(digest_size=16)
        self._pairs = _pairs(Intake(source, reading, features))

    def __iter__(self) -> "Walk":
        return self

    def __next__(self) -> tuple[Record, Row]:
        record, row = next(self._pairs)
        self.position += 1
        self.checksum.update(_content(record))
        return record, row

    def skip(self, position: int) -> None:
        """Go forward to a position that was reached before, without a checksum."""
        for _ in range(position - self.position):
            next(self._pairs)
        self.position = position


def _pairs(intake: Intake) -> Iterator[tuple[Record, Row]]:
    for batch, csr in intake:
        yield from zip(batch.records(), csr.rows(), strict=True)


def _content(record: Record) -> bytes:
    fields = record.fields
    if isinstance(fields, Row):
        return record.id.encode() + fields.indices.tobytes() + fields.values.tobytes()
    return repr((record.id, fields)).encode("utf-8", "backslashreplace")
