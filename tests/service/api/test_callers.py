"""Who may do what."""

import httpx
import pytest
from tests.service.conftest import settings
from tests.service.serving import client, served

from askance.service.api.app import create_app
from askance.service.api.callers import COOKIE, CSRF_HEADER
from askance.service.running import CallerLimits, Service


@pytest.fixture
def stream(service):
    return service.session.create(settings())


@pytest.fixture
def address(service):
    with served(service) as address:
        yield address


def test_without_a_token_and_with_a_wrong_one(address, stream):
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Cookie": f"{COOKIE}=wrong"}):
        refused = httpx.get(f"{address}/api/v1/streams/{stream}", headers=headers)
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == "Bearer"
        assert "wrong" not in refused.json()["detail"]


EVERYBODY = {"GET /healthz", "POST /api/v1/sign-in"}
BROWSERS = {"POST /api/v1/sign-out"}
BOTH = {"GET /api/v1/me", "GET /api/v1/streams", "GET /streams/{stream}", "GET .../chart"}
MAY = {
    "annotator": {
        *BOTH,
        *("POST .../questions", "POST .../questions/heartbeat", "POST .../answers"),
        *("PUT .../answers/{position}", "POST .../undo", "GET .../history"),
    },
    "application": {
        *BOTH,
        "GET /metrics",
        *("POST .../examples", "POST .../examples/lines", "POST .../files"),
        *("POST .../predictions", "GET .../model", "GET .../labels"),
    },
}
"""What is not listed here is for admins, so a new route cannot be forgotten."""


def routes(service):
    """Every route of the API: its short name, its method and its path."""
    for path, methods in create_app(service).openapi()["paths"].items():
        for method in map(str.upper, methods):
            short = path.replace("/api/v1/streams/{stream}/", ".../")
            short = short.replace("/api/v1/streams/{stream}", "/streams/{stream}")
            yield f"{method} {short}", method, path


def filled(path, stream):
    return path.format(stream=stream, id="1", number="1", position="1")


@pytest.mark.parametrize(
    "headers",
    [{}, {"Authorization": "Bearer wrong"}, {"Cookie": f"{COOKIE}=wrong"}],
    ids=["nothing", "token", "cookie"],
)
def test_every_route_refuses_strangers_before_it_reads_what_they_send(
    address, service, stream, headers
):
    headers = headers | {"Content-Type": "application/json"}
    for name, method, path in routes(service):
        if name not in EVERYBODY:
            url = address + filled(path, stream)
            refused = httpx.request(method, url, headers=headers, content=b"{")
            assert refused.status_code == 401, name
            assert refused.headers["www-authenticate"] == "Bearer"


def test_what_is_for_everybody(address):
    assert httpx.get(f"{address}/healthz").status_code == 200
    assert httpx.get(f"{address}/api/v1/openapi.json").status_code == 200
    wrong = httpx.post(f"{address}/api/v1/sign-in", json={"name": "ann", "password": "wrong"})
    assert wrong.json()["detail"] == "the name or the password is wrong"


@pytest.mark.parametrize("role", ["annotator", "application"])
def test_roles_are_kept_apart(address, service, stream, role):
    left = set(MAY[role])
    with client(address, service, role) as caller:
        for name, method, path in routes(service):
            if name in EVERYBODY | BROWSERS:
                continue
            answer = caller.request(method, address + filled(path, stream), json={})
            if name in MAY[role]:
                left.remove(name)
                assert answer.status_code not in (401, 403), name
            else:
                assert answer.status_code == 403, name
                assert role in answer.json()["detail"]
    assert not left


def test_an_account_may_use_its_own_streams_only(address, service, stream):
    other = service.session.create(settings())
    with client(address, service, "admin", streams=(stream,)) as caller:
        mine = [name for name, _, path in routes(service) if "{stream}" in path]
        assert len(mine) > 15
        for name, method, path in routes(service):
            if name in mine:
                answer = caller.request(method, address + filled(path, other), json={})
                assert answer.status_code == 403, name
                assert answer.json()["detail"] == "this account may not use this stream"
        assert caller.post(f"/streams/{stream}/questions").status_code == 200
        assert [s["id"] for s in caller.get("/streams").json()] == [stream]


def test_browsers_need_the_token_of_their_session(address, service, stream):
    service.people.add("ann", "annotator", "correct horse")
    mine = service.people.sign_in("ann", "correct horse", "a")
    ended = service.people.sign_in("ann", "correct horse", "a")
    service.people.sign_out(ended.cookie)
    route = f"{address}/api/v1/streams/{stream}/questions"

    def post(cookie, **headers):
        return httpx.post(route, headers={"Cookie": f"{COOKIE}={cookie}", **headers}).status_code

    assert post(mine.cookie, **{CSRF_HEADER: mine.csrf}) == 200
    assert post(mine.cookie) == 403
    assert post(mine.cookie, **{CSRF_HEADER: ended.csrf}) == 403
    assert post(ended.cookie, **{CSRF_HEADER: ended.csrf}) == 401
    read = httpx.get(
        route.removesuffix("/questions"), headers={"Cookie": f"{COOKIE}={mine.cookie}"}
    )
    assert read.status_code == 200


def test_who_calls_too_often_has_to_wait(service, stream, clock):
    few = Service(
        service.session,
        service.people,
        service.webhooks,
        CallerLimits(per_second=1, burst=3),
        clock=clock,
    )
    with served(few) as address, client(address, few, "annotator") as caller:
        codes = [caller.get(f"/streams/{stream}").status_code for _ in range(4)]
        assert codes == [200, 200, 200, 429]
        assert caller.get(f"/streams/{stream}").headers["retry-after"] == "2"
        clock.turn(1.0)
        assert caller.get(f"/streams/{stream}").status_code == 200


def test_a_token_that_was_just_used_is_refused_when_it_has_ended(address, service):
    with client(address, service, "admin") as admin, client(address, service, "annotator") as ann:
        account = next(a for a in service.people.accounts() if a.role == "annotator")
        assert ann.get("/streams").status_code == 200
        assert ann.get("/streams").status_code == 200
        assert admin.delete(f"/accounts/{account.id}/tokens").status_code == 204
        assert ann.get("/streams").status_code == 401
