import contextlib
import threading

import pytest
import sqlalchemy as sa

from askance.errors import FileUnreadable, InvalidParameter
from askance.service import database
from askance.service.database import connect, migrate, opened_database, read_database
from askance.service.log import SqlEventLog
from askance.service.schema import contents, metadata
from askance.types import Event


@contextlib.contextmanager
def _engine(url):
    engine = connect(url)
    yield engine
    engine.dispose()


def test_a_sqlite_file_is_written_ahead_and_synced(url):
    engine = connect(url)
    with engine.connect() as connection:
        assert connection.scalar(sa.text("pragma journal_mode")) == "wal"
        assert connection.scalar(sa.text("pragma synchronous")) == 2
        assert connection.scalar(sa.text("pragma foreign_keys")) == 1
        assert connection.scalar(sa.text("pragma secure_delete")) == 1
    engine.dispose()


@pytest.mark.parametrize(
    "url",
    [
        "mysql://root:secret@host/db",
        "askance.db",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///file:a.db?uri=true",
        "sqlite:///file:secret?mode=memory&uri=true",
        "",
        "nonsense:secret",
        "postgresql://u:pa@secret:wo@host/db",
    ],
)
def test_other_urls_are_refused_without_their_secrets(url):
    with pytest.raises(InvalidParameter, match="a database must be sqlite") as refused:
        connect(url)
    assert "secret" not in str(refused.value)


def test_a_migration_that_fails_in_the_middle_leaves_nothing(url):
    with _engine(url) as engine:
        made = []

        @sa.event.listens_for(engine, "before_cursor_execute")
        def fail(connection, cursor, statement, *rest):
            made.append("CREATE TABLE" in statement)
            if sum(made) == 5:
                raise RuntimeError("killed")

        with pytest.raises(RuntimeError, match="killed"):
            migrate(engine)
    with _engine(url) as engine:
        assert sa.inspect(engine).get_table_names() == []
        migrate(engine)
        assert set(metadata.tables) <= set(sa.inspect(engine).get_table_names())


def test_what_is_erased_leaves_the_file(url, tmp_path):
    with _engine(url) as engine:
        migrate(engine)
        with engine.begin() as connection:
            connection.execute(contents.insert(), [_content(i) for i in range(50)])
        with engine.begin() as connection:
            connection.execute(contents.update().values(record=None))
        with engine.connect() as connection:
            connection.exec_driver_sql("pragma wal_checkpoint(truncate)")
    assert b"SECRET" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def _content(number):
    return {"stream": "s", "number": number, "record": "SECRET" * 500, "features": None}


def test_a_second_server_on_the_same_file_is_refused(url):
    with (
        opened_database(url),
        pytest.raises(FileUnreadable, match="one server at a time"),
        opened_database(url),
    ):
        pass
    with opened_database(url):
        pass


def test_a_second_server_on_the_same_postgresql_is_refused(postgres):
    with (
        opened_database(postgres),
        pytest.raises(FileUnreadable, match="one server at a time"),
        opened_database(postgres),
    ):
        pass
    with opened_database(postgres):
        pass


def test_a_server_lets_the_lock_of_postgresql_go_before_its_connection(postgres):
    with _engine(postgres) as first:
        with database._only_writer(first) as writer:
            dispose = writer.dispose
            writer.dispose = lambda: None
        # Its pool still has the connection that held the lock.
        assert writer.pool.checkedin() == 1
        with opened_database(postgres):
            pass
        dispose()


def test_the_next_server_on_postgresql_waits_until_one_that_was_killed_is_noticed(postgres):
    with _engine(postgres) as dead, contextlib.ExitStack() as lock:
        lock.enter_context(database._only_writer(dead))
        leaving = threading.Timer(0.5, lock.close)
        leaving.start()
        with opened_database(postgres):
            assert leaving.finished.is_set()
        leaving.join()


def _cut_all_connections(postgres):
    cut = """
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid != pg_backend_pid()
    """
    with _engine(postgres) as apart, apart.connect() as connection:
        connection.execute(sa.text(cut))


def test_a_server_whose_connections_were_cut_ends_quietly(postgres):
    with opened_database(postgres):
        _cut_all_connections(postgres)


def _append(log, stream):
    log.append(stream, [Event(1, "created", 0.0)]).result(timeout=10)


def test_a_server_whose_connections_were_cut_has_the_lock_when_it_writes_again(postgres_database):
    with (
        opened_database(postgres_database) as opened,
        contextlib.closing(SqlEventLog(*opened)) as log,
    ):
        _cut_all_connections(postgres_database)
        with pytest.raises(sa.exc.OperationalError):
            _append(log, "a")
        _append(log, "b")
        with (
            pytest.raises(FileUnreadable, match="one server at a time"),
            opened_database(postgres_database),
        ):
            pass


def test_a_server_that_lost_the_lock_of_postgresql_writes_no_more(postgres_database):
    with (
        opened_database(postgres_database) as opened,
        contextlib.closing(SqlEventLog(*opened)) as log,
    ):
        _cut_all_connections(postgres_database)
        with opened_database(postgres_database):
            for stream, error in (("a", sa.exc.OperationalError), ("b", FileUnreadable)):
                with pytest.raises(error):
                    _append(log, stream)


def test_a_database_that_cannot_be_opened_is_one_sentence(tmp_path):
    with (
        pytest.raises(FileUnreadable, match="the database cannot be opened"),
        opened_database("postgresql://nobody@127.0.0.1:1/none?connect_timeout=1"),
    ):
        pass


def test_migrating_twice_changes_nothing(engine):
    migrate(engine)
    assert "events" in sa.inspect(engine).get_table_names()


def test_a_second_server_by_another_name_of_the_file_is_refused(url, tmp_path):
    (tmp_path / "other.db").symlink_to(tmp_path / "service.db")
    with (
        opened_database(url),
        pytest.raises(FileUnreadable, match="one server at a time"),
        opened_database(f"sqlite:///{tmp_path}/other.db"),
    ):
        pass


def test_a_file_that_is_no_database_is_one_sentence(url, tmp_path):
    (tmp_path / "service.db").write_text("a letter to a friend, and no database at all")
    for opening in (opened_database, read_database):
        with pytest.raises(FileUnreadable, match="file is not a database"), opening(url) as found:
            sa.inspect(found).get_table_names()


def test_a_database_of_a_newer_version_is_left_alone(url):
    with opened_database(url) as (engine, _), engine.begin() as connection:
        connection.execute(sa.text("update alembic_version set version_num = '9999'"))
    with pytest.raises(FileUnreadable, match="made by a newer askance"), opened_database(url):
        pass


def test_who_only_reads_makes_no_database(url, tmp_path):
    with pytest.raises(FileUnreadable, match="there is no database"), read_database(url):
        pass
    assert list(tmp_path.iterdir()) == []


def test_errors_do_not_show_what_was_to_be_written(url):
    with (
        opened_database(url) as (engine, _),
        engine.connect() as connection,
        pytest.raises(sa.exc.DatabaseError) as refused,
    ):
        connection.execute(sa.text("insert into nothing values (:x)"), {"x": "a secret"})
    assert "a secret" not in str(refused.value)
