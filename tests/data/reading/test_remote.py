import fsspec
import pytest

from askance.data.reading.intake import Intake, Reading
from askance.data.reading.readers import pieces_of, read
from askance.data.reading.remote import is_address, matching_addresses, open_address
from askance.errors import FileUnreadable


@pytest.fixture
def memory():
    files = fsspec.filesystem("memory")
    for name, text in (("1", b"age\n39\n50\n"), ("2", b"age\n7\n")):
        with files.open(f"/pool/part{name}.csv", "wb") as file:
            file.write(text)
    yield "memory://pool"
    files.rm("/pool", recursive=True)


def test_an_address_is_read_like_a_file(memory):
    assert [record.fields["age"] for record in read(f"{memory}/part1.csv")] == [39.0, 50.0]
    with open_address(f"{memory}/part2.csv") as stream:
        assert stream.read() == b"age\n7\n"


def test_a_pattern_of_addresses_is_numbered_through(memory):
    assert len(matching_addresses(f"{memory}/*.csv")) == 2
    batches = list(Intake(f"{memory}/part*.csv", Reading()).batches())
    assert [id for batch in batches for id in batch.ids] == ["1", "2", "3"]


def test_parquet_is_read_from_an_address_in_its_row_groups(memory, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet

    table = pa.table({"age": [1.0, 2.0, 3.0]})
    with fsspec.open(f"{memory}/a.parquet", "wb") as file:
        pa.parquet.write_table(table, file, row_group_size=2)
    (piece,) = pieces_of([f"{memory}/a.parquet"])
    assert (piece.rows, piece.groups) == (3, (0, 1))
    assert [record.fields["age"] for record in read(piece._replace(groups=(1,)))] == [3.0]


@pytest.mark.parametrize(
    ("address", "reason"),
    [("memory://pool/none.csv", "does not exist"), ("zebra://a.csv", "Protocol not known")],
)
def test_what_cannot_be_read_is_said_in_one_sentence(address, reason):
    with pytest.raises(FileUnreadable, match=reason):
        list(read(address))


def test_an_unknown_protocol_of_a_pattern_is_said_too():
    with pytest.raises(FileUnreadable, match="zebra"):
        matching_addresses("zebra://*.csv")
    assert not is_address("a:/b")
