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
    assert sent.headers["location"] == f"/streams/{stream}?uploaded=2&new=2"
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


def test_a_file_that_comes_again_says_how_much_was_there_already(enter, stream):
    client = enter()

    def said(content, **fields):
        sent = upload(client, stream, content, id="id", **fields)
        return visible_text(client.get(sent.headers["location"]).text)

    assert "2 records came in." in said(b"id,size\na,1\nb,2\n")
    assert "Nothing new came in; 2 were there already." in said(b"id,size\na,1\nb,2\n")
    assert "1 new record came in; 1 was there already." in said(b"id,size\na,1\nc,2\n")


def test_a_mistyped_column_to_leave_out_is_told(enter, stream):
    page = upload(enter(), stream, b"id,size,label\na,1,ham\n", id="id", ignore="labl")
    assert page.status_code == 422
    assert "mail.csv has no column &#39;labl&#39; to leave out" in page.text


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
    sent = client.post(f"{path}/ties/0", data={"csrf": client.csrf, "label": "spam"})
    assert sent.headers["location"] == f"{path}#now"
    assert service.session.status(stream).classes == {"ham": 0, "spam": 1}
    assert "Tied questions" not in client.get(path).text


def test_ties_say_who_said_what_and_the_next_one_follows(enter, service):
    stream = service.session.create(settings(overlap=2, learner="passive"))
    service.session.offer(stream, [("a", {"size": 1}), ("b", {"size": 2}), ("c", {"size": 3})])
    ann, bob = enter("ann"), enter("bob", "annotator")
    ids = {account.name: account.id for account in service.people.accounts()}
    for number in range(3):
        service.session.answer(stream, ids["ann"], number, "ham", key=f"a{number}")
        service.session.answer(stream, ids["bob"], number, "spam", key=f"b{number}")
    path = f"/streams/{stream}"
    assert visible_text(ann.get(path).text).count("ann said ham , bob said spam .") == 3
    assert "bob said" not in bob.get(path).text
    answers = {"csrf": ann.csrf, "label": "spam"}
    for number, coming in ((1, "#tie-2"), (2, "#tie-0"), (0, "#now")):
        sent = ann.post(f"{path}/ties/{number}", data=answers)
        assert sent.headers["location"] == path + coming


def test_agreement_is_shown_where_several_answer(enter, service):
    stream = service.session.create(settings(overlap=2, learner="passive"))
    service.session.offer(stream, [(str(i), {"size": i}) for i in range(4)])
    client, path = enter("ann"), f"/streams/{stream}"
    assert "No question has two answers yet." in visible_text(client.get(path).text)
    ids = {account.name: account.id for account in service.people.accounts()}
    for number in range(4):
        service.session.answer(
            stream, ids["ann"], number, ("ham", "spam")[number % 2], key=str(number)
        )
        service.session.answer(stream, "x", number, ("ham", "spam")[number // 2], key=f"x{number}")
    text = visible_text(client.get(path).text)
    assert "Fleiss&#39; kappa is 0.00, by 4 questions" in text
    assert "ann and somebody: 0.00 (Cohen)" in text or "somebody and ann: 0.00" in text
    other = service.session.create(settings())
    assert "kappa" not in client.get(f"/streams/{other}").text


def test_a_stream_that_cannot_be_read_keeps_nobody_from_the_others(
    enter, service, stream, monkeypatch, caplog
):
    broken = service.session.create(settings(name="torn"))
    opened = service.session.stream

    def torn(id):
        if id == broken:
            raise KeyError("a page is torn out")
        return opened(id)

    monkeypatch.setattr(service.session, "stream", torn)
    client = enter()
    text = visible_text(client.get("/").text)
    assert "torn Cannot be read: see the log of the server." in text
    assert "&lt;b&gt;mail&lt;/b&gt;" in text
    assert f"stream {broken} cannot be read" in caplog.text
    assert "torn" in visible_text(client.get("/people").text)


def test_the_state_is_on_the_page_of_a_stream(enter, service, stream):
    client = enter()
    assert "running Nothing has come in yet." in visible_text(client.get(f"/streams/{stream}").text)
    service.session.set_state(stream, "paused", "ann")
    assert "paused This stream is" in visible_text(client.get(f"/streams/{stream}/glance").text)
    service.session.set_state(stream, "stopped", "ann")
    assert "stopped" in visible_text(client.get(f"/streams/{stream}/glance").text)


def test_the_button_of_the_demo_answers(enter, service, monkeypatch):
    stream = make_demo(service.session)
    client = enter()
    assert "Answer 200 for me" in client.get(f"/streams/{stream}").text
    monkeypatch.setattr(streams, "DEMO_ANSWERS", 10)
    assert "data:image/png" in client.get(f"/streams/{stream}/label").text
    client.post(f"/streams/{stream}/demo", data={"csrf": client.csrf})
    assert service.session.status(stream).answered == 10
    monkeypatch.setattr(streams, "DEMO_ANSWERS", 1000)
    monkeypatch.setattr(streams, "answer_for", lambda *given: None)
    sent = client.post(f"/streams/{stream}/demo", data={"csrf": client.csrf})
    # No more than the budget has left.
    assert sent.headers["location"].endswith("?answering=390")
    monkeypatch.setattr(streams, "DEMO_ANSWERS", 10)
    service.session.set_state(stream, "stopped", "ann")
    page = client.get(f"/streams/{stream}").text
    assert "<button disabled>Answer 10 for me</button>" in page
    assert "There is nothing to answer now." in page


def test_no_other_stream_has_that_button(enter, stream):
    client = enter()
    refused = client.post(f"/streams/{stream}/demo", data={"csrf": client.csrf})
    assert refused.status_code == 422
