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
    assert client.status(stream).refused == 1
    assert client.labels(stream).startswith(b"id,label,weight")
    assert client.labels(stream, "parquet")[:4] == b"PAR1"
    assert client.model(stream)
    client.set_state(stream, "paused")
    assert client.questions(stream).reason == "This stream is paused."
    assert [one.id for one in client.streams()] == [stream]
    assert client.streams() == [client.status(stream)]


ODD = [
    "mail?1",
    "mail#2",
    "../questions/0",
    "a%2Fb",
    "a/b",
    ".",
    "..",
    "a&id=mail",
    "mail\n",
    " ",
    "é",
]


def test_an_example_of_any_id_is_erased_and_no_other(client, service):
    stream = client.create_stream("mail", ["ham", "spam"], learner="passive", bits=6)
    ids = ["mail", "a", *ODD]
    client.offer(stream, [(id, {"x": i}) for i, id in enumerate(ids)])
    erased = set()
    for id in ODD:
        client.erase(stream, id)
        erased.add(ids.index(id))
        held = service.session.log.contents(stream, range(len(ids)))
        assert {number for number, content in held.items() if content.record is None} == erased
    assert client.status(stream).waiting == 2


def test_a_stream_of_another_name_is_not_reached(client):
    for stream in ("../accounts", "..", "a/chart", "a?b"):
        with pytest.raises(ServiceRefused) as refused:
            client.status(stream)
        assert refused.value.status == 404


def test_lines_and_files_come_in(client, tmp_path):
    stream = client.create_stream("mail", ["ham", "spam"], learner="passive", bits=6)
    (offered,) = client.offer_lines(stream, b'{"id": "1", "record": {"x": 1}}\n')
    assert (offered.id, offered.wanted) == ("1", True)
    table = tmp_path / "more.csv"
    table.write_text("name,x\na,1\nb,2\n")
    assert client.upload(stream, table, id="name", prefix="file ") == 2
    assert client.upload(stream, str(table), format="csv") == 2
    first, second = client.questions(stream).questions
    assert (first.id, second.id) == ("1", "file a")


def test_people_and_admins(client):
    stream = client.create_stream("mail", ["ham", "spam"], learner="passive", bits=6, overlap=2)
    client.offer(stream, made_records(3))
    first, second = client.questions(stream).questions
    assert client.heartbeat(stream, [first.number, 99]) == [first.number]
    given = client.answer(stream, first.number, "ham", id="a1")
    client.answer(stream, second.number, "spam", id="a2")
    assert [past.label for past in client.history(stream)] == ["spam", "ham"]
    (past,) = client.history(stream, 1, before=given.position + 1, everybody=True)
    assert (past.number, past.position, past.record) == (
        first.number,
        given.position,
        first.record,
    )
    undone = client.undo(stream, "a1")
    assert undone is not None
    assert undone.number == first.number
    assert client.undo(stream, "a1") is None
    client.withdraw(stream, first.number)
    assert client.status(stream).withdrawn == 1


def test_ties_agreement_and_charts(client, service):
    stream = client.create_stream("mail", ["ham", "spam"], learner="passive", bits=6, overlap=2)
    client.offer(stream, made_records(2))
    for label, person in (("ham", "ann"), ("spam", "bob")):
        for number in (0, 1):
            chosen = label if number else "ham"
            service.session.answer(stream, person, number, chosen, key=f"{person}{number}")
    assert client.history(stream) == []
    assert {past.actor for past in client.history(stream, everybody=True)} == {"ann", "bob"}
    assert [tied.number for tied in client.ties(stream)] == [1]
    found = client.agreement(stream)
    assert (found.questions, set(found.pairs)) == (2, {("ann", "bob")})
    client.answer(stream, 1, "spam")
    assert client.ties(stream) == []
    assert [point.labels for point in client.chart(stream)] == [1, 2]
    error = client.status(stream).error
    assert error is None or error.low <= error.high


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
