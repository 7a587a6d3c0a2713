"""What every request passes: a limit on its size, a line in the log, a count for the metrics."""

import json
import logging
import time
import uuid
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from askance.service.api.problems import problem
from askance.service.metrics import Metrics

__all__ = ["Gate"]

logger = logging.getLogger("askance.requests")

_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"cache-control", b"no-store"),
)


class _TooLarge(Exception):
    """A request has more bytes than it may have."""


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
                await problem(413, passage.refusal)(scope, receive, passage.send)
            else:
                await self._app(scope, passage.receive, passage.send)
                if passage.is_too_large:
                    await problem(413, passage.refusal)(scope, receive, passage.send_on)
        finally:
            self._note(scope, passage.status, time.perf_counter() - began)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "unknown")
        self._metrics.requests.labels(scope["method"], route, str(status)).observe(seconds)
        line: dict[str, Any] = {
            "request": uuid.uuid4().hex[:12],
            "method": scope["method"],
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
        self.refusal = f"a request may have {most} bytes"

    @property
    def is_too_large(self) -> bool:
        return self._taken > self._most and not self._started

    async def receive(self) -> Message:
        message = await self._receive()
        self._taken += len(message.get("body", b""))
        if self.is_too_large:
            raise _TooLarge
        return message

    async def send(self, message: Message) -> None:
        # Whatever the application makes of a body that was cut short is not told.
        if not self.is_too_large:
            await self.send_on(message)

    async def send_on(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self._started = message["status"], True
            present = {name for name, _ in message["headers"]}
            new = [pair for pair in _HEADERS if pair[0] not in present]
            message = {**message, "headers": [*message["headers"], *new]}
        await self._send(message)


def _declared(scope: Scope) -> int:
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(lengths[0]) if lengths and lengths[0].isdigit() else 0
