"""Whether a message is from the service, and a new one."""

import hashlib
import hmac
import json
import re
import time
from typing import Any

from askance.errors import InvalidParameter

__all__ = ["verified"]

OLDEST = 300.0
"""Seconds after which a message is too old."""

_HEADER = re.compile(r"t=(\d{1,12}),v1=([0-9a-f]{64})")


def verified(body: bytes, header: str, secret: str, now: float | None = None) -> dict[str, Any]:
    """The message of a webhook, whose ``Askance-Signature`` must be one of the secret's.

    Raises :class:`~askance.errors.InvalidParameter` for a message that is forged, changed or old.
    Its ``id`` is new for each message, so a repetition can be told.

    >>> verified(b"{}", "t=12,v1=" + "0" * 64, "secret", now=12.0)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: the signature of a message is not one of this secret
    """
    found = _HEADER.fullmatch(header)
    if found is None:
        raise InvalidParameter("a message has no signature of the form t=SECONDS,v1=DIGITS")
    stamp, given = found.groups()
    made = hmac.new(secret.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(made, given):
        raise InvalidParameter("the signature of a message is not one of this secret")
    if abs((time.time() if now is None else now) - int(stamp)) > OLDEST:
        raise InvalidParameter("a message is too old, or the clocks differ")
    message: dict[str, Any] = json.loads(body)
    return message
