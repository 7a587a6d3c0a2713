from tests.service.page.conftest import visible_text

NEVER = "This link has been used or has expired."


def test_a_link_makes_an_account_once(service, enter):
    client = enter("ann")
    link = service.people.make_link("annotator")
    client.cookies.clear()
    assert "Choose the name" in client.get(f"/enter/{link}").text
    first = client.post(f"/enter/{link}", data={"name": "bob", "password": "correct horse"})
    assert (first.status_code, first.headers["location"]) == (303, "/")
    again = client.post(f"/enter/{link}", data={"name": "eve", "password": "correct horse"})
    assert again.status_code == 403
    assert NEVER in visible_text(again.text)
    # Who opens it later is told so before they choose a password.
    assert NEVER in visible_text(client.get(f"/enter/{link}").text)
    assert {account.name for account in service.people.accounts()} == {"ann", "bob"}


def test_a_name_that_is_taken_does_not_use_the_link_up(service, enter):
    client, link = enter("ann"), service.people.make_link("annotator")
    taken = client.post(f"/enter/{link}", data={"name": "ann", "password": "correct horse"})
    assert "There is an account" in visible_text(taken.text)
    free = client.post(f"/enter/{link}", data={"name": "bob", "password": "correct horse"})
    assert free.status_code == 303


def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(enter):
    client = enter()
    sent = client.post("/sign-in", data={"name": "ann", "password": "correct horse"})
    cookie = sent.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "secure" in cookie
    plain = "http://testserver/sign-in"
    sent = client.post(plain, data={"name": "ann", "password": "correct horse"})
    assert "secure" not in sent.headers["set-cookie"].lower()


def test_a_wrong_password_tells_nothing_and_slows_down(enter):
    client = enter("ann")
    client.cookies.clear()
    texts = {
        visible_text(client.post("/sign-in", data={"name": name, "password": "wrong horse"}).text)
        for name in ("ann", "nobody")
    }
    assert all("The name or the password is wrong" in text for text in texts)
    for _ in range(4):
        last = client.post("/sign-in", data={"name": "ann", "password": "wrong horse"})
    assert "Too many tries" in visible_text(last.text)
    assert "askance" not in client.cookies


def test_a_form_from_another_site_signs_nobody_in(enter):
    client = enter("ann")
    sent = client.post(
        "/sign-in",
        data={"name": "ann", "password": "correct horse"},
        headers={"Sec-Fetch-Site": "cross-site"},
    )
    assert sent.status_code == 403
    assert "another site" in visible_text(sent.text)


def test_signing_out_ends_the_session(enter):
    client = enter()
    cookie = client.cookies["askance"]
    assert client.post("/sign-out", data={"csrf": client.csrf}).status_code == 303
    client.cookies.set("askance", cookie)
    assert client.get("/").headers["location"] == "/sign-in"


def test_a_page_that_is_older_than_the_session_asks_for_its_token(service, enter):
    client = enter("ann")
    script = {"HX-Request": "true"}
    client.post("/sign-out", data={"csrf": client.csrf})
    assert client.get("/token", headers=script).status_code == 401
    client.post("/sign-in", data={"name": "ann", "password": "correct horse"})
    told = client.get("/token", headers=script)
    signed_in = service.people.of_cookie(client.cookies["askance"])
    assert told.json() == {"csrf": signed_in.csrf, "person": signed_in.account.id}
    assert told.json()["csrf"] != client.csrf
    assert told.headers["cache-control"] == "no-store"


def test_an_invitation(service, enter):
    client = enter()
    page = client.post("/people", data={"csrf": client.csrf, "role": "annotator"})
    link = page.text.split("/enter/")[1].split("<")[0].strip()
    signed_in = service.people.redeem(link, "bob", "correct horse")
    assert signed_in.account.role == "annotator"
    assert link not in client.get("/people").text


def test_a_token_is_shown_once_and_works_until_it_is_ended(service, enter):
    client = enter()
    form = {"csrf": client.csrf, "role": "application", "name": "crawler"}
    page = client.post("/people", data=form)
    token = page.text.split('id="secret">')[1].split("<")[0].strip()
    account = service.people.of_token(token)
    assert (account.name, account.role) == ("crawler", "application")
    assert token not in client.get("/people").text
    client.post(f"/people/{account.id}/end-tokens", data={"csrf": client.csrf})
    bearer = {"Authorization": f"Bearer {token}"}
    assert client.get("/api/v1/streams", headers=bearer).status_code == 401
    page = client.post(f"/people/{account.id}/token", data={"csrf": client.csrf})
    assert "A token of crawler" in visible_text(page.text)


def test_an_application_needs_a_new_name(enter):
    client = enter("ann")
    form = {"csrf": client.csrf, "role": "application", "name": "ann"}
    page = client.post("/people", data=form)
    assert page.status_code == 422
    assert "There is an account" in visible_text(page.text)


def test_an_account_is_closed_but_not_ones_own(service, enter):
    ann, bob = enter("ann"), enter("bob", "annotator")
    ids = {account.name: account.id for account in service.people.accounts()}
    own = ann.post(f"/people/{ids['ann']}/close", data={"csrf": ann.csrf})
    assert own.status_code == 403
    assert ann.post(f"/people/{ids['bob']}/close", data={"csrf": ann.csrf}).status_code == 303
    assert bob.get("/").headers["location"] == "/sign-in"
    assert "closed" in ann.get("/people").text


def test_a_webhook_is_set_with_a_secret_that_is_shown_once_and_removed(service, enter):
    client = enter()
    form = {"csrf": client.csrf, "url": "https://93.184.216.34/hook", "stopped": "on"}
    page = client.post("/webhooks", data=form)
    secret = page.text.split('id="secret">')[1].split("<")[0].strip()
    (hook,) = service.webhooks.all()
    assert (hook.url, hook.topics, hook.stream) == (form["url"], ("stopped",), None)
    again = client.get("/people").text
    assert form["url"] in again
    assert secret not in again
    client.post(f"/webhooks/{hook.id}/remove", data={"csrf": client.csrf})
    assert service.webhooks.all() == []


def test_a_webhook_that_cannot_be_set_is_told(service, enter):
    client = enter()
    for form, message in (
        ({"url": "ftp://example.org", "stopped": "on"}, "A webhook needs an http or https URL"),
        ({"url": "http://127.0.0.1/", "stopped": "on"}, "leads to a private address"),
        ({"url": "https://93.184.216.34/"}, "The topics are questions, stopped"),
        ({"url": "https://93.184.216.34/", "stopped": "on", "stream": "x"}, "No stream has the id"),
    ):
        page = client.post("/webhooks", data={"csrf": client.csrf, **form})
        assert page.status_code == 422
        assert message in visible_text(page.text)
    assert service.webhooks.all() == []
