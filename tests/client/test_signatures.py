import pytest

from askance.client import verified
from askance.errors import InvalidParameter
from askance.service.webhooks import signed_headers


def test_a_message_is_verified():
    body = b'{"topic": "questions"}'
    header = signed_headers("s", body, 1000.0)["Askance-Signature"]
    assert verified(body, header, "s", now=1100.0) == {"topic": "questions"}


@pytest.mark.parametrize(
    ("body", "secret", "now", "sentence"),
    [
        (b'{"topic": "stopped"}', "s", 1000.0, "not one of this secret"),
        (b'{"topic": "questions"}', "other", 1000.0, "not one of this secret"),
        (b'{"topic": "questions"}', "s", 1301.0, "too old"),
        (b'{"topic": "questions"}', "s", 600.0, "too old"),
    ],
)
def test_a_forged_changed_or_old_one_is_refused(body, secret, now, sentence):
    header = signed_headers("s", b'{"topic": "questions"}', 1000.0)["Askance-Signature"]
    with pytest.raises(InvalidParameter, match=sentence):
        verified(body, header, secret, now=now)


@pytest.mark.parametrize("header", ["", "v1=ab", "t=1,v1=AB", "t=1,v1=" + "0" * 63])
def test_headers_have_a_form(header):
    with pytest.raises(InvalidParameter, match="no signature of the form"):
        verified(b"{}", header, "s")


def test_the_time_is_signed_too():
    header = signed_headers("s", b"{}", 1000.0)["Askance-Signature"]
    with pytest.raises(InvalidParameter, match="not one of this secret"):
        verified(b"{}", header.replace("t=1000", "t=2000"), "s", now=2000.0)
