"""How much the service takes: offers, answers, both while it refits, and whether memory stays.

Server, refits and database are pinned to one core, the clients to another.

    python -m benchmarks.service [--postgres | --db URL] [--seconds 20] [--together | --soak 600]

``--postgres`` starts a server of its own, pinned too. One that a URL names is not pinned from here.
"""

import argparse
import contextlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from tests.service.postgres import temporary_cluster

from askance.client import Client
from askance.client.replies import WaitingQuestion
from askance.service.database import connect, migrate
from askance.service.people import People

FIELDS = 8
BATCH = 100
SERVER_CORE, CLIENT_CORE = 0, 1

CALM = 0.001
"""IWAL's c0 in the soak, with which it asks about few examples, so people keep up with them."""


@contextlib.contextmanager
def on_core(core: int) -> Iterator[None]:
    """Run on a core for a while, and let what is started meanwhile stay there."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def database(url: str | None, folder: str, *, postgres: bool) -> Iterator[str]:
    """The URL of the database: one that is given, a new PostgreSQL server, or a new file."""
    if not postgres:
        yield url or f"sqlite:///{folder}/service.db"
        return
    with contextlib.ExitStack() as stack:
        with on_core(SERVER_CORE):
            found = stack.enter_context(temporary_cluster())
        yield found


@contextlib.contextmanager
def server(url: str) -> Iterator[tuple[str, str, int]]:
    """A server on its core: its address, a token of an admin, and its process."""
    engine = connect(url)
    migrate(engine)
    people = People(engine)
    token = people.make_token(people.add(f"bench{time.time_ns()}", "admin").id)
    engine.dispose()
    command = [sys.executable, "-m", "askance", "serve", "--port", "0", "--db", url]
    with on_core(SERVER_CORE):
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
    assert process.stdout is not None
    found = re.search(r"http://[\d.]+:\d+", process.stdout.readline())
    assert found is not None
    try:
        yield found[0], token, process.pid
    finally:
        process.terminate()
        process.wait()


def record(draw: random.Random) -> dict[str, float]:
    """A record whose label is whether the first two fields are more than 1 together."""
    return {f"f{i}": draw.random() for i in range(FIELDS)}


def label(fields: dict[str, float]) -> str:
    """The label of a record."""
    return "yes" if fields["f0"] + fields["f1"] > 1 else "no"


class Load:
    """Clients that send at a rate, each in a thread, and how long their calls took."""

    def __init__(self, seconds: float) -> None:
        self.ends = time.perf_counter() + seconds
        self.took: list[float] = []
        self.done = 0

    def run(self, call: Callable[[], int], per_second: float | None) -> None:
        """Call again and again, so often a second, or as often as can be."""
        due = time.perf_counter()
        while (now := time.perf_counter()) < self.ends:
            if per_second is not None:
                if now < due:
                    time.sleep(due - now)
                due += 1 / per_second
            began = time.perf_counter()
            count = call()
            self.took.append(time.perf_counter() - began)
            self.done += count


def offering(client: Client, stream: str, seed: int) -> Callable[[], int]:
    """A call that offers a batch."""
    draw = random.Random(seed)
    return lambda: len(client.offer(stream, [(None, record(draw)) for _ in range(BATCH)]))


def annotate(load: Load, client: Client, stream: str, per_second: float | None) -> None:
    """Answer question after question, at a rate; what it takes to get them is not counted."""
    waiting: list[WaitingQuestion] = []
    due = time.perf_counter()
    while (now := time.perf_counter()) < load.ends:
        if per_second is not None and now < due:
            time.sleep(due - now)
        if not waiting:
            waiting += client.questions(stream).questions
        if not waiting:
            time.sleep(0.5)
            continue
        due = max(due, now - 1) + (1 / per_second if per_second else 0)
        question = waiting.pop(0)
        began = time.perf_counter()
        client.answer(stream, question.number, label(question.record))
        load.took.append(time.perf_counter() - began)
        load.done += 1


def drain(client: Client, stream: str) -> None:
    """Answer everything that waits."""
    while found := client.questions(stream).questions:
        for question in found:
            client.answer(stream, question.number, label(question.record))


def together(threads: list[threading.Thread]) -> None:
    """Run threads to their end."""
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def summary(load: Load, seconds: float) -> dict[str, float]:
    """What a load came to."""
    took = np.array(load.took or [0.0]) * 1000
    return {
        "per_second": round(load.done / seconds, 1),
        "p50_ms": round(float(np.percentile(took, 50)), 1),
        "p99_ms": round(float(np.percentile(took, 99)), 1),
        "longest_ms": round(float(took.max()), 1),
    }


def offers_alone(address: str, token: str, process: int, seconds: float) -> dict[str, Any]:
    """As many offers as it takes, by two clients."""
    with Client(address, token) as client:
        stream = client.create_stream("offers", ["no", "yes"], rate=0.05, bits=10)
        load = Load(seconds)
        threads = [
            threading.Thread(target=load.run, args=(offering(client, stream, seed), None))
            for seed in range(2)
        ]
        before = processor_seconds(process)
        together(threads)
        used = processor_seconds(process) - before
        return {**summary(load, seconds), "processor_seconds": round(used, 2)}


def answers_alone(address: str, token: str, process: int, seconds: float) -> dict[str, Any]:
    """As many answers as it takes, by twenty people."""
    with Client(address, token) as client:
        stream = client.create_stream("answers", ["no", "yes"], learner="passive", bits=10)
        draw = random.Random(0)
        # More than they can answer: else they would wait for questions in the end.
        for _ in range(1 + int(seconds)):
            client.offer(stream, [(None, record(draw)) for _ in range(1000)])
        load = Load(seconds)
        people = [annotator(address, token, f"a{i}") for i in range(20)]
        before = processor_seconds(process)
        together(
            [threading.Thread(target=annotate, args=(load, one, stream, None)) for one in people]
        )
        used = processor_seconds(process) - before
        return {**summary(load, seconds), "processor_seconds": round(used, 2)}


def annotator(address: str, token: str, name: str) -> Client:
    """A client of a new account."""
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=f"{address}/api/v1", headers=headers) as admin:
        body = {"name": f"{name}-{time.time_ns()}", "role": "annotator"}
        account = admin.post("/accounts", json=body).json()["id"]
        secret = admin.post(f"/accounts/{account}/tokens").json()["secret"]
    return Client(address, secret)


def both(
    address: str, token: str, process: int, seconds: float, learner: str, ready: int
) -> dict[str, Any]:
    """500 offers and 50 answers a second, once there are so many labels."""
    with Client(address, token) as client:
        options: dict[str, Any] = {"parameters": {"c0": CALM}}
        if learner == "auto":
            options = {"rate": 0.12}
        stream = client.create_stream("both", ["no", "yes"], learner=learner, bits=10, **options)
        people = [annotator(address, token, f"b{i}") for i in range(10)]
        draw = random.Random(1)
        while client.status(stream).answered < ready:
            client.offer(stream, [(None, record(draw)) for _ in range(1000)])
            together([threading.Thread(target=drain, args=(one, stream)) for one in people])
        before, used = client.status(stream), processor_seconds(process)
        offers, answers = Load(seconds), Load(seconds)
        threads = [
            threading.Thread(target=offers.run, args=(offering(client, stream, 2), 500 / BATCH))
        ]
        threads += [
            threading.Thread(target=annotate, args=(answers, one, stream, 5.0)) for one in people
        ]
        together(threads)
        used = processor_seconds(process) - used
        after = client.status(stream)
        counts = {
            "labels_before": before.answered,
            "labels_after": after.answered,
            "fitted_before": before.fitted,
            "fitted_after": after.fitted,
        }
        return {
            "offers": summary(offers, seconds),
            "answers": summary(answers, seconds),
            "stream": counts,
            "processor_seconds": round(used, 2),
        }


def processor_seconds(process: int) -> float:
    """What a process has used of its core; that of others on the machine does not matter here."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(process: int) -> float:
    """Megabytes of a process."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def soak(address: str, token: str, process: int, seconds: float) -> dict[str, Any]:
    """Memory after a fifth of the time and at its end, under 500 offers a second."""
    memory: dict[str, Any] = {"megabytes": []}

    def watch() -> None:
        for _ in range(10):
            time.sleep(seconds / 10 - 0.1)
            memory["megabytes"].append(round(resident(process), 1))

    watcher = threading.Thread(target=watch)
    watcher.start()
    found = both(address, token, process, seconds, "iwal1", 0)
    watcher.join()
    second, last = memory["megabytes"][1], memory["megabytes"][-1]
    return {**memory, "growth": round(last / second - 1, 3), **found}


def main() -> None:
    """Measure, and print JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--db")
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--labels", type=int, default=2000)
    parser.add_argument("--soak", type=float, default=0.0)
    parser.add_argument("--together", action="store_true", help="only both at once")
    chosen = parser.parse_args()
    os.sched_setaffinity(0, {CLIENT_CORE})
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        url = stack.enter_context(database(chosen.db, folder, postgres=chosen.postgres))
        with server(url) as (address, token, process):
            seconds, found = chosen.seconds, dict[str, Any]()
            if chosen.soak:
                print(json.dumps({"soak": soak(address, token, process, chosen.soak)}))
                return
            alone = (("offers", offers_alone), ("answers", answers_alone))
            for name, measure in () if chosen.together else alone:
                found = measure(address, token, process, seconds)
                print(json.dumps({f"{name} alone": found}), flush=True)
            found = both(address, token, process, seconds, "auto", chosen.labels)
            print(json.dumps({"together": found}), flush=True)


if __name__ == "__main__":
    main()
