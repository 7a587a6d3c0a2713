import io

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from vw_lines import to_vw

from askance.data.text.vwtext import vw_batches, within

word = st.text("abz019_^=-", min_size=1, max_size=4)
feature = st.tuples(word, st.sampled_from(["", ":2", ":-0.5", ":1e3", ":0.12345678901234567"]))
group = st.tuples(st.sampled_from(["", "n", "ns:2", "ns:0.5"]), st.lists(feature, max_size=4))
head = st.sampled_from(
    ["", "1 ", "-1 ", "0.5 1 ", "1 'tag", "1 tag", "'tag ", "1.00000000000000001 "]
)
lines = st.lists(st.tuples(head, st.lists(group, min_size=1, max_size=3)), max_size=6)


def by_hand(groups):
    """Read groups of features without any cleverness."""
    sums: dict[str, float] = {}
    for space, features in groups:
        namespace, _, scale = space.partition(":")
        for name, value in features:
            key = within(namespace, name)
            number = float(value[1:] or 1) if value else 1.0
            sums[key] = sums.get(key, 0.0) + number * float(scale or 1)
    return sums


@settings(deadline=None)
@given(lines)
def test_lines_are_read_as_by_hand(given_lines):
    text = "".join(
        top + "".join(f"|{s} " + " ".join(n + v for n, v in fs) + " " for s, fs in groups) + "\n"
        for top, groups in given_lines
    )
    found = []
    for batch in vw_batches(io.BytesIO(text.encode()), "a.vw"):
        for label, tag, fields in zip(
            batch.labels.tolist(), batch.tags, batch.tokens.records(), strict=True
        ):
            named = {within(s, n): v for s, ns in fields.items() for n, v in ns.items()}
            found.append((None if np.isnan(label) else label, tag, named))
    expected = []
    for top, groups in given_lines:
        parts = top.split()
        tag = "tag" if parts and parts[-1].strip("'") == "tag" else None
        numbers = [float(part) for part in parts if part.strip("'") != "tag"]
        expected.append((numbers[0] if numbers else None, tag, by_hand(groups)))
    assert [(label, tag) for label, tag, _ in found] == [(lab, tag) for lab, tag, _ in expected]
    for (_, _, ours), (_, _, theirs) in zip(found, expected, strict=True):
        assert ours.keys() == theirs.keys()
        assert np.allclose([ours[k] for k in theirs], list(theirs.values()))


def test_a_line_without_features_or_label_can_be_written():
    (batch,) = vw_batches(io.BytesIO((to_vw([]) + "\n").encode()), "a.vw")
    assert batch.tags == [None]
    assert np.isnan(batch.labels).all()
    assert len(batch.tokens.values) == 0
