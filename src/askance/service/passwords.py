"""Passwords, tokens and signatures: made, kept as digests, and compared in constant time."""

import hashlib
import hmac
import secrets
import threading

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from askance.errors import InvalidParameter

__all__ = ["digest", "hashed_password", "is_password", "make_token", "same_secret", "signature"]

SHORTEST_PASSWORD, LONGEST_PASSWORD = 8, 200

_HASHER = PasswordHasher()
_TURNS = threading.BoundedSemaphore(2)
"""A hash takes 64 MB while it is made: however many sign in, two are made at a time."""

_NOBODY = _HASHER.hash(secrets.token_hex())


def make_token() -> str:
    """A secret of 256 random bits.

    >>> len(make_token())
    43
    """
    return secrets.token_urlsafe(32)


def digest(token: str) -> str:
    """What is kept of a token: it has so many bits that no salt is needed.

    >>> digest("a")[:8]
    'ca978112'
    """
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def hashed_password(password: str) -> str:
    """What is kept of a password."""
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise InvalidParameter(
            f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters, "
            f"got {len(password)}"
        )
    with _TURNS:
        return _HASHER.hash(password)


def is_password(password: str, hashed: str | None) -> bool:
    """Whether a password is the one that was hashed; it takes as long if there is none.

    >>> is_password("correct horse", hashed_password("correct horse"))
    True
    >>> is_password("correct horse", None)
    False
    """
    try:
        with _TURNS:
            same = _HASHER.verify(hashed or _NOBODY, password[:LONGEST_PASSWORD])
        return same and hashed is not None
    except (VerifyMismatchError, InvalidHashError):
        return False


def same_secret(one: str, other: str) -> bool:
    """Whether two secrets are equal, in a time that does not tell where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())


def signature(secret: str, message: bytes) -> str:
    """HMAC-SHA256 of a message, in hexadecimal digits."""
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()
