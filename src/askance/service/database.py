"""The database: a SQLite file or a PostgreSQL server, its tables, and one server at a time."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, OperationalError

from askance.errors import FileUnreadable, InvalidParameter
from askance.service import migrations
from askance.service.schema import metadata
from askance.storage.locks import held

__all__ = ["connect", "migrate", "opened_database"]

_BUSY = "another askance serves this database: one server at a time"

_LOCK = 0x61736B616E6365
"""The advisory lock of PostgreSQL that a server holds: "askance" as a number."""

WAIT = 30.0
"""Seconds that a writer waits for another one before it gives up."""


def connect(url: str) -> sa.Engine:
    """An engine for a URL, such as ``sqlite:///labels.db`` or ``postgresql://user@host/name``.

    A SQLite file is written ahead, and a commit is on the disk when it returns.

    >>> import tempfile
    >>> engine = connect(f"sqlite:///{tempfile.mkdtemp()}/a.db")
    >>> with engine.connect() as connection:
    ...     [connection.scalar(sa.text(f"pragma {p}")) for p in ("journal_mode", "synchronous")]
    ['wal', 2]
    """
    parsed = _parsed(url)
    if parsed.get_backend_name() == "postgresql":
        return sa.create_engine(parsed.set(drivername="postgresql+psycopg"), pool_size=20)
    engine = sa.create_engine(parsed, connect_args={"timeout": WAIT}, pool_size=20)
    sa.event.listen(engine, "connect", _careful)
    return engine


def _parsed(url: str) -> sa.URL:
    try:
        parsed = sa.make_url(url)
        backend = parsed.get_backend_name()
    except (ArgumentError, NoSuchModuleError):
        backend = None
    if backend not in ("sqlite", "postgresql") or (backend == "sqlite" and not parsed.database):
        # The URL may hold a password, so it is not repeated.
        raise InvalidParameter(
            "a database must be sqlite:///FILE or postgresql://USER@HOST/NAME, got something else"
        )
    return parsed


def _careful(connection: sqlite3.Connection, record: Any) -> None:
    # Each thread of the server has a connection: their caches of pages together are to stay small.
    for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "cache_size=-512"):
        connection.execute(f"pragma {setting}")


def migrate(engine: sa.Engine) -> None:
    """Bring the tables to the newest form, in one transaction."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    script = ScriptDirectory.from_config(config)
    with engine.begin() as connection:
        context = EnvironmentContext(
            config, script, fn=lambda revision, _: script._upgrade_revs("head", revision)
        )
        context.configure(connection=connection, target_metadata=metadata)
        with context.begin_transaction():
            context.run_migrations()


@contextlib.contextmanager
def opened_database(url: str) -> Iterator[sa.Engine]:
    """Open a database for a server, which no other server may use meanwhile."""
    engine = connect(url)
    with contextlib.ExitStack() as stack:
        stack.callback(engine.dispose)
        try:
            if engine.dialect.name == "sqlite":
                stack.enter_context(held(f"{engine.url.database}.lock", _BUSY))
            else:
                # The lock ends with its connection, however that ends.
                connection = stack.enter_context(engine.connect())
                taken = connection.scalar(sa.select(sa.func.pg_try_advisory_lock(_LOCK)))
                connection.commit()
                if not taken:
                    raise FileUnreadable(_BUSY)
            migrate(engine)
        except OperationalError as error:
            reason = " ".join(str(error.orig).split())
            raise FileUnreadable(f"the database cannot be opened: {reason:.200}") from error
        yield engine
