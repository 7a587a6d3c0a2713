import httpx
import pytest
from tests.service.serving import client, served

from askance.service.api.callers import COOKIE, CSRF_HEADER


@pytest.fixture
def admin(service):
    with served(service) as address, client(address, service, "admin") as admin:
        yield admin


def test_accounts_tokens_and_links(admin):
    made = admin.post("/accounts", json={"name": "app", "role": "application"})
    assert made.status_code == 201
    id = made.json()["id"]
    secret = admin.post(f"/accounts/{id}/tokens").json()["secret"]
    headers = {"Authorization": f"Bearer {secret}"}
    assert httpx.get(f"{admin.base_url}me", headers=headers).json()["name"] == "app"
    assert admin.delete(f"/accounts/{id}/tokens").status_code == 204
    assert httpx.get(f"{admin.base_url}me", headers=headers).status_code == 401
    assert admin.delete(f"/accounts/{id}").status_code == 204
    assert [a["active"] for a in admin.get("/accounts").json()] == [True, False]
    assert admin.delete("/accounts/nobody").status_code == 404
    assert len(admin.post("/links", json={"role": "annotator"}).json()["secret"]) == 43


def test_a_browser_signs_in_and_out(admin):
    admin.post("/accounts", json={"name": "ann", "role": "annotator", "password": "correct horse"})
    with httpx.Client(base_url=admin.base_url) as browser:
        wrong = browser.post("/sign-in", json={"name": "ann", "password": "wrong horse"})
        assert wrong.status_code == 401
        good = browser.post("/sign-in", json={"name": "ann", "password": "correct horse"})
        cookie = good.headers["set-cookie"]
        assert cookie.startswith(f"{COOKIE}=")
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert browser.get("/me").json()["name"] == "ann"
        assert browser.post("/sign-out").status_code == 403
        token = {CSRF_HEADER: good.json()["csrf"]}
        assert browser.post("/sign-out", headers=token).status_code == 204
        assert browser.get("/me").status_code == 401


def test_too_many_failures_have_to_wait(admin):
    body = {"name": "eve", "password": "a guess of hers"}
    codes = [httpx.post(f"{admin.base_url}sign-in", json=body).status_code for _ in range(5)]
    assert codes == [401] * 4 + [429]


@pytest.mark.parametrize("password", ["short", "a" * 300])
def test_passwords_have_a_length(admin, password):
    body = {"name": "ann", "role": "annotator", "password": password}
    refused = admin.post("/accounts", json=body)
    assert refused.status_code == 422
    assert password not in refused.text
