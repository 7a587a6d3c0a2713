import pytest
from tests.service.conftest import settings
from tests.service.page.conftest import visible_text

from askance.service.demo import make_demo
from askance.service.page import streams

MAIL = {"name": "Mail", "classes": "ham\nspam", "total": "50", "horizon": "500"}


@pytest.fixture
def stream(service):
    return service.session.create(settings(name="<b>mail</b>", guidelines="<i>look</i>"))


def test_nothing_yet(enter):
    assert "There is no stream yet" in visible_text(enter().get("/").text)


def test_streams_at_a_glance(enter, stream):
    client = enter()
    page, part = client.get("/"), client.get("/?part=cards")
    assert "&lt;b&gt;mail&lt;/b&gt;" in page.text
    assert "Nothing has come in yet." in visible_text(page.text)
    assert "<html" not in part.text
    assert visible_text(part.text) in visible_text(page.text)


def test_create(enter, service):
    client = enter()
    assert 'name="classes"' in client.get("/new").text
    made = client.post("/new", data={"csrf": client.csrf, **MAIL})
    (stream,) = service.session.streams()
    assert made.headers["location"] == f"/streams/{stream}"
    assert service.session.stream(stream).settings.total == 50


def test_a_form_that_is_wrong_comes_back_with_what_was_written(enter, service):
    client = enter()
    page = client.post("/new", data={"csrf": client.csrf, **MAIL, "classes": "only"})
    assert page.status_code == 422
    assert "2 to 100 different names" in visible_text(page.text)
    assert 'value="500"' in page.text
    assert ">only</textarea>" in page.text
    assert service.session.streams() == []


def test_the_page_of_a_stream(enter, stream):
    page = enter().get(f"/streams/{stream}").text
    assert "&lt;i&gt;look&lt;/i&gt;" in page
    assert "Answer 200 for me" not in page
    assert "Pause" in visible_text(page)
    for_bob = enter("bob", "annotator").get(f"/streams/{stream}").text
    assert "Pause" not in visible_text(for_bob)
    assert "Upload" not in visible_text(for_bob)


def test_pause_resume_and_stop(enter, service, stream):
    client, path = enter(), f"/streams/{stream}/state"

    def to(what):
        client.post(path, data={"csrf": client.csrf, "to": what})
        return service.session.status(stream).state

    assert [to("pause"), to("resume"), to("stop"), to("resume")] == [
        "paused",
        "running",
        "stopped",
        "running",
    ]
    assert client.post(path, data={"csrf": client.csrf, "to": "fly"}).status_code == 422


def upload(client, stream, content, name="mail.csv", **fields):
    return client.post(
        f"/streams/{stream}/upload",
        data={"csrf": client.csrf, **fields},
        files={"file": (name, content)},
    )


def test_a_file_comes_in_and_is_offered_as_people_ask_for_questions(enter, service, stream):
    client = enter()
    sent = upload(client, stream, b"id,size,label\na,1,ham\nb,2,spam\n", id="id", ignore="label")
    assert sent.headers["location"] == f"/streams/{stream}?uploaded=2"
    assert "2 records came in" in visible_text(client.get(sent.headers["location"]).text)
    questions = service.session.lease(stream, "ann")
    assert [q.id for q in questions] == ["a", "b"]
    assert questions[0].record == {"size": 1}


def test_a_file_without_ids_that_is_sent_twice_is_the_same(enter, service, stream):
    client = enter()
    for _ in range(2):
        upload(client, stream, b"size\n1\n2\n")
    upload(client, stream, b"size\n1\n3\n")
    ids = set()
    while questions := service.session.lease(stream, "ann"):
        for question in questions:
            ids.add(question.id)
            service.session.answer(stream, "ann", question.number, "ham", key=question.id)
    assert len(ids) == service.session.status(stream).seen == 4


def test_a_file_that_cannot_be_read_is_told_with_its_own_name(enter, stream):
    client = enter()
    for name, content, message in (
        ("mail.csv", b"id,id\n1,2\n", "mail.csv has two columns named"),
        ("mail.csv", b"", "mail.csv"),
        ("mail.exe", b"x", "Format must be one of"),
        ("mail." + "x" * 400, b"x", "Format must be one of"),
        ("../../etc/passwd.csv", b"a,a\n1,2\n", "two columns"),
        ("", b"x", "Choose a file first"),
    ):
        page = upload(client, stream, content, name)
        assert page.status_code == 422
        assert message in visible_text(page.text)
        assert "upload." not in visible_text(page.text)


def test_a_tie_is_decided_by_an_admin(enter, service):
    stream = service.session.create(settings(overlap=2))
    service.session.offer(stream, [("a", {"note": "which one?"})])
    for person, label in (("x", "ham"), ("y", "spam")):
        service.session.answer(stream, person, 0, label, key=person)
    client, path = enter(), f"/streams/{stream}"
    assert "which one?" in client.get(path).text
    assert "which one?" not in enter("bob", "annotator").get(path).text
    client.post(f"{path}/ties/0", data={"csrf": client.csrf, "label": "spam"})
    assert service.session.status(stream).classes == {"ham": 0, "spam": 1}
    assert "Tied questions" not in client.get(path).text


def test_the_button_of_the_demo_answers(enter, service, monkeypatch):
    stream = make_demo(service.session)
    client = enter()
    assert "Answer 200 for me" in client.get(f"/streams/{stream}").text
    monkeypatch.setattr(streams, "DEMO_ANSWERS", 10)
    assert "data:image/png" in client.get(f"/streams/{stream}/label").text
    client.post(f"/streams/{stream}/demo", data={"csrf": client.csrf})
    assert service.session.status(stream).answered == 10


def test_no_other_stream_has_that_button(enter, stream):
    client = enter()
    refused = client.post(f"/streams/{stream}/demo", data={"csrf": client.csrf})
    assert refused.status_code == 422
