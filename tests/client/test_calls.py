"""The typed client against a real server."""

import pytest
from tests.service.conftest import clock, made_records, service, truth, url
from tests.service.serving import served

from askance.client import Client, ServiceRefused

__all__ = ["clock", "service", "url"]


@pytest.fixture
def client(service):
    account = service.people.add("root", "admin")
    with (
        served(service) as address,
        Client(address, service.people.make_token(account.id)) as client,
    ):
        yield client


def test_a_stream_from_its_creation_to_its_model(client):
    stream = client.create_stream("mail", ["ham", "spam"], learner="iwal1", bits=6)
    records = made_records(1200)
    offered = client.offer(stream, records)
    assert [one.number for one in offered] == list(range(1200))
    assert not client.offer(stream, records[:2])[0].new
    first = client.questions(stream).questions[0]
    receipt = client.answer(stream, first.number, truth(first.record), id="a1")
    assert client.answer(stream, first.number, truth(first.record), id="a1") == receipt
    undone = client.undo(stream)
    assert undone is not None
    assert undone.number == first.number
    receipt = client.answer(stream, first.number, "ham")
    assert client.change(stream, first.number, receipt.position, "spam").label == "spam"
    assert client.predict(stream, [records[0][1]])[0].label in ("ham", "spam")
    client.erase(stream, "5")
    assert client.status(stream)["refused"] == 1
    assert client.labels(stream).startswith(b"id,label,weight")
    assert client.labels(stream, "parquet")[:4] == b"PAR1"
    assert client.model(stream)
    client.set_state(stream, "paused")
    assert client.questions(stream).reason == "This stream is paused."
    assert [one["id"] for one in client.streams()] == [stream]


def test_what_is_refused_is_one_sentence(client):
    with pytest.raises(ServiceRefused, match="no stream has the id 'none'") as refused:
        client.status("none")
    assert refused.value.status == 404


def test_nobody_there():
    with (
        Client("http://127.0.0.1:1", "t") as client,
        pytest.raises(ServiceRefused, match="the service did not answer") as refused,
    ):
        client.streams()
    assert refused.value.status == 0
