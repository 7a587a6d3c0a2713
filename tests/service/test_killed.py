"""A server that is killed under load: what was acknowledged is there, nothing is charged twice."""

import contextlib
import random
import re
import signal
import subprocess
import sys
import threading
import uuid

import pytest
import sqlalchemy as sa
from tests.service.conftest import QUICK, made_records, state_of, truth

from askance.client import Client, ServiceRefused
from askance.service.database import connect, migrate
from askance.service.fold import Fold
from askance.service.log import SqlEventLog
from askance.service.people import People
from askance.service.replay import check_stream

TOTAL = 400
PEOPLE = 3
PATIENCE = 120.0
"""Seconds that a slow machine may take for an answer, the compiling of kernels among them."""


class Killed:
    """A database whose server is killed again and again, and what its clients were told."""

    def __init__(self, url: str) -> None:
        self.url = url
        engine = connect(url)
        migrate(engine)
        people = People(engine)
        names = [f"{name}-{uuid.uuid4().hex[:6]}" for name in ["root", "a", "b", "c"]]
        accounts = [people.add(name, "admin") for name in names]
        self.tokens = [people.make_token(account.id) for account in accounts]
        self.ids = [account.id for account in accounts]
        engine.dispose()
        self.streams: list[str] = []
        # Numbers of examples by id, and labels by (stream, answer).
        self.offered: dict[tuple[str, str], tuple[int | None, bool, float]] = {}
        self.answered: dict[tuple[str, str], tuple[int, str]] = {}
        self.refused: list[ServiceRefused] = []

    @contextlib.contextmanager
    def client(self, address: str, person: int):
        """A client whose server may die under it, which is no refusal."""
        with Client(address, self.tokens[person], timeout=PATIENCE) as client:
            try:
                yield client
            except ServiceRefused as refused:
                if refused.status:
                    self.refused.append(refused)

    @contextlib.contextmanager
    def server(self):
        command = [sys.executable, "-m", "askance", "serve", "--port", "0", "--db", self.url]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            found = re.search(r"http://[\d.]+:\d+", process.stdout.readline())
            yield found[0], process
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdout.close()

    def round(self, seed: int) -> None:
        """Start, load, and kill after so many acknowledgements, which is at a random moment."""
        draw = random.Random(seed)
        with self.server() as (address, process):
            with Client(address, self.tokens[0], timeout=PATIENCE) as admin:
                if not self.streams:
                    options = {"total": TOTAL, "bits": 6}
                    names = ["ham", "spam"]
                    self.streams = [
                        admin.create_stream("online", names, learner="iwal1", **options),
                        admin.create_stream("auto", names, parameters=QUICK, rate=0.6, **options),
                    ]
            left = threading.Semaphore(0)
            threads = [threading.Thread(target=self.offer, args=(address, seed, left))]
            threads += [
                threading.Thread(target=self.answer, args=(address, person, left))
                for person in range(1, PEOPLE + 1)
            ]
            for thread in threads:
                thread.start()
            for _ in range(draw.randrange(5, 60)):
                assert left.acquire(timeout=2 * PATIENCE)
            process.send_signal(signal.SIGKILL)
            for thread in threads:
                thread.join()

    def offer(self, address: str, seed: int, left: threading.Semaphore) -> None:
        with self.client(address, 0) as client:
            for batch in range(10_000):
                for stream in self.streams:
                    records = made_records(7, seed=seed, start=seed * 10**6 + batch * 10)
                    for told in client.offer(stream, records):
                        kept = told.number, told.wanted, told.probability
                        self.offered[stream, told.id] = kept
                    left.release()

    def answer(self, address: str, person: int, left: threading.Semaphore) -> None:
        with self.client(address, person) as client:
            while True:
                for stream in self.streams:
                    for question in client.questions(stream).questions:
                        label, id = truth(question.record), uuid.uuid4().hex
                        for _ in range(2):
                            client.answer(stream, question.number, label, id)
                            self.answered[stream, id] = question.number, label
                        left.release()

    def check(self) -> None:
        """Everything that was acknowledged is there, once, and the state is that of the log."""
        assert self.refused == []
        engine = connect(self.url)
        log = SqlEventLog(engine)
        for stream in self.streams:
            events = {event.key: event for event in log.read(stream) if event.key is not None}
            for (where, id), told in self.offered.items():
                if where == stream:
                    event = events[f"x:{id}"]
                    decision = event.data["decision"]
                    probability = 0.0 if decision is None else decision[2]
                    assert (event.number, event.wanted, probability) == told
            for (where, id), (number, label) in self.answered.items():
                if where == stream:
                    event = events[f"a:{id}"]
                    assert (event.number, event.data["label"]) == (number, label)
            self.check_state(log, stream)
        log.close()
        engine.dispose()

    def check_state(self, log: SqlEventLog, stream: str) -> None:
        cached, anew = Fold(log, stream), Fold(log, stream, cached=False)
        cached.restore()
        anew.restore()
        assert state_of(cached.learner) == state_of(anew.learner)
        questions = anew.books.questions.values()
        counted = [sum(vote.counts for vote in question.votes.values()) for question in questions]
        assert max(counted, default=0) <= 1, "an answer counts once"
        assert anew.learner._ledger.bought == len(counted) <= TOTAL, "each is charged once"
        numbers = [event.number for event in log.read(stream) if event.kind == "offered"]
        assert numbers == list(range(len(numbers))), "no example is lost or taken twice"
        positions = [event.position for event in log.read(stream)]
        assert positions == list(range(1, len(positions) + 1))


def kill_again_and_again(url: str, times: range) -> None:
    killed = Killed(url)
    for seed in times:
        killed.round(seed)
        killed.check()
    assert killed.answered
    engine = connect(url)
    log = SqlEventLog(engine)
    for stream in killed.streams:
        report = check_stream(log, stream)
        assert report.differences == []
        assert report.checked > 0
    log.close()
    with engine.connect() as connection:
        assert connection.scalar(sa.text("select count(*) from events"))
    engine.dispose()


def test_killed_five_times_over_sqlite(url):
    kill_again_and_again(url, range(5))


def test_killed_five_times_over_postgresql(postgres_database):
    kill_again_and_again(postgres_database, range(5))


@pytest.mark.slow
def test_killed_fifty_times_over_sqlite(url):
    kill_again_and_again(url, range(50))


@pytest.mark.slow
def test_killed_fifty_times_over_postgresql(postgres_database):
    kill_again_and_again(postgres_database, range(50))
