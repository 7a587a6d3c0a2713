import pytest

from askance.data.features import FeatureMap
from askance.data.readers import read
from askance.intake import Reading
from askance.labelling.walk import Walk


@pytest.fixture
def walk(mail):
    return lambda source=mail: Walk(source, Reading(), FeatureMap())


def test_records_come_with_their_rows(walk, mail):
    pairs = list(walk())
    assert [record for record, _ in pairs] == list(read(mail))
    one_by_one = FeatureMap()
    for record, row in pairs:
        expected = one_by_one.encode(record)
        assert row.indices.tolist() == expected.indices.tolist()
        assert row.values.tolist() == expected.values.tolist()


def test_a_checksum_is_that_of_the_records_read(walk, mail):
    first, second = walk(), walk()
    for _ in range(50):
        next(first)
        next(second)
    assert first.checksum.digest() == second.checksum.digest()
    lines = mail.read_text().splitlines(keepends=True)
    longer, other = mail.with_name("longer.csv"), mail.with_name("other.csv")
    longer.write_text("".join([*lines, "ann,3,more\n"]))
    other.write_text("".join([*lines[:30], "ann,3,other\n", *lines[31:]]))
    sums = [walk(path) for path in (longer, other)]
    for each in sums:
        for _ in range(50):
            next(each)
    assert sums[0].checksum.digest() == first.checksum.digest()
    assert sums[1].checksum.digest() != first.checksum.digest()


def test_skipping_leads_to_the_same_record(walk):
    first, second = walk(), walk()
    pairs = [next(first) for _ in range(8)]
    second.skip(7)
    assert next(second)[0] == pairs[-1][0]
    assert second.position == first.position == 8


def test_numbered_features_are_checked_too(tmp_path):
    sums = []
    for value in ("0.5", "0.25"):
        path = tmp_path / "rows.libsvm"
        path.write_text(f"1 1:{value} 7:2\n")
        walk = Walk(path, Reading(), FeatureMap())
        next(walk)
        sums.append(walk.checksum.digest())
    assert sums[0] != sums[1]
