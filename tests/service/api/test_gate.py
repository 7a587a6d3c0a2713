import io
import json
import logging

import httpx
from tests.service.serving import client, served

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
