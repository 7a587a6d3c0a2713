"""What a running server holds: the session, the people, and what watches them."""

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from askance.service.database import opened_database
from askance.service.metrics import Metrics
from askance.service.people import People
from askance.service.session import Session
from askance.service.stream import Clock
from askance.service.throttle import RateLimit
from askance.service.webhooks import Webhooks

__all__ = ["CallerLimits", "Service", "opened_service"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerLimits:
    """What one caller may do: requests a second, and how many at once; bytes of a request."""

    per_second: float = 500.0
    burst: float = 1000.0
    body: int = 16 * 2**20


@dataclass
class Service:
    """Everything behind the API and the page."""

    session: Session
    people: People
    webhooks: Webhooks
    limits: CallerLimits = field(default_factory=CallerLimits)
    clock: Clock = time.time
    rate: RateLimit = field(init=False)
    metrics: Metrics = field(init=False)

    def __post_init__(self) -> None:
        self.metrics = Metrics(lambda: [self.session.status(id) for id in self.session.streams()])
        self.rate = RateLimit(self.clock, self.limits.per_second, self.limits.burst)


@contextlib.contextmanager
def opened_service(
    url: str,
    *,
    limits: CallerLimits | None = None,
    clock: Clock = time.time,
    private_webhooks: bool = False,
) -> Iterator[Service]:
    """Open the database of a URL for a server, and close everything in the end."""
    with (
        opened_database(url) as (engine, writer),
        contextlib.closing(Session(engine, clock, writer=writer)) as session,
        contextlib.closing(Webhooks(engine, clock, private=private_webhooks)) as webhooks,
    ):
        session.listeners.append(webhooks.tell)
        people = People(engine, clock)
        yield Service(session, people, webhooks, limits or CallerLimits(), clock=clock)
