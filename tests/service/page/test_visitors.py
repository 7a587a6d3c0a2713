import httpx
import pytest
from tests.service.conftest import settings
from tests.service.page.conftest import visible_text
from tests.service.serving import served

PAGES = ["/", "/new", "/people", "/streams/{s}", "/streams/{s}/label", "/streams/{s}/questions"]
PAGES += ["/streams/{s}/history", "/streams/{s}/glance", "/token"]
FORMS = ["/new", "/people", "/sign-out", "/streams/{s}/state", "/streams/{s}/upload"]
FORMS += [
    "/streams/{s}/demo",
    "/streams/{s}/ties/0",
    "/people/x/close",
    "/people/x/token",
    "/people/x/end-tokens",
    "/webhooks",
    "/webhooks/x/remove",
]
FOR_ADMINS = [path for path in FORMS if path != "/sign-out"]


@pytest.fixture
def stream(service):
    return service.session.create(settings())


def test_who_is_signed_out_gets_no_page(enter, stream):
    client = enter()
    client.cookies.clear()
    client.cookies.set("askance", "forged")
    for path in PAGES:
        at = path.format(s=stream)
        assert client.get(at).headers["location"] == "/sign-in"
        assert client.get(at, headers={"HX-Request": "true"}).status_code == 401


def test_a_form_needs_the_token_of_its_session(enter, stream):
    ann, bob, eve = enter("ann"), enter("bob"), enter("eve")
    eve.post("/sign-out", data={"csrf": eve.csrf})
    for token in ("", "forged", bob.csrf, eve.csrf):
        for path in FORMS:
            refused = ann.post(path.format(s=stream), data={"csrf": token})
            assert refused.status_code in (401, 403)
            assert "too old or not from here" in visible_text(refused.text)
    assert ann.get("/").status_code == 200


def test_a_script_needs_the_token_too(enter, stream):
    client = enter()
    path, form = f"/streams/{stream}/history/0/3", {"label": "ham", "csrf": client.csrf}
    assert client.post(path, data=form).status_code in (401, 403)


def test_what_is_for_admins_is_refused_to_annotators(enter, stream):
    bob = enter("bob", "annotator")
    for path in FOR_ADMINS:
        refused = bob.post(path.format(s=stream), data={"csrf": bob.csrf})
        assert refused.status_code == 403
        assert "This is for admins" in visible_text(refused.text)
    for path in ("/new", "/people"):
        assert bob.get(path).status_code == 403


def test_another_stream_is_as_if_it_were_not_there(enter, service, stream):
    other = service.session.create(settings(name="secret"))
    bob = enter("bob", "annotator", (stream,))
    for path in (path for path in PAGES if "{s}" in path):
        hidden, missing = bob.get(path.format(s=other)), bob.get(path.format(s="nothing"))
        assert hidden.status_code == missing.status_code == 404
        assert bob.get(path.format(s=stream)).status_code == 200
    assert "secret" not in bob.get("/").text


def test_a_path_that_cannot_be_read_is_told_on_a_page(enter, stream):
    client = enter()
    headers = {"X-CSRF-Token": client.csrf}
    fault = client.post(f"/streams/{stream}/history/x/y", data={"label": "ham"}, headers=headers)
    assert fault.status_code == 422
    assert "could not be read" in visible_text(fault.text)


def test_a_fault_leaves_who_is_signed_in_the_way_elsewhere(enter):
    client = enter("ann")
    page = client.get("/streams/none")
    assert page.status_code == 404
    assert "Sign out" in visible_text(page.text)
    assert "No stream has the id" in visible_text(page.text)


def test_an_address_without_a_page_is_told_on_one(service):
    with served(service) as address:
        page = httpx.get(f"{address}/nothing", headers={"Accept": "text/html"})
        assert (page.status_code, "There is no such page" in page.text) == (404, True)
        api = httpx.get(f"{address}/api/v1/nothing", headers={"Accept": "text/html"})
        assert (api.status_code, api.json()["status"]) == (404, 404)
