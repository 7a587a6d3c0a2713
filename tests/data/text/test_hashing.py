import numpy as np

from askance.data.text.hashing import HASH_START, finish_hash, hash_span


def hashed(content: bytes, decode=False):
    return hash_span(np.frombuffer(content, dtype=np.int8), 0, len(content), HASH_START, decode)


def test_an_escaped_byte_hashes_like_the_byte():
    assert hashed(b"a%20b%c3%BC", decode=True) == hashed("a bü".encode())
    assert hashed(b"100%", decode=True) == hashed(b"100%")
    assert hashed(b"%zz", decode=True) == hashed(b"%zz")


def test_hashes_fill_buckets_and_signs_evenly():
    hashes = np.array([finish_hash(hashed(b"column=%d" % i)) for i in range(20_000)])
    assert hashes.min() >= 0
    for part in (hashes & 15, hashes >> 4 & 15, hashes >> 58 & 15, hashes >> 62):
        counts = np.bincount(part)
        expected = 20_000 / len(counts)
        # Chi-squared with at most 15 degrees of freedom exceeds 38 with probability 0.001.
        assert ((counts - expected) ** 2 / expected).sum() < 38
    assert len(np.unique(hashes)) == 20_000
