from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets._twenty_newsgroups import (
    strip_newsgroup_footer,
    strip_newsgroup_header,
    strip_newsgroup_quoting,
)

from askance.data.catalog.newsgroups import authored

line = st.sampled_from(
    ["", "--", " - ", "hello there", "> quoted", "|bar", "Bob writes:", "In article <1>", "From: x"]
)


@given(st.lists(line, max_size=12))
def test_what_an_author_wrote_is_what_scikit_learn_leaves(given_lines):
    text = "Subject: y\n\n" + "\n".join(given_lines)
    expected = strip_newsgroup_quoting(strip_newsgroup_footer(strip_newsgroup_header(text)))
    assert authored(text) == expected
