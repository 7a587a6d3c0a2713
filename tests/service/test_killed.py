"""A server that is killed under load: what was acknowledged is there, nothing counts twice.

What is on its way when the server dies is said again, with the same ids, to the next one.
"""

import contextlib
import itertools
import random
import re
import signal
import subprocess
import sys
import threading
import uuid
from collections import Counter
from dataclasses import dataclass

import pytest
import sqlalchemy as sa
from tests.service.conftest import QUICK, made_records, state_of, truth

from askance.client import Client, ServiceRefused
from askance.service.database import connect, migrate
from askance.service.fold import Fold
from askance.service.log import SqlEventLog
from askance.service.people import People
from askance.service.replay import check_stream
from askance.service.resolution import is_given_up
from askance.service.schema import backlog

TOTALS = {"online": 60, "auto": 400}
"""Labels of each stream; the first is spent soon."""

PEOPLE = 3
PATIENCE = 120.0
"""Seconds that a slow machine may take for an answer, the compiling of kernels among them."""

FAIR = re.compile("was erased|was spent on others")
"""Why a reply may be refused: one is late, or the label of a skip is gone."""


@dataclass
class Reply:
    """An answer that was acknowledged, as it should be now."""

    number: int
    position: int
    first: str | None
    label: str | None
    undone: bool = False


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
        engine.dispose()
        self.streams: list[str] = []
        # All by the stream and the id that the client made.
        self.offered: dict[tuple[str, str], tuple[int | None, bool, float]] = {}
        self.replies: dict[tuple[str, str], Reply] = {}
        self.erased: set[tuple[str, str]] = set()
        self.uploaded: set[tuple[str, str]] = set()
        # What each client has said that was not acknowledged yet, and how often what was.
        self.unheard: dict[int, tuple] = {}
        self.heard: Counter[str] = Counter()
        self.mine: list[list[tuple[str, str]]] = [[] for _ in range(PEOPLE + 1)]
        self.turns = [itertools.count() for _ in range(PEOPLE + 1)]
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
                    kinds = {"online": {"learner": "iwal1"}, "auto": {"rate": 0.6}}
                    kinds["auto"]["parameters"] = QUICK
                    self.streams = [
                        admin.create_stream(
                            name, ["ham", "spam"], total=total, bits=6, **kinds[name]
                        )
                        for name, total in TOTALS.items()
                    ]
            left = threading.Semaphore(0)
            threads = [threading.Thread(target=self.send, args=(address, seed, left))]
            threads += [
                threading.Thread(target=self.work, args=(address, person, left))
                for person in range(1, PEOPLE + 1)
            ]
            for thread in threads:
                thread.start()
            for _ in range(draw.randrange(5, 60)):
                assert left.acquire(timeout=2 * PATIENCE)
            process.send_signal(signal.SIGKILL)
            for thread in threads:
                thread.join()

    # ------------------------------------------------------------------ what clients do

    def say(self, client: Client, person: int, act, *what) -> None:
        """Say something, and keep it until it is acknowledged."""
        self.unheard[person] = act, what
        try:
            act(client, *what)
            self.heard[act.__name__] += 1
        except ServiceRefused as refused:
            if refused.status != 409 or not FAIR.search(str(refused)):
                raise
        del self.unheard[person]

    def say_again(self, client: Client, person: int) -> None:
        """Say what the server that died may have heard or not."""
        if person in self.unheard:
            act, what = self.unheard[person]
            self.say(client, person, act, *what)

    def send(self, address: str, seed: int, left: threading.Semaphore) -> None:
        """Send examples, a file now and then, and seldom erase one."""
        with self.client(address, 0) as client:
            self.say_again(client, 0)
            for batch in range(10_000):
                for stream in self.streams:
                    records = made_records(7, seed=seed, start=seed * 10**6 + batch * 10)
                    self.say(client, 0, self.offer, stream, records)
                    left.release()
                turn, stream = next(self.turns[0]), self.streams[batch % 2]
                if turn % 4 == 1:
                    self.say(client, 0, self.upload, stream, made_records(20, seed), f"f{turn}-")
                if turn % 8 == 3:
                    self.say(client, 0, self.erase, stream, records[seed % 7][0])

    def work(self, address: str, person: int, left: threading.Semaphore) -> None:
        """Answer, skip, change and undo."""
        with self.client(address, person) as client:
            self.say_again(client, person)
            mine = self.mine[person]
            while True:
                for stream in self.streams:
                    for question in client.questions(stream).questions:
                        turn, id = next(self.turns[person]), uuid.uuid4().hex
                        label = (
                            None if turn % 7 == 6 or not question.record else truth(question.record)
                        )
                        for _ in range(2):
                            self.say(
                                client, person, self.answer, stream, id, question.number, label
                            )
                        mine += [(stream, id)] * ((stream, id) in self.replies)
                        left.release()
                        if mine and turn % 3 == 2:
                            # One of the last or an old one.
                            self.revise(client, person, *mine[-1 - turn * 5 % len(mine)], turn)
                            left.release()

    def revise(self, client: Client, person: int, stream: str, id: str, turn: int) -> None:
        reply = self.replies[stream, id]
        if reply.undone:
            # Late, and known: it stays undone.
            self.say(client, person, self.answer, stream, id, reply.number, reply.first)
        elif turn % 2:
            self.say(client, person, self.undo, stream, id)
        else:
            label = {"ham": "spam", "spam": None, None: "ham"}[reply.label]
            self.say(client, person, self.change, stream, id, label)

    # ------------------------------------------------------------------ what they can say

    def offer(self, client: Client, stream: str, records) -> None:
        for told in client.offer(stream, records):
            self.offered[stream, told.id] = told.number, told.wanted, told.probability

    def upload(self, client: Client, stream: str, records, prefix: str) -> None:
        lines = [f"{id},{one['x']},{one['y']},{one['town']}" for id, one in records]
        client._call(
            "POST",
            f"/streams/{stream}/files",
            params={"format": "csv", "id": "id", "prefix": prefix},
            headers={"Content-Type": "application/octet-stream"},
            content="\n".join(["id,x,y,town", *lines]).encode(),
        )
        self.uploaded |= {(stream, f"{prefix}{id}") for id, _ in records}

    def erase(self, client: Client, stream: str, id: str) -> None:
        client.erase(stream, id)
        self.erased.add((stream, id))

    def answer(self, client: Client, stream: str, id: str, number: int, label: str | None) -> None:
        receipt = client.answer(stream, number, label, id)
        reply = Reply(number, receipt.position, label, label)
        assert self.replies.setdefault((stream, id), reply).position == reply.position

    def change(self, client: Client, stream: str, id: str, label: str | None) -> None:
        reply = self.replies[stream, id]
        client.change(stream, reply.number, reply.position, label)
        reply.label = label

    def undo(self, client: Client, stream: str, id: str) -> None:
        client.undo(stream, id)
        self.replies[stream, id].undone = True

    # ------------------------------------------------------------------ what must hold

    def check(self) -> None:
        """Everything that was acknowledged is there, once, and the state is that of the log."""
        assert self.refused == []
        engine = connect(self.url)
        log = SqlEventLog(engine)
        for stream, total in zip(self.streams, TOTALS.values(), strict=True):
            books = self.check_state(log, stream, total)
            keyed = [event for event in log.read(stream) if event.key is not None]
            events = {event.key: event for event in keyed}
            assert len(events) == len(keyed), "nothing is written twice"
            self.check_examples(log, stream, events)
            self.check_replies(stream, events, books)
        log.close()
        engine.dispose()

    def check_examples(self, log: SqlEventLog, stream: str, events) -> None:
        for id, told in of(stream, self.offered.items()):
            event = events[f"x:{id}"]
            decision = event.data["decision"]
            probability = 0.0 if decision is None else decision[2]
            assert (event.number, event.wanted, probability) == told
        for id, _ in of(stream, ((key, None) for key in self.erased)):
            number = events[f"x:{id}"].number
            assert log.contents(stream, [number])[number] == (None, None)
        with log.engine.connect() as connection:
            waiting = sa.select(backlog.c.key).where(backlog.c.stream == stream)
            known = {f"x:{id}" for id in connection.scalars(waiting)} | events.keys()
        assert {f"x:{id}" for id, _ in of(stream, ((k, None) for k in self.uploaded))} <= known

    def check_replies(self, stream: str, events, books) -> None:
        # Of what was not acknowledged, nobody can know.
        unsure = [what[:2] for _, what in self.unheard.values()]
        for id, reply in of(stream, self.replies.items()):
            event = events[f"a:{id}"]
            assert event.number == reply.number
            assert (event.position, event.data.get("label")) == (reply.position, reply.first)
            question = books.questions[reply.number]
            if (stream, id) not in unsure and not question.erased:
                vote = question.votes.get(reply.position)
                expected = None if reply.undone else (reply.label,)
                assert (None if vote is None else (vote.label,)) == expected

    def check_state(self, log: SqlEventLog, stream: str, total: int):
        cached, anew = Fold(log, stream), Fold(log, stream, cached=False)
        cached.restore()
        anew.restore()
        assert state_of(cached.learner) == state_of(anew.learner)
        questions = anew.books.questions.values()
        counted = [sum(vote.counts for vote in question.votes.values()) for question in questions]
        assert max(counted, default=0) <= 1, "an answer counts once"
        charged = sum(not is_given_up(question.outcome) for question in questions)
        assert anew.learner._ledger.bought == charged <= total, "each is charged once"
        numbers = [event.number for event in log.read(stream) if event.kind == "offered"]
        assert numbers == list(range(len(numbers))), "no example is lost or taken twice"
        positions = [event.position for event in log.read(stream)]
        assert positions == list(range(1, len(positions) + 1))
        return anew.books


def of(stream: str, items):
    """What belongs to a stream, by its id."""
    return [(id, value) for (where, id), value in items if where == stream]


def kill_again_and_again(url: str, times: range) -> None:
    killed = Killed(url)
    for seed in times:
        killed.round(seed)
        killed.check()
    assert killed.heard.keys() == {"offer", "upload", "erase", "answer", "change", "undo"}
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
