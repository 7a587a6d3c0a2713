import json
import re

import pytest

from askance.service.page.rendering import HERE, page_headers, rendered

TEMPLATES = sorted((HERE / "templates").glob("*.html"))


def policy(**kwargs):
    header = page_headers("abc", **kwargs)["Content-Security-Policy"]
    return dict(part.split(" ", 1) for part in header.split("; "))


def test_only_scripts_with_the_nonce_run():
    found = policy()
    assert found["default-src"] == "'none'"
    assert found["script-src"] == "'nonce-abc'"
    assert "unsafe" not in str(found)
    assert found["frame-ancestors"] == "'none'"


def test_pictures_come_from_allowed_hosts_only():
    assert policy()["img-src"] == "'self' data:"
    assert policy(hosts=["img.example.org"])["img-src"] == "'self' data: https://img.example.org"


def test_every_page_has_a_nonce_of_its_own():
    pages = [rendered("sign_in.html", {"person": None, "name": ""}) for _ in range(2)]
    nonces = [set(re.findall(r'nonce="([^"]+)"', page.body.decode())) for page in pages]
    assert len(nonces[0] | nonces[1]) == 2
    for page, (nonce,) in zip(pages, nonces, strict=True):
        assert f"'nonce-{nonce}'" in page.headers["content-security-policy"]


def test_everything_is_escaped():
    page = rendered("sign_in.html", {"person": None, "name": '"><script>'}).body.decode()
    assert 'value="&#34;&gt;&lt;script&gt;"' in page


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.stem)
def test_templates_need_nothing_that_the_policy_forbids(template):
    text = template.read_text()
    assert not re.search(r"<script(?![^>]*nonce=)", text)
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:|\|\s*safe", text)


def test_what_a_server_says_that_fails_takes_no_panel():
    page = rendered("sign_in.html", {"person": None, "name": ""}).body.decode()
    config = json.loads(re.search(r"name=\"htmx-config\" content='([^']*)'", page)[1])
    assert config["noSwap"] == [204, 304, "4xx", "5xx"]


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.stem)
def test_what_htmx_does_carries_the_nonce(template):
    for tag in re.findall(r"<[a-z]+[^>]*\shx-[^>]*>", template.read_text()):
        assert 'hx-nonce="{{ nonce }}"' in tag


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.stem)
def test_every_form_that_changes_something_carries_a_token(template):
    text = template.read_text()
    if template.stem in ("sign_in", "enter"):
        return
    forms = re.findall(r'<form[^>]*method="post".*?</form>', text, re.DOTALL)
    assert all("csrf_field()" in form for form in forms)
