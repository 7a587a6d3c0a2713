import pytest
import sqlalchemy as sa

from askance.errors import FileUnreadable, InvalidParameter
from askance.service.database import connect, migrate, opened_database


def test_a_sqlite_file_is_written_ahead_and_synced(url):
    engine = connect(url)
    with engine.connect() as connection:
        assert connection.scalar(sa.text("pragma journal_mode")) == "wal"
        assert connection.scalar(sa.text("pragma synchronous")) == 2
        assert connection.scalar(sa.text("pragma foreign_keys")) == 1
    engine.dispose()


@pytest.mark.parametrize(
    "url", ["mysql://root:secret@host/db", "askance.db", "sqlite://", "", "nonsense:secret"]
)
def test_other_urls_are_refused_without_their_secrets(url):
    with pytest.raises(InvalidParameter, match="a database must be sqlite") as refused:
        connect(url)
    assert "secret" not in str(refused.value)


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


def test_a_database_that_cannot_be_opened_is_one_sentence(tmp_path):
    with (
        pytest.raises(FileUnreadable, match="the database cannot be opened"),
        opened_database("postgresql://nobody@127.0.0.1:1/none?connect_timeout=1"),
    ):
        pass


def test_migrating_twice_changes_nothing(engine):
    migrate(engine)
    assert "events" in sa.inspect(engine).get_table_names()
