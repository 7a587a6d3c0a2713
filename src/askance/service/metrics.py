"""What Prometheus is told."""

from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily

from askance.types import StreamStatus

__all__ = ["Metrics"]

_COUNTS = ("seen", "asked", "answered", "waiting", "tied", "withdrawn")


class Metrics:
    """The metrics of one server; ``statuses`` tells where its streams stand.

    >>> metrics = Metrics(lambda: [])
    >>> b"askance_request_seconds" in metrics.text()
    True
    """

    def __init__(self, statuses: Callable[[], list[StreamStatus]]) -> None:
        self._registry, self._statuses = CollectorRegistry(), statuses
        self.requests = Histogram(
            "askance_request_seconds",
            "How long requests took.",
            ["method", "route", "status"],
            registry=self._registry,
        )
        self._registry.register(self)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Where the streams stand, as the Prometheus client asks for it."""
        statuses = self._statuses()
        for count in _COUNTS:
            family = GaugeMetricFamily(
                f"askance_stream_{count}", f"Examples or questions {count}.", labels=["stream"]
            )
            for status in statuses:
                family.add_metric([status.id], getattr(status, count))
            yield family
        for bound in ("low", "estimate", "high"):
            family = GaugeMetricFamily(
                f"askance_stream_error_{bound}", "Error of the predictions.", labels=["stream"]
            )
            for status in statuses:
                if status.error is not None:
                    family.add_metric([status.id], getattr(status.error, bound))
            yield family

    def text(self) -> bytes:
        """All of it, in Prometheus' text format."""
        return generate_latest(self._registry)
