import hashlib
import hmac

import pytest

from askance.errors import InvalidParameter
from askance.service import passwords


def test_tokens_have_256_bits_and_differ():
    tokens = {passwords.make_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(len(token) * 6 >= 256 for token in tokens)


def test_a_digest_is_sha_256():
    assert passwords.digest("t") == hashlib.sha256(b"t").hexdigest()


def test_passwords_are_hashed_by_argon2_with_a_salt():
    hashed = passwords.hashed_password("correct horse")
    assert hashed.startswith("$argon2id$")
    assert hashed != passwords.hashed_password("correct horse")
    assert passwords.is_password("correct horse", hashed)
    assert not passwords.is_password("correct house", hashed)
    assert not passwords.is_password("correct horse", None)
    assert not passwords.is_password("correct horse", "damaged")


@pytest.mark.parametrize("password", ["short", "a" * 201])
def test_passwords_have_a_length(password):
    with pytest.raises(InvalidParameter, match="a password has 8 to 200 characters"):
        passwords.hashed_password(password)


def test_signatures_are_hmac():
    expected = hmac.new(b"s", b"m", hashlib.sha256).hexdigest()
    assert passwords.signature("s", b"m") == expected
    assert passwords.same_secret("a", "a")
    assert not passwords.same_secret("a", "é")
