"""The compiled road: how settings are laid out, grouped and stepped."""

from askance.engine.checkpoints import run_settings
from askance.engine.drivers import Driver, drive
from askance.engine.group import Group, is_compilable
from askance.engine.grouping import cover_size, groups
from askance.engine.streams import CHUNK, chunks_of, stream_of, stream_of_matrix, stream_of_rows

__all__ = [
    "CHUNK",
    "Driver",
    "Group",
    "chunks_of",
    "cover_size",
    "drive",
    "groups",
    "is_compilable",
    "run_settings",
    "stream_of",
    "stream_of_matrix",
    "stream_of_rows",
]
