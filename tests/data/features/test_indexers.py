import io

import pytest

from askance.data.features.indexers import Dictionary, Hashing, Numbered, indexer_from
from askance.data.text.vwtext import vw_batches


def test_the_hash_never_changes():
    """Saved models depend on it."""
    places = Hashing(18).find(["age", "job=clerk", "text^ü"])
    assert places.indices.tolist() == [229308, 38536, 156060]
    assert places.signs.tolist() == [1.0, 1.0, 1.0]


def test_the_table_of_names_is_bounded_and_shows_collisions():
    hashing = Hashing(bits=1, capacity=3)
    hashing.find(list("abcdefgh"))
    shown = " or ".join([hashing.name_of(0), hashing.name_of(1)]).split(" or ")
    assert sorted(n for n in shown if not n.startswith("#")) == ["a", "b", "c"]
    assert len(hashing.get_state()["names"]) == 3


@pytest.mark.parametrize("make", [lambda: Dictionary({"a", "n^b"}), Hashing, lambda: Numbered(5)])
def test_tokens_go_where_their_names_go(make):
    """Tokens bring their own hashes, and must not land elsewhere."""
    (batch,) = vw_batches(io.BytesIO(b"1 | a 3 a |n b:2\n| z%20z 7\n"), "a.vw")
    names = ["a", "3", "a", "n^b", "z z", "7"]
    for indexer in (make(), indexer_from(make().get_state())):
        by_token, by_name = indexer.find_tokens(batch.tokens), indexer.find(names)
        known = by_name.signs != 0
        assert by_token.signs.tolist() == by_name.signs.tolist()
        assert by_token.indices[known].tolist() == by_name.indices[known].tolist()


def test_names_come_back_in_the_same_columns():
    hashing = Hashing(bits=4)
    hashing.find([f"feature {i}" for i in range(40)])
    again = indexer_from(hashing.get_state())
    assert [again.name_of(i) for i in range(16)] == [hashing.name_of(i) for i in range(16)]


@pytest.mark.parametrize("make", [lambda: Dictionary({"a", "b"}), Hashing, lambda: Numbered(2)])
def test_every_known_name_has_its_place(make):
    indexer = make()
    indexer.find(["b", "0", "a", "1"])
    places = indexer.find(indexer.names)
    assert places.signs.all()
    shown = [indexer.name_of(int(index)) for index in places.indices]
    assert shown == list(indexer.names)
    assert sorted(indexer.names)[-2:] in (["a", "b"], ["0", "1"])
