import pytest

from askance.data.features import FeatureMap
from askance.data.reading.intake import Reading
from askance.data.reading.readers import read
from askance.errors import BadRecord
from askance.labelling.walk import Walk
from askance.sparse import rows_of


@pytest.fixture
def walk(mail):
    return lambda source=mail: Walk(source, Reading(), FeatureMap())


def test_records_come_with_their_rows(walk, mail):
    walking = walk()
    pairs = []
    while (rows := walking.rows(7)).shape[0]:
        assert (walking.rows_at_hand(7) != rows).nnz == 0
        pairs += [(walking.read(), row) for row in rows_of(rows)]
    assert [record for record, _ in pairs] == list(read(mail))
    one_by_one = FeatureMap()
    for record, row in pairs:
        expected = one_by_one.encode(record)
        assert row.indices.tolist() == expected.indices.tolist()
        assert row.values.tolist() == expected.values.tolist()


def test_a_checksum_is_that_of_the_records_read(walk, mail):
    first, second = walk(), walk()
    for _ in range(50):
        first.read()
        second.read()
    assert first.checksum.digest() == second.checksum.digest()
    lines = mail.read_text().splitlines(keepends=True)
    longer, other = mail.with_name("longer.csv"), mail.with_name("other.csv")
    longer.write_text("".join([*lines, "ann,3,more\n"]))
    other.write_text("".join([*lines[:30], "ann,3,other\n", *lines[31:]]))
    sums = [walk(path) for path in (longer, other)]
    for each in sums:
        for _ in range(50):
            each.read()
    assert sums[0].checksum.digest() == first.checksum.digest()
    assert sums[1].checksum.digest() != first.checksum.digest()


@pytest.mark.parametrize("position", [0, 1, 1023, 1024, 1025, 2047, 2048, 2500])
def test_skipping_leads_to_the_same_record_and_row(tmp_path, position):
    """JSON lines come 1024 at a time."""
    path = tmp_path / "many.jsonl"
    path.write_text("".join(f'{{"n": {i}.5}}\n' for i in range(2502)))
    walk = Walk(path, Reading(), FeatureMap())
    walk.skip(position)
    assert walk.position == position
    for value in (position + 0.5, position + 1.5):
        assert abs(walk.rows(1).data).tolist() == [value]
        assert walk.read().fields == {"n": value}


def test_what_is_wrong_further_on_is_told_when_it_is_reached(tmp_path):
    path = tmp_path / "many.jsonl"
    path.write_text('{"n": 1}\n' * 1024 + "{oops\n")
    walk = Walk(path, Reading(), FeatureMap())
    assert walk.rows_at_hand(5).shape[0] == 0
    assert walk.rows(2000).shape[0] == 1024
    walk.fetch()
    for _ in range(1024):
        assert walk.read().fields == {"n": 1}
    assert walk.rows_at_hand(5).shape[0] == 0
    with pytest.raises(BadRecord, match="line 1,025"):
        walk.read()


def test_numbered_features_are_checked_too(tmp_path):
    sums = []
    for value in ("0.5", "0.25"):
        path = tmp_path / "rows.libsvm"
        path.write_text(f"1 1:{value} 7:2\n")
        walk = Walk(path, Reading(), FeatureMap())
        walk.read()
        sums.append(walk.checksum.digest())
    assert sums[0] != sums[1]
