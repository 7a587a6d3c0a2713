import hashlib
import hmac
import threading
from concurrent.futures import ThreadPoolExecutor

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


def test_two_hashes_are_made_at_a_time(monkeypatch):
    """Each takes 64 MB."""
    rooms = [threading.Lock(), threading.Lock()]

    class Counted:
        def _work(self, *args):
            room = next((room for room in rooms if room.acquire(blocking=False)), None)
            assert room is not None
            threading.Event().wait(0.01)
            room.release()
            return True

        hash = verify = _work

    monkeypatch.setattr(passwords, "_HASHER", Counted())
    with ThreadPoolExecutor(12) as pool:
        made = [pool.submit(passwords.hashed_password, "correct horse") for _ in range(6)]
        made += [pool.submit(passwords.is_password, "correct horse", "h") for _ in range(6)]
        assert all(one.result() for one in made)


def test_signatures_are_hmac():
    expected = hmac.new(b"s", b"m", hashlib.sha256).hexdigest()
    assert passwords.signature("s", b"m") == expected
    assert passwords.same_secret("a", "a")
    assert not passwords.same_secret("a", "é")
