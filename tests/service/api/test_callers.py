"""Who may do what."""

import httpx
import pytest
from tests.service.api.test_streams import SHAPE
from tests.service.conftest import settings
from tests.service.serving import client, served

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


ADMIN_ONLY = [
    ("post", "/streams"),
    ("put", "/streams/{stream}/state"),
    ("delete", "/streams/{stream}/examples/1"),
    ("delete", "/streams/{stream}/questions/1"),
    ("get", "/streams/{stream}/agreement"),
    ("get", "/streams/{stream}/ties"),
]
SENDERS_ONLY = [
    ("post", "/streams/{stream}/examples"),
    ("post", "/streams/{stream}/predictions"),
    ("get", "/streams/{stream}/model"),
    ("get", "/streams/{stream}/labels"),
]
LABELLERS_ONLY = [
    ("post", "/streams/{stream}/questions"),
    ("post", "/streams/{stream}/answers"),
    ("get", "/streams/{stream}/history"),
    ("post", "/streams/{stream}/undo"),
]
BODIES = {
    "/streams": SHAPE,
    "/streams/{stream}/state": {"state": "paused"},
    "/streams/{stream}/examples": {"examples": [{"record": {"x": 1}}]},
    "/streams/{stream}/predictions": {"records": [{"x": 1}]},
    "/streams/{stream}/answers": {"number": 0, "label": "ham", "id": "a"},
}


@pytest.mark.parametrize(
    ("role", "routes"),
    [
        ("annotator", ADMIN_ONLY + SENDERS_ONLY),
        ("application", ADMIN_ONLY + LABELLERS_ONLY),
    ],
)
def test_roles_are_kept_apart(address, service, stream, role, routes):
    with client(address, service, role) as caller:
        for method, route in routes:
            answer = caller.request(method, route.format(stream=stream), json=BODIES.get(route))
            assert answer.status_code == 403, route
            assert role in answer.json()["detail"]


def test_an_account_may_use_its_own_streams_only(address, service, stream):
    other = service.session.create(settings())
    with client(address, service, "annotator", streams=(stream,)) as caller:
        assert caller.post(f"/streams/{stream}/questions").status_code == 200
        assert caller.post(f"/streams/{other}/questions").status_code == 403
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
