"""Files by their addresses, such as ``s3://bucket/part.parquet``: the only module with fsspec."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from askance.errors import FileUnreadable, InvalidParameter

__all__ = ["is_address", "matching_addresses", "open_address"]


def is_address(source: object) -> bool:
    """Whether a source is found by fsspec and not on this machine.

    >>> is_address("s3://bucket/part.parquet"), is_address("part.parquet")
    (True, False)
    """
    return isinstance(source, str) and "://" in source


def matching_addresses(pattern: str) -> list[str]:
    """The addresses that match a pattern.

    >>> matching_addresses("memory://nowhere/*.csv")
    []
    """
    with _one_sentence(pattern), _reached(pattern):
        return [str(file.full_name) for file in _fsspec().open_files(pattern, "rb")]


@contextmanager
def open_address(address: str) -> Iterator[io.BufferedReader]:
    """Open what an address stands for, which can be read from any place."""
    with _one_sentence(address):
        opened = _fsspec().open(address, "rb")
    with _reached(address), opened as raw, io.BufferedReader(raw) as stream:
        yield stream


def _fsspec() -> Any:
    try:
        import fsspec
    except ImportError:
        raise InvalidParameter(
            "an address with :// needs the extra: pip install 'askance[remote]'"
        ) from None
    return fsspec


@contextmanager
def _one_sentence(address: str) -> Iterator[None]:
    """Nobody may know the protocol, or what is needed for it is not installed."""
    try:
        yield
    except (ImportError, ValueError) as error:
        if isinstance(error, InvalidParameter):
            raise
        reason = str(error).partition("\n")[0]
        raise FileUnreadable(f"{address} cannot be read: {reason}") from error


@contextmanager
def _reached(address: str) -> Iterator[None]:
    """S3 may refuse or not answer, and says so by errors that are none of the system's."""
    try:
        yield
    except _cloud_errors() as error:
        reason = str(error).partition("\n")[0]
        raise FileUnreadable(f"{address} cannot be read: {reason}") from error


def _cloud_errors() -> tuple[type[Exception], ...]:
    # Asked when something went wrong: only then it is known which libraries were at work.
    botocore: Any = sys.modules.get("botocore.exceptions")
    return () if botocore is None else (botocore.BotoCoreError,)
