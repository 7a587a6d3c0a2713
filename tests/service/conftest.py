"""Databases, sessions with a clock that tests turn, and a server on the loopback."""

import random
import threading
import uuid
from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from tests.service.postgres import MISSING, binaries, temporary_cluster

from askance.service.database import connect, migrate
from askance.service.fold import Fold
from askance.service.people import People
from askance.service.refits import Refits
from askance.service.running import Service, opened_service
from askance.service.session import Session
from askance.service.settings import StreamSettings

QUICK = {"members": ["logistic regression"]}
"""An ``auto`` that fits within milliseconds."""


class TurnedClock:
    """A clock that stands still until it is turned."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now

    def turn(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> TurnedClock:
    return TurnedClock()


@pytest.fixture
def url(tmp_path) -> str:
    return f"sqlite:///{tmp_path}/service.db"


@pytest.fixture
def engine(url):
    engine = connect(url)
    migrate(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def session(engine, clock) -> Iterator[Session]:
    # A process that gives way to all other tests would keep this one waiting.
    session = Session(engine, clock, Refits(nice=0))
    yield session
    session.close()


@pytest.fixture
def people(engine, clock) -> People:
    return People(engine, clock)


@pytest.fixture
def service(url, clock) -> Iterator[Service]:
    with opened_service(url, clock=clock) as service:
        yield service


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """A PostgreSQL server for all tests that want one."""
    if binaries() is None:
        pytest.skip(MISSING)
    with temporary_cluster() as url:
        yield url


@pytest.fixture
def postgres_database(postgres) -> str:
    """A database of its own on that server."""
    name = f"d{uuid.uuid4().hex}"
    engine = connect(postgres).execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sa.text(f"create database {name}"))
    engine.dispose()
    return postgres.replace("/postgres", f"/{name}")


def settings(**chosen) -> StreamSettings:
    """A small stream of an online learner, which wants every label at first."""
    return StreamSettings(
        **{"name": "mail", "classes": ("ham", "spam"), "learner": "iwal1", "bits": 6, **chosen}
    )


def quick_auto(**chosen) -> StreamSettings:
    """A stream of ``auto`` whose refits are quick."""
    return settings(**{"learner": "auto", "parameters": QUICK, **chosen})


def quick_epochs(learner: str, **chosen) -> StreamSettings:
    """A stream of a learner in epochs whose fits are quick."""
    quick = {"probes": 2, "unlabeled": 60}
    if learner == "active_cover":
        quick |= {"max_iterations": 30}
    return settings(learner=learner, parameters=quick, **chosen)


REFITTING = {
    "auto": lambda: quick_auto(rate=0.6),
    "active_cover": lambda: quick_epochs("active_cover"),
    "batch_iwal": lambda: quick_epochs("batch_iwal"),
    "oracular_cal": lambda: quick_epochs("oracular_cal"),
}
"""A stream of every learner that refits."""


def made_records(count: int, seed: int = 0, start: int = 0):
    """Records whose label is the sign of x + y - 1."""
    draw = random.Random(seed)
    return [
        (str(start + i), {"x": draw.random(), "y": draw.random(), "town": draw.choice("abc")})
        for i in range(count)
    ]


def truth(record) -> str:
    return "spam" if record["x"] + record.get("y", 0) > 1 else "ham"


def answer_all(session: Session, stream: str, person: str = "ann", most: int = 10**9) -> int:
    """Answer what waits; how many there were."""
    given = 0
    while given < most and (questions := session.lease(stream, person)):
        for question in questions[: most - given]:
            key = f"{person}-{question.number}-{session.stream(stream).fold.position}"
            session.answer(stream, person, question.number, truth(question.record), key=key)
            given += 1
    return given


def refit_done(session: Session, stream: str) -> None:
    """Wait until no refit is under way, and those that served are on the disk."""
    opened = session.stream(stream)
    while True:
        with opened.lock:
            refit = None if opened.refitting is None else opened.refitting.coming
        if refit is None or refit[1] is None:
            opened.write([]).result()
            return
        refit[1].result(60)
        # Who is told of a result gets it before the one who waits, or will soon.
        while opened.refitting is not None and opened.refitting.coming == refit:
            threading.Event().wait(0.005)


def folded(session: Session, stream: str) -> Fold:
    """The stream as its log alone says."""
    opened = session.stream(stream)
    with opened.lock:
        opened.write([], None, []).result()
        session.log.mend(stream)
    fold = Fold(session.log, stream)
    fold.restore()
    return fold


def plain(value):
    """Everything in a state, to be compared bit for bit; names that were hashed are left out."""
    if hasattr(value, "tobytes"):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key not in ("names", "kinds")}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def state_of(learner):
    return plain(learner._get_state())
