import httpx
import pytest
from tests.service.serving import client, served

from askance.errors import LabelConflict, UnknownQuestion
from askance.service.people import Forbidden, NotAllowed
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
        (NotWritten("full"), 503),
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
