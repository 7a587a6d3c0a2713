"""What every request passes: a limit on its size, a line in the log, a count for the metrics."""

import json
import logging
import time
import uuid
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from askance.service.api.problems import told
from askance.service.metrics import Metrics

__all__ = ["Gate"]

logger = logging.getLogger("askance.requests")

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"cache-control", b"no-store"),
)


class Gate:
    """The outermost layer of the application.

    Secrets are never logged: of a request only its method and its route are, with the names of its
    parameters in place of their values.
    """

    def __init__(self, app: ASGIApp, *, most: int, metrics: Metrics) -> None:
        self._app, self._most, self._metrics = app, most, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        passage, began = _Passage(receive, send, self._most), time.perf_counter()
        try:
            if _declared(scope) > self._most:
                refusal = told(Request(scope), 413, passage.refusal)
                await refusal(scope, receive, passage.send)
            else:
                await self._app(scope, passage.receive, passage.send)
        finally:
            self._note(scope, passage.status, time.perf_counter() - began)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "unknown")
        # Each name makes new series, for ever: callers must not make names up.
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._metrics.requests.labels(method, route, str(status)).observe(seconds)
        line: dict[str, Any] = {
            "request": uuid.uuid4().hex[:12],
            "method": method,
            "route": route,
            "status": status,
            "milliseconds": round(seconds * 1000, 2),
        }
        logger.info(json.dumps(line))


class _Passage:
    """One request: what came of it so far, and the answer with its headers."""

    def __init__(self, receive: Receive, send: Send, most: int) -> None:
        self._receive, self._send, self._most = receive, send, most
        self.status, self._taken, self._started = 500, 0, False
        large = f"{most // 2**20} MB" if most >= 2**20 else f"{most} bytes"
        self.refusal = f"a request may have {large}"

    async def receive(self) -> Message:
        message = await self._receive()
        self._taken += len(message.get("body", b""))
        if self._taken > self._most and not self._started:
            # Whoever reads the body, a form for one, passes an error of this kind on.
            raise HTTPException(413, self.refusal)
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self._started = message["status"], True
            present = {name for name, _ in message["headers"]}
            new = [pair for pair in _HEADERS if pair[0] not in present]
            message = {**message, "headers": [*message["headers"], *new]}
        await self._send(message)


def _declared(scope: Scope) -> int:
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(lengths[0]) if lengths and lengths[0].isdigit() else 0
