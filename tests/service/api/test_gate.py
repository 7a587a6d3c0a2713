import asyncio
import io
import json
import logging
import re

import httpx
from fastapi import APIRouter
from tests.service.conftest import settings
from tests.service.serving import client, served

from askance.service.api.app import create_app
from askance.service.api.callers import COOKIE
from askance.service.logs import JsonLines
from askance.service.running import CallerLimits, Service


def small(service):
    limits = CallerLimits(body=1000)
    return Service(service.session, service.people, service.webhooks, limits)


def test_large_requests_are_refused_with_and_without_a_length(service):
    with served(small(service)) as address, client(address, service, "admin") as admin:
        large = b'{"name": "' + b"a" * 2000 + b'"}'
        assert admin.post("/streams", content=large).status_code == 413
        chunks = (large[i : i + 500] for i in range(0, len(large), 500))
        refused = admin.post("/streams", content=chunks)
        assert refused.status_code == 413
        assert refused.json()["detail"] == "a request may have 1000 bytes"


def test_a_form_that_is_too_large_is_refused_whoever_reads_it(service):
    service.people.add("root", "admin", "correct horse")
    mine = service.people.sign_in("root", "correct horse", "a")
    stream = service.session.create(settings())
    headers = {
        "Content-Type": "multipart/form-data; boundary=B",
        "Cookie": f"{COOKIE}={mine.cookie}",
    }

    def form():
        yield b'--B\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
        yield from [b"x" * 500] * 4

    with served(small(service)) as address:
        for path in (f"/streams/{stream}/upload", "/people", "/sign-in"):
            refused = httpx.post(address + path, content=form(), headers=headers)
            assert refused.status_code == 413, path
            assert refused.json()["detail"] == "a request may have 1000 bytes"


def test_a_failure_has_careful_headers_and_a_line_too(service, caplog):
    broken = APIRouter()
    broken.get("/broken")(lambda: 1 / 0)
    transport = httpx.ASGITransport(create_app(service, [broken]), raise_app_exceptions=False)

    async def get():
        async with httpx.AsyncClient(transport=transport, base_url="http://a") as caller:
            return await caller.get("/broken")

    with caplog.at_level(logging.INFO, "askance.requests"):
        answer = asyncio.run(get())
    assert (answer.status_code, answer.json()["status"]) == (500, 500)
    assert answer.headers["x-frame-options"] == "DENY"
    line = json.loads(caplog.messages[-1])
    assert (line["route"], line["status"]) == ("/broken", 500)


def test_methods_that_callers_make_up_are_counted_as_one(service):
    with served(service) as address:
        for method in ("GET", "MADE", "UP"):
            httpx.request(method, f"{address}/healthz")
    counted = service.metrics.text().decode()
    assert set(re.findall(r'method="(\w+)"', counted)) == {"GET", "other"}


def test_every_answer_has_careful_headers(service):
    with served(service) as address:
        headers = httpx.get(f"{address}/healthz").headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert "server" not in headers


def test_a_line_for_each_request_without_secrets(service):
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("askance.requests")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        with served(service) as address, client(address, service, "admin") as admin:
            admin.get("/streams/some-secret", params={"token": "a-secret"})
            secret = admin.headers["authorization"].removeprefix("Bearer ")
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)
    (line,) = map(json.loads, stream.getvalue().splitlines())
    assert (line["method"], line["route"], line["status"]) == (
        "GET",
        "/api/v1/streams/{stream}",
        404,
    )
    assert "secret" not in stream.getvalue()
    assert secret not in stream.getvalue()
