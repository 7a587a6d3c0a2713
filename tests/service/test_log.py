import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from askance.checks.event_log import check_event_log
from askance.protocols import EventLog
from askance.service.database import connect, migrate
from askance.service.log import SqlEventLog
from askance.types import Event


def test_sqlite_keeps_the_contract(url, engine):
    check_event_log(lambda: SqlEventLog(engine))


def test_postgresql_keeps_the_contract(postgres):
    engine = connect(postgres)
    migrate(engine)
    check_event_log(lambda: SqlEventLog(engine))
    engine.dispose()


def test_it_is_an_event_log(engine):
    log = SqlEventLog(engine)
    assert isinstance(log, EventLog)
    log.close()


def test_a_taken_position_says_so(engine):
    log = SqlEventLog(engine)
    log.append("s", [Event(1, "created", 0.0)]).result()
    with pytest.raises(IntegrityError):
        log.append("s", [Event(1, "created", 0.0)]).result()
    log.close()


def test_nothing_to_add_is_done_at_once(engine):
    log = SqlEventLog(engine)
    assert log.append("s", []).done()
    log.close()


def test_closing_commits_what_waits(engine):
    log = SqlEventLog(engine)
    futures = [log.append("s", [Event(i, "offered", 0.0)]) for i in range(1, 200)]
    log.close()
    assert all(future.done() and future.exception() is None for future in futures)
    assert SqlEventLog(engine).last("s") == 199


def test_when_something_was_last(engine):
    log = SqlEventLog(engine)
    assert log.last_at("s", "offered") is None
    log.append("s", [Event(1, "offered", 3.0), Event(2, "leased", 9.0)]).result()
    assert log.last_at("s", "offered") == 3.0
    log.close()


def test_a_query_has_no_transaction_and_what_is_written_has_one(engine):
    seen = []

    @sa.event.listens_for(engine, "before_cursor_execute")
    def note(connection, cursor, statement, *_):
        alone = connection.get_execution_options().get("isolation_level") == "AUTOCOMMIT"
        seen.append((statement.split()[0], alone))

    log = SqlEventLog(engine)
    log.append("s", [Event(1, "created", 0.0), Event(2, "mapped", 0.0, key="k")]).result()
    log.find("s", ["k"])
    log.contents("s", [1])
    list(log.read("s"))
    log.close()
    assert seen == [("INSERT", False)] + [("SELECT", True)] * 3


def test_after_the_end_nothing_waits_for_ever(engine):
    log = SqlEventLog(engine)
    log.close()
    with pytest.raises(OSError, match="was closed"):
        log.append("s", [Event(1, "created", 0.0)]).result(timeout=5)


def test_whatever_goes_wrong_the_next_one_is_committed(engine):
    log = SqlEventLog(engine)
    with pytest.raises(UnicodeEncodeError):
        log.append("s", [Event(1, "created", 0.0, key="\ud800")]).result(timeout=5)
    log.append("t", [Event(1, "created", 0.0)]).result(timeout=5)
    log.close()
