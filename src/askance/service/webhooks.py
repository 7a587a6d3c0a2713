"""Webhooks: a signed message to an address when questions wait or a stop rule fires.

Only admins set them. Addresses in private ranges are refused, when a webhook is set and again each
time before a message is sent, to the very address that was checked.
"""

import asyncio
import contextlib
import ipaddress
import json
import logging
import socket
import threading
import uuid
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

import httpx
import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from askance.errors import InvalidParameter, UnknownQuestion
from askance.service.passwords import make_token, signature
from askance.service.schema import deliveries, webhooks
from askance.service.stream import Clock, OpenStream

__all__ = ["TOPICS", "Webhook", "Webhooks", "checked_address", "signed_headers"]

logger = logging.getLogger("askance.service")

TOPICS = ("questions", "stopped")

TRIES = 6
"""How often a message is tried, after 10 s, 1 min, 6 min, ... each six times as long."""

FIRST_WAIT = 10.0
TIMEOUT = 10.0
"""Seconds that a message may take from the first byte to the status, however they are spread."""

_UNICAST = ipaddress.IPv6Network("2000::/3")
"""All of IPv6 that is public; what lies outside of it may lead to any address of IPv4."""

_SIX_TO_FOUR = ipaddress.IPv6Network("2002::/16")
_WITHIN = ipaddress.IPv6Network("64:ff9b::/96")
"""Where a network that has only IPv6 shows the whole of IPv4."""

QUIET = 60.0
"""Seconds between two messages that questions of a stream wait."""


class Webhook(NamedTuple):
    """Where messages go, about which topics, and about which stream; None is all."""

    id: str
    stream: str | None
    url: str
    topics: tuple[str, ...]


class Webhooks:
    """The webhooks of a database, and a thread that delivers their messages.

    ``private`` allows addresses in private ranges, for a server that is asked to.
    """

    def __init__(self, engine: sa.Engine, clock: Clock, *, private: bool = False) -> None:
        self._engine, self._clock, self._private = engine, clock, private
        self._told: dict[str, float] = {}
        self._wake, self._ended = threading.Event(), False
        # Ends the message that is on its way.
        self._give_up: Callable[[], object] = lambda: None
        self._thread = threading.Thread(target=self._work, name="askance-webhooks", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Send nothing more; what waits, or is on its way, is sent after the next start."""
        self._ended = True
        self._wake.set()
        with contextlib.suppress(RuntimeError):  # It has ended by itself.
            self._give_up()
        self._thread.join()

    # ------------------------------------------------------------------ what is set

    def add(self, url: str, topics: Sequence[str], stream: str | None = None) -> tuple[str, str]:
        """Set a webhook; its id and its secret, which is told once."""
        if not topics or not set(topics) <= set(TOPICS):
            raise InvalidParameter(f"the topics are {', '.join(TOPICS)}, got {list(topics)!r:.60}")
        checked_address(url, private=self._private)
        id, secret = uuid.uuid4().hex[:12], make_token()
        row = {"id": id, "stream": stream, "url": url, "secret": secret}
        with self._engine.begin() as connection:
            connection.execute(webhooks.insert(), row | {"topics": json.dumps(list(topics))})
        return id, secret

    def all(self) -> list[Webhook]:
        """All that are set, without their secrets."""
        with self._engine.connect() as connection:
            rows = connection.execute(webhooks.select()).all()
        return [Webhook(r.id, r.stream, r.url, tuple(json.loads(r.topics))) for r in rows]

    def remove(self, id: str) -> None:
        """Remove one, and what waits for it."""
        with self._engine.begin() as connection:
            connection.execute(deliveries.delete().where(deliveries.c.webhook == id))
            gone = connection.execute(webhooks.delete().where(webhooks.c.id == id)).rowcount
        if not gone:
            raise UnknownQuestion(f"no webhook has the id {id!r:.40}")

    # ------------------------------------------------------------------ messages

    def tell(self, stream: OpenStream, topic: str) -> None:
        """Queue a message about a stream; that questions wait is told once in a while only.

        Who offers or answers is not to fail because a message cannot be queued.
        """
        try:
            self._queue(stream, topic)
        except SQLAlchemyError as error:
            logger.error("stream %s: a message could not be queued: %s", stream.id, error)

    def _queue(self, stream: OpenStream, topic: str) -> None:
        now = self._clock()
        if topic == "questions":
            if now - self._told.get(stream.id, -QUIET) < QUIET:
                return
            self._told[stream.id] = now
        body = {"topic": topic, "stream": stream.id, "name": stream.settings.name, "at": now}
        body["reason" if topic == "stopped" else "waiting"] = (
            stream.books.ended if topic == "stopped" else len(stream.books.open)
        )
        mine = [
            hook for hook in self.all() if topic in hook.topics and hook.stream in (None, stream.id)
        ]
        rows = [_delivery(hook.id, {**body, "id": uuid.uuid4().hex}, now) for hook in mine]
        if rows:
            with self._engine.begin() as connection:
                # Those that were delivered or given up: else they would be kept for ever.
                connection.execute(deliveries.delete().where(deliveries.c.due.is_(None)))
                connection.execute(deliveries.insert(), rows)
            self._wake.set()

    def deliver_due(self) -> int:
        """Try to send what is due; how many were tried."""
        due = deliveries.c.due <= self._clock()
        query = sa.select(deliveries, webhooks.c.url, webhooks.c.secret).join_from(
            deliveries, webhooks, deliveries.c.webhook == webhooks.c.id
        )
        with self._engine.connect() as connection:
            rows = connection.execute(query.where(due).order_by(deliveries.c.due).limit(100)).all()
        for sent, row in enumerate(rows):
            outcome = self._sent(row.url, row.secret, row.body.encode())
            if outcome is None:
                return sent
            tries = row.tries + 1
            wait = FIRST_WAIT * 6**row.tries
            done = outcome == "delivered" or tries == TRIES
            values = {
                "tries": tries,
                "outcome": outcome,
                "due": None if done else self._clock() + wait,
            }
            if done and outcome != "delivered":
                logger.warning("webhook %s: a message is given up: %s", row.webhook, outcome)
            with self._engine.begin() as connection:
                mine = deliveries.update().where(deliveries.c.id == row.id)
                connection.execute(mine.values(**values))
        return len(rows)

    def _sent(self, url: str, secret: str, body: bytes) -> str | None:
        """What came of a message; None if the server has ended before that."""
        try:
            parts, address = checked_address(url, private=self._private)
            headers = signed_headers(secret, body, self._clock()) | {"Host": parts.netloc}
            host = f"[{address}]" if ":" in address else address
            port = f":{parts.port}" if parts.port else ""
            target = parts._replace(netloc=f"{host}{port}").geturl()
            # The certificate must be that of the name, whatever the address is.
            named = {"sni_hostname": parts.hostname}
            answer = asyncio.run(self._answer(target, body, headers, named))
            return "delivered" if answer.is_success else f"status {answer.status_code}"
        except asyncio.CancelledError:
            return None
        except TimeoutError:
            return f"no answer within {TIMEOUT:g} s"
        except (httpx.HTTPError, httpx.InvalidURL, InvalidParameter) as error:
            return f"{type(error).__name__}: {error!s:.150}"

    async def _answer(
        self, target: str, body: bytes, headers: dict[str, str], extensions: dict[str, Any]
    ) -> httpx.Response:
        """Send a message, which can be given up at any moment: at the deadline, or by ``close``.

        A blocking client knows timeouts of each byte only, and there may be many bytes.
        """
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None
        self._give_up = lambda: loop.call_soon_threadsafe(task.cancel)
        if self._ended:
            task.cancel()
        async with (
            asyncio.timeout(TIMEOUT),
            httpx.AsyncClient(timeout=None, follow_redirects=False, trust_env=False) as client,
        ):
            # What it says is not read: it might never end.
            post = client.stream(
                "POST", target, content=body, headers=headers, extensions=extensions
            )
            async with post as answer:
                return answer

    def _work(self) -> None:
        while not self._ended:
            self._wake.clear()
            try:
                tried = self.deliver_due()
            except Exception as error:
                # Such as a full disk: the thread must be there when it is over.
                logger.error("messages to webhooks wait: %s", error)
                tried = 0
            if not tried:
                self._wake.wait(FIRST_WAIT)


def signed_headers(secret: str, body: bytes, now: float) -> dict[str, str]:
    """The headers of a message: when it was signed, and the signature of time and body.

    >>> signed_headers("s", b"{}", 12.0)["Askance-Signature"][:20]
    't=12,v1=62abafc6182d'
    """
    stamp = str(int(now))
    made = signature(secret, stamp.encode() + b"." + body)
    return {"Content-Type": "application/json", "Askance-Signature": f"t={stamp},v1={made}"}


def checked_address(url: str, *, private: bool) -> tuple[SplitResult, str]:
    """A URL in parts and the address to connect to; it must not be one of a private range."""
    try:
        parts = urlsplit(url)
        usual = {"http": 80, "https": 443}[parts.scheme]
        port = usual if parts.port is None else parts.port
        if not parts.hostname or parts.username is not None or port == 0 or not _is_plain(url):
            raise ValueError
        found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    except (ValueError, KeyError):
        raise InvalidParameter(f"a webhook needs an http or https URL, got {url!r:.80}") from None
    except OSError:
        raise InvalidParameter(f"the host of {url!r:.80} is not found") from None
    addresses = [str(entry[4][0]) for entry in found]
    for address in addresses:
        if not private and not _is_public(address):
            raise InvalidParameter(f"{url!r:.80} leads to a private address, which is refused")
    return parts, addresses[0]


def _is_plain(url: str) -> bool:
    """Whether all of it can stand in a request as it is: ASCII, nothing that ends a line."""
    return url.isascii() and url.isprintable() and " " not in url


def _is_public(address: str) -> bool:
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None or found in _WITHIN:
            return _is_public(str(ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)))
        if found not in _UNICAST or found in _SIX_TO_FOUR:
            return False
    return found.is_global and not found.is_multicast


def _delivery(webhook: str, body: dict[str, Any], now: float) -> dict[str, Any]:
    return {
        "id": body["id"],
        "webhook": webhook,
        "body": json.dumps(body),
        "tries": 0,
        "due": now,
        "outcome": None,
    }
