"""``askance serve`` in a process of its own."""

import json
import re
import signal
import socket
import subprocess
import sys

import httpx
import pytest
import sqlalchemy as sa
from tests.service.conftest import answer_all, made_records, settings

from askance.cli import serve
from askance.client import Client
from askance.service.database import connect
from askance.service.running import opened_service
from askance.service.schema import events, snapshots


@pytest.fixture
def start(tmp_path):
    running = []

    def start(*options):
        command = [sys.executable, "-m", "askance", "serve", "--port", "0", *options]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


def address_of(process):
    found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
    assert found, process.stderr.read()
    return found[0]


def test_it_listens_at_the_loopback_prints_a_link_and_stops_gracefully(start, tmp_path):
    process = start()
    address = address_of(process)
    link = process.stdout.readline()
    assert re.search(rf"{address}/enter/[\w-]{{43}}$", link.strip())
    assert httpx.get(f"{address}/api/v1/openapi.json").status_code == 200
    second = start()
    _, complaint = second.communicate()
    assert second.returncode == 1
    assert complaint.strip().endswith("one server at a time")
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    assert "Traceback" not in process.stderr.read()
    assert (tmp_path / "askance.db").exists()


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_told_to_stop_leaves_a_snapshot_and_nothing_else(start, tmp_path, ending):
    url = f"sqlite:///{tmp_path}/askance.db"
    with opened_service(url) as service:
        stream = service.session.create(settings(learner="auto"))
        token = service.people.make_token(service.people.add("root", "admin").id)
    process = start()
    with Client(address_of(process), token, timeout=120) as client:
        client.offer(stream, made_records(30))
    process.send_signal(ending)
    _, complaint = process.communicate(timeout=60)
    assert "leaked" not in complaint
    engine = connect(url)
    with engine.connect() as connection:
        at = connection.scalar(sa.select(sa.func.max(snapshots.c.position)))
        assert at == connection.scalar(sa.select(sa.func.max(events.c.position)))
    engine.dispose()


def test_the_demo_is_of_ten_classes_and_of_two(start, tmp_path):
    process = start("--demo")
    address_of(process)
    process.send_signal(signal.SIGTERM)
    process.wait(30)
    with opened_service(f"sqlite:///{tmp_path}/askance.db") as service:
        classes = [
            len(service.session.stream(id).settings.classes) for id in service.session.streams()
        ]
    assert classes == [10, 2]


def test_a_port_that_is_taken_is_one_sentence(start):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        process = start("--port", str(taken.getsockname()[1]))
        _, complaint = process.communicate()
    assert process.returncode == 1
    assert "cannot listen at 127.0.0.1 port" in complaint
    assert "Traceback" not in complaint


def test_a_bad_url_is_one_sentence(start):
    process = start("--db", "mysql://root:secret@host/db")
    _, complaint = process.communicate()
    assert process.returncode == 1
    assert "a database must be sqlite:///FILE" in complaint
    assert "secret" not in complaint


def test_replay_says_what_a_log_holds_and_checks_it(tmp_path):
    url = f"sqlite:///{tmp_path}/replayed.db"
    with opened_service(url) as service:
        stream = service.session.create(settings())
        service.session.offer(stream, made_records(30))
        given = answer_all(service.session, stream)

    def replay(*options):
        command = [sys.executable, "-m", "askance", "replay", "--db", url, *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    told = replay()
    assert f"30 examples, {given} labels, mail" in told.stdout
    checked = replay("--check", stream)
    assert checked.returncode == 0
    assert "30 decisions and 0 refits made anew, 0 that cannot be, 0 differ" in " ".join(
        checked.stdout.split()
    )
    engine = connect(url)
    with engine.begin() as connection:
        mine = (events.c.number == 3) & (events.c.kind == "offered")
        data = json.loads(connection.scalar(sa.select(events.c.data).where(mine)))
        forged = json.dumps(data | {"coin": data["coin"] / 2})
        connection.execute(events.update().where(mine).values(data=forged))
    engine.dispose()
    found = replay("--check")
    assert found.returncode == 1
    assert "example 3 has the coin" in found.stdout


def test_no_piece_of_a_response_waits_for_the_one_before():
    with (
        serve._listener("127.0.0.1", 0) as listener,
        socket.create_connection(listener.getsockname()),
        listener.accept()[0] as connection,
    ):
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
