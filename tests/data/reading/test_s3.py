"""Files on S3, from a stand-in server on this machine."""

import pyarrow as pa
import pyarrow.parquet
import pytest
import s3fs
from moto.server import ThreadedMotoServer

from askance.data.reading.files import find_files
from askance.data.reading.readers import pieces_of, read
from askance.errors import FileUnreadable


@pytest.fixture
def bucket(monkeypatch):
    """A bucket whose address is all that a reader knows."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
    }.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    files = s3fs.S3FileSystem()
    files.makedirs("pool", exist_ok=True)
    yield files
    # All such servers of a process share what they hold.
    files.rm("pool", recursive=True)
    s3fs.S3FileSystem.clear_instance_cache()
    server.stop()


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_pool_on_s3_is_read_like_one_here(bucket):
    with bucket.open("pool/a.csv", "wb") as file:
        file.write(b"age\n39\n50\n")
    with bucket.open("pool/b.parquet", "wb") as file:
        pa.parquet.write_table(pa.table({"age": [1.0, 2.0, 3.0]}), file, row_group_size=2)
    found = find_files("s3://pool/*")
    assert found == ["s3://pool/a.csv", "s3://pool/b.parquet"]
    pieces = pieces_of(found)
    assert [piece.rows for piece in pieces] == [2, 3]
    records = [record for piece in pieces for record in read(piece)]
    assert [record.fields["age"] for record in records] == [39.0, 50.0, 1.0, 2.0, 3.0]
    assert [record.id for record in records] == ["1", "2", "3", "4", "5"]
    with pytest.raises(FileUnreadable, match="does not exist"):
        list(read("s3://pool/none.csv"))
    with pytest.raises(FileUnreadable, match="no file matches"):
        find_files("s3://pool/*.tsv")


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_s3_that_does_not_answer_is_said_in_one_sentence(bucket, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    s3fs.S3FileSystem.clear_instance_cache()
    with pytest.raises(FileUnreadable, match="cannot be read: Could not connect"):
        list(read("s3://pool/a.csv"))
    with pytest.raises(FileUnreadable, match="cannot be read: Could not connect"):
        find_files("s3://pool/*.csv")
