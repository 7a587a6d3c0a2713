import httpx
import pytest
from sqlalchemy.exc import OperationalError
from tests.service.serving import client, served

from askance.errors import LabelConflict, UnknownQuestion
from askance.service.people import Forbidden, NotAllowed
from askance.service.running import opened_service
from askance.service.session import UnknownStream
from askance.service.stream import NotWritten


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (UnknownStream("which"), 404),
        (UnknownQuestion("which"), 404),
        (LabelConflict("twice"), 409),
        (NotAllowed("who"), 401),
        (Forbidden("no"), 403),
        (NotWritten(), 503),
        (ZeroDivisionError("a secret"), 500),
    ],
)
def test_every_error_is_a_problem(service, monkeypatch, error, status):
    def fail():
        raise error

    monkeypatch.setattr(service.session, "streams", fail)
    with served(service) as address, client(address, service, "admin") as admin:
        answer = admin.get("/streams")
    assert answer.status_code == answer.json()["status"] == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert "secret" not in answer.text


def test_unknown_routes_too(service):
    with served(service) as address:
        answer = httpx.get(f"{address}/nothing")
        assert (answer.status_code, answer.json()["title"]) == (404, "Not Found")
        answer = httpx.patch(f"{address}/api/v1/streams")
        assert answer.status_code == 405


def test_a_database_that_fails_is_told_in_a_sentence(service, monkeypatch):
    def fail():
        raise OperationalError("select", {}, OSError("database or disk is full"))

    monkeypatch.setattr(service.session, "streams", fail)
    with served(service) as address, client(address, service, "admin") as admin:
        answer = admin.get("/streams")
        link = service.people.make_link("admin")
        made = httpx.post(f"{address}/enter/{link}", data={"name": "a", "password": "long enough"})
        page = httpx.get(f"{address}/", cookies=made.cookies)
    for told in (answer, page):
        assert told.status_code == 503
        assert "he database did not take it, so it did not happen" in told.text


def test_a_person_reads_a_page_and_a_program_a_problem(service, monkeypatch):
    def fail():
        raise ZeroDivisionError("a secret")

    link = service.people.make_link("admin")
    html = {"Accept": "text/html,*/*;q=0.8"}
    with served(service) as address:
        made = httpx.post(f"{address}/enter/{link}", data={"name": "a", "password": "long enough"})
        monkeypatch.setattr(service.session, "streams", fail)
        page = httpx.get(f"{address}/", cookies=made.cookies, headers=html)
        script = httpx.get(f"{address}/", cookies=made.cookies)
        api = httpx.get(f"{address}/api/v1/streams", cookies=made.cookies, headers=html)
        wrong = httpx.delete(f"{address}/people", headers=html)
    assert (page.status_code, wrong.status_code) == (500, 405)
    for shown in (page, wrong):
        assert shown.headers["content-type"].startswith("text/html")
        assert "script-src 'nonce-" in shown.headers["content-security-policy"]
    assert "Something went wrong here; the server&#39;s log says what." in page.text
    # Who is signed in finds the way elsewhere.
    assert "Sign out" in page.text
    assert "secret" not in page.text
    for told in (script, api):
        assert (told.status_code, told.json()["status"]) == (500, 500)


def test_a_secret_in_a_path_is_not_logged(service, monkeypatch, caplog):
    def fail(link):
        raise ZeroDivisionError

    monkeypatch.setattr(service.people, "check_link", fail)
    with served(service) as address, caplog.at_level("INFO", "askance"):
        assert httpx.get(f"{address}/enter/a-secret").status_code == 500
    assert "GET /enter/{link} failed" in caplog.text
    # What the client of this test logs is its own affair.
    ours = [r.getMessage() for r in caplog.records if not r.name.startswith("http")]
    assert not any("a-secret" in message for message in ours)


def test_what_postgresql_cannot_hold_is_refused(postgres_database, clock):
    with (
        opened_service(postgres_database, clock=clock) as service,
        served(service) as address,
        client(address, service, "admin") as admin,
    ):
        answers = [
            admin.get("/streams/%00"),
            admin.delete("/accounts/%00"),
            admin.delete("/webhooks/%00"),
            admin.post("/sign-in", json={"name": "a\0", "password": "x"}),
        ]
    assert {answer.status_code for answer in answers} == {422}
