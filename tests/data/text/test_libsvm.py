import io

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from askance.data.text.libsvm import libsvm_batches, line_blocks, read_all

value = st.one_of(
    st.integers(-1000, 1000).map(str),
    st.floats(-1e30, 1e30, width=64).map(repr),
    st.decimals(-100, 100, places=6).map(str),
)
features = st.dictionaries(st.integers(1, 500), value, max_size=8)
lines = st.lists(st.tuples(st.sampled_from(["1", "-1", "+1", "0"]), features), min_size=1)


@settings(deadline=None)
@given(lines)
def test_rows_are_those_of_scikit_learn(given_lines):
    text = "".join(
        f"{label} " + " ".join(f"{i}:{row[i]}" for i in sorted(row)) + "\n"
        for label, row in given_lines
    ).encode()
    ours = read_all(text, "a.svm")
    X, y = load_svmlight_file(io.BytesIO(text), dtype=np.float64, zero_based=False, n_features=500)
    X = X.astype(np.float32)
    X.eliminate_zeros()
    assert ours.labels.tolist() == y.tolist()
    assert ours.csr.indptr.tolist() == X.indptr.tolist()
    assert ours.csr.indices.tolist() == X.indices.tolist()
    assert ours.csr.data.tolist() == X.data.tolist()


@given(st.lists(st.binary(max_size=6).map(lambda b: b.replace(b"\n", b"")), max_size=20))
def test_blocks_are_whole_lines_and_lose_nothing(given_lines):
    text = b"\n".join(given_lines)
    for size in (1, 3, 1000):
        blocks = list(line_blocks(io.BytesIO(text), "a.svm", size))
        assert all(block.endswith(b"\n") for block in blocks)
        joined = b"".join(blocks)
        assert joined == (text if text.endswith(b"\n") or not text else text + b"\n")


def test_a_stream_of_blank_lines_and_comments_has_no_rows():
    assert list(libsvm_batches(io.BytesIO(b"\n  \n# nothing\n"), "a.svm")) == []
