"""Webhooks against a receiver on the loopback, which only tests may reach."""

import contextlib
import json
import queue
import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError
from tests.service.conftest import answer_all, made_records, settings

from askance.client import verified
from askance.errors import InvalidParameter, UnknownQuestion
from askance.service.schema import deliveries
from askance.service.webhooks import FIRST_WAIT, QUIET, TRIES, Webhooks, checked_address


@pytest.fixture
def receiver():
    """An address, what it received, and the statuses that it will answer with."""
    received: queue.Queue = queue.Queue()
    statuses: list[int] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            self.send_response(statuses.pop(0) if statuses else 204)
            self.end_headers()
            received.put((dict(self.headers), body))

        def log_message(self, *arguments):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://localhost:{server.server_port}/hook", received, statuses
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def webhooks(engine, clock, monkeypatch):
    # Messages are delivered when a test says so.
    monkeypatch.setattr(Webhooks, "_work", lambda self: None)
    webhooks = Webhooks(engine, clock, private=True)
    yield webhooks
    webhooks.close()


def test_a_message_is_signed_and_about_its_stream(webhooks, session, receiver, clock):
    address, received, _ = receiver
    _, secret = webhooks.add(address, ["questions", "stopped"])
    session.listeners.append(webhooks.tell)
    stream = session.create(settings(stop={"labels": 2}))
    session.offer(stream, made_records(3))
    assert webhooks.deliver_due() == 1
    headers, body = received.get(timeout=10)
    message = verified(body, headers["Askance-Signature"], secret, now=clock())
    assert (message["topic"], message["stream"], message["waiting"]) == ("questions", stream, 3)
    assert headers["Host"].startswith("localhost:")
    answer_all(session, stream)
    webhooks.deliver_due()
    message = json.loads(received.get(timeout=10)[1])
    assert (message["topic"], message["reason"]) == ("stopped", "2 labels were given")
    assert webhooks.deliver_due() == 0


def test_that_questions_wait_is_told_once_in_a_while(webhooks, session, receiver, clock):
    webhooks.add(receiver[0], ["questions"])
    stream = session.stream(session.create(settings()))
    for _ in range(3):
        webhooks.tell(stream, "questions")
    assert webhooks.deliver_due() == 1
    clock.turn(QUIET + 1)
    webhooks.tell(stream, "questions")
    assert webhooks.deliver_due() == 1


def test_what_fails_is_tried_again_and_given_up(webhooks, session, receiver, clock):
    address, received, statuses = receiver
    webhooks.add(address, ["stopped"])
    statuses += [500] * (TRIES + 1)
    webhooks.tell(session.stream(session.create(settings())), "stopped")
    tries = 0
    for attempt in range(TRIES + 2):
        tries += webhooks.deliver_due()
        assert webhooks.deliver_due() == 0, "it waits before it tries again"
        clock.turn(FIRST_WAIT * 6**attempt + 1)
    assert tries == TRIES == received.qsize()


def test_what_is_over_is_not_kept_for_ever(webhooks, session, receiver, clock, engine):
    address, received, statuses = receiver
    webhooks.add(address, ["questions"])
    session.listeners.append(webhooks.tell)
    stream = session.create(settings())
    for turn in range(3):
        session.offer(stream, made_records(1, start=turn))
        with engine.connect() as connection:
            rows = connection.execute(deliveries.select()).all()
        # The last one could not be delivered yet, the one before it was.
        assert len(rows) == (1, 1, 2)[turn]
        statuses += [500] if turn == 1 else []
        webhooks.deliver_due()
        received.get(timeout=10)
        clock.turn(QUIET)


def test_a_redirect_is_not_followed(webhooks, session, receiver):
    address, received, statuses = receiver
    statuses.append(302)
    webhooks.add(address, ["stopped"])
    webhooks.tell(session.stream(session.create(settings())), "stopped")
    webhooks.deliver_due()
    assert received.qsize() == 1


def test_other_streams_and_topics_are_not_told(webhooks, session, receiver):
    one, other = (session.stream(session.create(settings())) for _ in range(2))
    id, _ = webhooks.add(receiver[0], ["stopped"], one.id)
    webhooks.tell(other, "stopped")
    webhooks.tell(one, "questions")
    assert webhooks.deliver_due() == 0
    webhooks.tell(one, "stopped")
    webhooks.remove(id)
    assert webhooks.deliver_due() == 0
    with pytest.raises(UnknownQuestion):
        webhooks.remove(id)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://localhost:8080/",
        "http://[::1]/",
        "http://10.1.2.3/",
        "http://192.168.1.1/",
        "http://172.16.0.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://[::ffff:10.0.0.1]/",
        "http://[fd00::1]/",
        "http://0.0.0.0/",
        "http://224.0.0.1/",
        "http://2130706433/",
    ],
)
def test_private_addresses_are_refused(url):
    with pytest.raises(InvalidParameter, match="private address"):
        checked_address(url, private=False)


@pytest.mark.parametrize("url", ["ftp://example.org/", "example.org", "http://", "http://a:b@c/"])
def test_other_urls_are_refused(url):
    with pytest.raises(InvalidParameter, match="http or https"):
        checked_address(url, private=False)


def test_public_addresses_are_taken():
    parts, address = checked_address("https://93.184.216.34/x", private=False)
    assert (parts.path, address) == ("/x", "93.184.216.34")


def test_an_address_that_turned_private_gets_nothing(engine, clock, session, receiver, monkeypatch):
    monkeypatch.setattr(Webhooks, "_work", lambda self: None)
    careless = Webhooks(engine, clock, private=True)
    careless.add(receiver[0], ["stopped"])
    careful = Webhooks(engine, clock)
    careful.tell(session.stream(session.create(settings())), "stopped")
    assert careful.deliver_due() == 1
    assert receiver[1].empty()


def test_topics_are_known(webhooks):
    with pytest.raises(InvalidParameter, match="the topics are questions, stopped"):
        webhooks.add("http://localhost/", ["weather"])


def test_the_thread_delivers_by_itself(engine, clock, session, receiver):
    webhooks = Webhooks(engine, clock, private=True)
    webhooks.add(receiver[0], ["stopped"])
    webhooks.tell(session.stream(session.create(settings())), "stopped")
    assert receiver[1].get(timeout=30)
    webhooks.close()


@pytest.mark.parametrize(
    "host",
    [
        "[::127.0.0.1]",
        "[::ffff:10.0.0.1]",
        "[::ffff:0:127.0.0.1]",
        "[64:ff9b::10.0.0.1]",
        "[64:ff9b:1::1]",
        "[2002:7f00:1::]",
        "[fec0::1]",
        "[ff02::1]",
        "0x7f000001",
        "127.1",
    ],
)
def test_no_way_of_writing_a_private_address_is_taken(host):
    with pytest.raises(InvalidParameter, match="leads to a private address"):
        checked_address(f"http://{host}/", private=False)


def test_public_addresses_are_taken_in_any_family():
    for host in ("8.8.8.8", "[2001:4860:4860::8888]", "[64:ff9b::8.8.8.8]"):
        checked_address(f"https://{host}/", private=False)


@pytest.mark.parametrize(
    "url", ["http://8.8.8.8/\r\nX: y", "http://8.8.8.8:0/", "http://8.8.8.8/ü"]
)
def test_a_url_is_what_can_be_sent(url):
    with pytest.raises(InvalidParameter, match="an http or https URL"):
        checked_address(url, private=False)


def test_the_thread_outlives_a_database_that_fails(engine, clock, session, receiver, monkeypatch):
    failed = threading.Event()
    deliver = Webhooks.deliver_due

    def fail_once(self):
        if not failed.is_set():
            failed.set()
            raise OperationalError("select", {}, OSError("disk is full"))
        return deliver(self)

    monkeypatch.setattr(Webhooks, "deliver_due", fail_once)
    webhooks = Webhooks(engine, clock, private=True)
    assert failed.wait(30)
    webhooks.add(receiver[0], ["stopped"])
    webhooks.tell(session.stream(session.create(settings())), "stopped")
    assert receiver[1].get(timeout=30)
    webhooks.close()


def test_who_offers_does_not_fail_with_a_message(webhooks, session, monkeypatch):
    def fail():
        raise OperationalError("select", {}, OSError("disk is full"))

    monkeypatch.setattr(webhooks, "all", fail)
    session.listeners.append(webhooks.tell)
    stream = session.create(settings())
    assert session.offer(stream, made_records(3))[0].wanted


@pytest.fixture
def slow():
    """An address that reads nothing and sends what it is given to send, a byte at a time."""
    sending, reached, over = queue.SimpleQueue(), threading.Event(), threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        with contextlib.suppress(OSError), listener.accept()[0] as connection:
            reached.set()
            for byte in sending.get():
                if over.wait(0.02):
                    break
                connection.send(bytes([byte]))

    thread = threading.Thread(target=serve)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/", sending, reached
    over.set()
    sending.put(b"")
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


def outcomes(engine):
    with engine.connect() as connection:
        query = sa.select(deliveries.c.tries, deliveries.c.outcome)
        return [tuple(row) for row in connection.execute(query)]


def test_a_message_has_a_deadline_however_its_bytes_are_spread(
    webhooks, session, slow, engine, monkeypatch
):
    address, sending, _ = slow
    monkeypatch.setattr("askance.service.webhooks.TIMEOUT", 0.5)
    # It takes seconds, though no two bytes are far apart.
    sending.put(b"HTTP/1.1 204 No Content\r\nX: " + b"x" * 200 + b"\r\n\r\n")
    webhooks.add(address, ["stopped"])
    webhooks.tell(session.stream(session.create(settings())), "stopped")
    assert webhooks.deliver_due() == 1
    assert outcomes(engine) == [(1, "no answer within 0.5 s")]


def test_closing_waits_for_no_message(engine, clock, session, slow, monkeypatch):
    address, sending, reached = slow
    monkeypatch.setattr("askance.service.webhooks.TIMEOUT", 600.0)
    webhooks = Webhooks(engine, clock, private=True)
    for _ in range(3):
        webhooks.add(address, ["stopped"])
    webhooks.tell(session.stream(session.create(settings())), "stopped")
    assert reached.wait(30)
    # If nobody gives it up, it is answered some time.
    helper = threading.Timer(5.0, sending.put, [b"HTTP/1.1 204 No Content\r\n\r\n"])
    helper.start()
    webhooks.close()
    helper.cancel()
    assert outcomes(engine) == [(0, None)] * 3, "all are sent after the next start"


def test_nothing_is_sent_after_closing(webhooks, session, receiver, engine):
    webhooks.add(receiver[0], ["stopped"])
    webhooks.tell(session.stream(session.create(settings())), "stopped")
    webhooks.close()
    assert webhooks.deliver_due() == 0
    assert outcomes(engine) == [(0, None)]
    assert receiver[1].empty()
