"""The contract suite must notice logs that break it."""

import pytest

from askance.checks.event_log import check_event_log
from askance.service.database import connect, migrate
from askance.service.log import SqlEventLog


@pytest.fixture
def make(tmp_path):
    engine = connect(f"sqlite:///{tmp_path}/log.db")
    migrate(engine)

    def of(kind):
        return lambda: kind(engine)

    yield of
    engine.dispose()


class Forgetful(SqlEventLog):
    """Leaves an event out."""

    def read(self, stream, after=0, upto=None, *, all=True):
        for event in super().read(stream, after, upto, all=all):
            if event.position != 17:
                yield event


class Rounding(SqlEventLog):
    """Keeps numbers in fewer digits."""

    def read(self, stream, after=0, upto=None, *, all=True):
        for event in super().read(stream, after, upto, all=all):
            yield event._replace(at=round(event.at, 6))


class Careless(SqlEventLog):
    """Goes on after a failure."""

    def append(self, stream, new, held=None, also=()):
        self._broken.clear()
        future = super().append(stream, new, held, also)
        future.exception()
        return future


class Unerasing(SqlEventLog):
    """Keeps what was erased."""

    def append(self, stream, new, held=None, also=()):
        kept = [event._replace(kind="erased?") for event in new if event.kind == "erased"]
        return super().append(stream, kept or new, held, also)


@pytest.mark.parametrize("kind", [Forgetful, Rounding, Careless, Unerasing])
def test_a_log_that_breaks_the_contract_is_noticed(make, kind):
    with pytest.raises(AssertionError):
        check_event_log(make(kind))
