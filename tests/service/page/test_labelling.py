import re

import pytest
from tests.service.conftest import answer_all, made_records, quick_auto, refit_done, settings
from tests.service.page.conftest import visible_text

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&"


def offered(service, *records, **chosen):
    stream = service.session.create(settings(**chosen))
    if records:
        service.session.offer(stream, [(str(i), record) for i, record in enumerate(records)])
    return stream


def numbers(html):
    return re.findall(r'data-number="(\d+)"', html)


def test_the_current_and_the_next_question(enter, service):
    stream = offered(service, {"size": 1}, {"size": 2}, {"size": 3})
    client = enter()
    page, part = (client.get(f"/streams/{stream}/{name}").text for name in ("label", "questions"))
    assert numbers(page) == numbers(part) == ["0", "1"]
    assert "<html" not in part


def test_nobody_else_gets_them(enter, service):
    stream = offered(service, {"size": 1}, {"size": 2}, {"size": 3})
    ann, bob = enter("ann"), enter("bob", "annotator")
    path = f"/streams/{stream}/questions"
    assert (numbers(ann.get(path).text), numbers(bob.get(path).text)) == (["0", "1"], ["2"])


def test_a_reason_where_no_question_waits(enter, service):
    stream = service.session.create(settings())
    assert "Nothing has come in yet." in enter().get(f"/streams/{stream}/questions").text


def test_a_record_is_escaped_wherever_it_is_shown(enter, service):
    stream = offered(service, {EVIL: EVIL, "mail": EVIL * 50})
    client = enter()
    label = client.get(f"/streams/{stream}/label").text
    service.session.answer(stream, client_id(service), 0, "ham", key="k")
    history = client.get(f"/streams/{stream}/history").text
    for page in (label, history):
        assert "&lt;script&gt;alert(1)" in page
        assert "<script>alert" not in page
        assert "<img src=x" not in page


def client_id(service, name="ann"):
    return next(account.id for account in service.people.accounts() if account.name == name)


def test_classes_are_escaped_and_have_keys(enter, service):
    stream = offered(service, {"size": 1}, classes=(EVIL, "ham"))
    page = enter().get(f"/streams/{stream}/label").text
    assert "<script>alert" not in page
    assert 'data-label="&lt;script&gt;alert(1)' in page
    assert re.findall(r'data-key="(.)"', page) == ["1", "2"]


@pytest.mark.parametrize("opinion", [True, False])
def test_the_opinion_of_the_model_is_hidden_unless_the_stream_shows_it(enter, service, opinion):
    stream = offered(service, {"size": 1}, {"size": 2}, opinion=opinion)
    service.session.answer(stream, "bob", 0, "ham", key="b")
    page = enter().get(f"/streams/{stream}/label").text
    assert ("The model says" in page) == opinion


@pytest.mark.parametrize("made", [settings, quick_auto])
def test_a_model_that_has_learned_nothing_has_no_opinion(enter, service, made):
    stream = service.session.create(made(opinion=True))
    service.session.offer(stream, made_records(60))
    client, path = enter(), f"/streams/{stream}/questions"
    assert "The model says" not in client.get(path).text
    answer_all(service.session, stream, "bob", 50)
    refit_done(service.session, stream)
    assert "The model says" in client.get(path).text


def test_nobody_is_told_that_a_question_will_come_where_none_will(enter, service):
    stream = offered(service, {"size": 1}, {"size": 2}, total=2)
    client, path = enter(), f"/streams/{stream}/questions"
    for number in (0, 1):
        assert "data-more" in client.get(path).text
        service.session.answer(stream, client_id(service), number, "ham", key=str(number))
    spent = client.get(path).text
    assert "The budget of 2 labels is spent." in spent
    assert "data-more" not in spent
    other = offered(service)
    assert "data-more" in client.get(f"/streams/{other}/questions").text
    service.session.set_state(other, "stopped", "ann")
    assert "data-more" not in client.get(f"/streams/{other}/questions").text


def test_an_old_answer_waits_for_a_button_and_says_its_number_from_one(enter, service):
    stream = offered(service, {"size": 1})
    client = enter()
    service.session.answer(stream, client_id(service), 0, "ham", key="k")
    page = client.get(f"/streams/{stream}/history").text
    # A select that posted by itself would be changed by one press of an arrow key.
    assert not re.search(r"<select[^>]*hx-", page)
    assert "Change your answer to question 1" in visible_text(page)


def test_pictures_of_allowed_hosts_may_load_and_no_others(enter, service):
    photo = "https://img.example.org/a.png"
    other = "https://evil.example.net/a.png"
    stream = offered(service, {"a": photo, "b": other}, pictures=("img.example.org",))
    page = enter().get(f"/streams/{stream}/label")
    assert f'<img src="{photo}"' in page.text
    assert f'<img src="{other}"' not in page.text
    assert "https://img.example.org" in page.headers["content-security-policy"]
    assert "evil" not in page.headers["content-security-policy"]


def test_an_old_answer_is_changed_from_the_history(enter, service):
    stream = offered(service, {"size": 1})
    client = enter()
    receipt = service.session.answer(stream, client_id(service), 0, "ham", key="k")
    path = f"/streams/{stream}/history"
    assert "as you said" in visible_text(client.get(path).text)
    headers = {"X-CSRF-Token": client.csrf}
    page = client.post(f"{path}/0/{receipt.position}", data={"label": "spam"}, headers=headers)
    assert "<option selected>spam</option>" in page.text
    assert service.session.status(stream).classes == {"ham": 0, "spam": 1}
    fault = client.post(f"{path}/0/999", data={"label": "ham"}, headers=headers)
    assert "There is no answer of yours" in visible_text(fault.text)


def test_the_answer_of_another_cannot_be_changed(enter, service):
    stream = offered(service, {"size": 1})
    enter("ann")
    receipt = service.session.answer(stream, client_id(service), 0, "ham", key="k")
    bob = enter("bob", "annotator")
    page = bob.post(
        f"/streams/{stream}/history/0/{receipt.position}",
        data={"label": "spam"},
        headers={"X-CSRF-Token": bob.csrf},
    )
    assert "There is no answer of yours" in visible_text(page.text)
    assert service.session.status(stream).classes == {"ham": 1, "spam": 0}


def test_what_came_of_answers(enter, service):
    stream = offered(service, {"size": 1}, {"size": 2}, overlap=3)
    client = enter()
    service.session.answer(stream, client_id(service), 0, "ham", key="a")
    assert "open" in visible_text(client.get(f"/streams/{stream}/history").text)
    for person in ("x", "y"):
        service.session.answer(stream, person, 0, "spam", key=person)
    service.session.answer(stream, client_id(service), 1, None, key="b")
    text = visible_text(client.get(f"/streams/{stream}/history").text)
    assert "others said spam" in text
    assert "skipped given up" in text
