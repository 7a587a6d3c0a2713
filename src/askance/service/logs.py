"""Structured logs: one JSON object a line, on standard error."""

import json
import logging
import sys
from typing import IO, Any

__all__ = ["JsonLines", "log_to"]


class JsonLines(logging.Formatter):
    """A record of the log as one line of JSON.

    >>> record = logging.LogRecord("askance", 20, "", 0, "a %s", ("b",), None)
    >>> json.loads(JsonLines().format(record))["message"]
    'a b'
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, Any] = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.name == "askance.requests":
            line |= json.loads(line.pop("message"))
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)


def log_to(stream: IO[str] | None = None) -> logging.Handler:
    """Write the logs of askance and of the server to a stream; the handler, to take it away."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("askance", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    return handler
