"""The database: a SQLite file or a PostgreSQL server, its tables, and one server at a time."""

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError, SQLAlchemyError

from askance.errors import FileUnreadable, InvalidParameter
from askance.service import migrations
from askance.service.schema import metadata
from askance.storage.locks import held

__all__ = ["OpenedDatabase", "connect", "migrate", "opened_database", "read_database"]

_BUSY = "another askance serves this database: one server at a time"

_LOCK = 0x61736B616E6365
"""The advisory lock of PostgreSQL that a server holds: "askance" as a number."""

WAIT = 30.0
"""Seconds that a writer waits for another one before it gives up."""

_LEAVING = 3.0
"""Seconds within which PostgreSQL notices that a server was killed, and lets its lock go."""


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
        parsed = parsed.set(drivername="postgresql+psycopg")
        return sa.create_engine(parsed, pool_size=20, hide_parameters=True)
    # Parameters are records and digests: an error that is logged must not show them.
    engine = sa.create_engine(
        parsed, connect_args={"timeout": WAIT}, pool_size=20, hide_parameters=True
    )
    sa.event.listen(engine, "connect", _careful)
    return engine


def _parsed(url: str) -> sa.URL:
    try:
        parsed = sa.make_url(url)
        backend = parsed.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError):
        # The last is a port that is no number, as after an @ in a password.
        backend = None
    if backend not in ("sqlite", "postgresql") or (backend == "sqlite" and not _is_file(parsed)):
        # The URL may hold a password, so it is not repeated.
        raise InvalidParameter(
            "a database must be sqlite:///FILE or postgresql://USER@HOST/NAME, got something else"
        )
    return parsed


def _is_file(url: sa.URL) -> bool:
    """Whether a SQLite URL names a file by its path: the lock of a server lies beside it."""
    return bool(url.database) and url.database != ":memory:" and not url.query


def _careful(connection: sqlite3.Connection, record: Any) -> None:
    # Each thread of the server has a connection: their caches of pages together are to stay small.
    settings = ["journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "cache_size=-512"]
    # What is erased is overwritten, whatever SQLite was built with.
    for setting in (*settings, "secure_delete=ON"):
        connection.execute(f"pragma {setting}")


def migrate(engine: sa.Engine) -> None:
    """Bring the tables to the newest form, in one transaction."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    script = ScriptDirectory.from_config(config)
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            # Python's module begins a transaction before rows are changed, not before tables are.
            connection.exec_driver_sql("begin")
        context = EnvironmentContext(
            config, script, fn=lambda revision, _: script._upgrade_revs("head", revision)
        )
        context.configure(connection=connection, target_metadata=metadata)
        with context.begin_transaction():
            context.run_migrations()


class OpenedDatabase(NamedTuple):
    """A database that this server alone uses; only the ``writer`` may add events."""

    engine: sa.Engine
    writer: sa.Engine


@contextlib.contextmanager
def opened_database(url: str) -> Iterator[OpenedDatabase]:
    """Open a database for a server, which no other server may use meanwhile."""
    engine = connect(url)
    with contextlib.ExitStack() as stack:
        stack.callback(engine.dispose)
        with _explained():
            if engine.dialect.name == "sqlite":
                # By whatever name the file is called.
                path = Path(str(engine.url.database)).resolve()
                stack.enter_context(held(f"{path}.lock", _BUSY))
                writer = engine
            else:
                writer = stack.enter_context(_only_writer(engine))
            migrate(engine)
        yield OpenedDatabase(engine, writer)


@contextlib.contextmanager
def _only_writer(engine: sa.Engine) -> Iterator[sa.Engine]:
    """One connection, which holds PostgreSQL's lock for as long as it is there.

    A server that has lost it, because the database was restarted, can write again only if no other
    server has the lock by then.
    """
    writer = sa.create_engine(engine.url, pool_size=1, max_overflow=0, hide_parameters=True)
    sa.event.listen(writer, "connect", _take_lock)
    try:
        with writer.connect():
            pass
        yield writer
    finally:
        # A connection that is closed here is gone there some time later. It may be gone now.
        with contextlib.suppress(SQLAlchemyError, FileUnreadable), writer.connect() as connection:
            connection.scalar(sa.select(sa.func.pg_advisory_unlock(_LOCK)))
        writer.dispose()


def _take_lock(connection: Any, record: Any) -> None:
    # Else a connection that was cut on the way would keep the lock for hours.
    connection.execute("set tcp_keepalives_idle = 30")
    connection.execute("set tcp_keepalives_interval = 10")
    connection.execute("set tcp_keepalives_count = 3")
    ends = time.monotonic() + _LEAVING
    while not connection.execute(f"select pg_try_advisory_lock({_LOCK})").fetchone()[0]:
        if time.monotonic() > ends:
            connection.close()
            raise FileUnreadable(_BUSY)
        time.sleep(0.05)
    connection.commit()


@contextlib.contextmanager
def read_database(url: str) -> Iterator[sa.Engine]:
    """Open a database that is there, beside a server if need be; nothing is made in it."""
    engine = connect(url)
    path = engine.url.database
    if engine.dialect.name == "sqlite" and not Path(str(path)).is_file():
        raise FileUnreadable(f"there is no database {path}")
    with contextlib.ExitStack() as stack:
        stack.callback(engine.dispose)
        with _explained():
            yield engine


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """Say in a sentence why a database cannot be used."""
    try:
        yield
    except CommandError as error:
        raise FileUnreadable("the database was made by a newer askance: update this one") from error
    except DatabaseError as error:
        reason = " ".join(str(error.orig).split())
        raise FileUnreadable(f"the database cannot be opened: {reason:.200}") from error
