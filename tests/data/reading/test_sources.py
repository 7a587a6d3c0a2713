import contextlib
import gzip
import lzma
import os
import tarfile
import tracemalloc

import pytest

from askance.data.reading.readers import read_batches
from askance.data.reading.sources import (
    map_bytes,
    member,
    open_bytes,
    read_bytes,
    require_rereadable,
    tar_members,
)
from askance.errors import BadRecord, FileUnreadable


def test_the_first_bytes_tell_how_a_file_is_packed_not_the_suffix(tmp_path):
    (tmp_path / "a.gz").write_bytes(lzma.compress(b"hello"))
    (tmp_path / "b").write_bytes(gzip.compress(b"hello"))
    (tmp_path / "c").write_bytes(b"hello")
    assert [read_bytes(tmp_path / name) for name in ("a.gz", "b", "c")] == [b"hello"] * 3
    assert [map_bytes(tmp_path / name)[:] for name in ("a.gz", "b", "c")] == [b"hello"] * 3


@pytest.mark.parametrize(
    ("name", "packing"), [("a.gz", "gzip"), ("a.BZ2", "bzip2"), ("a.xz", "xz"), ("a.zst", "zstd")]
)
@pytest.mark.parametrize("content", [b"hello, world", b""])
def test_a_file_that_should_be_packed_and_is_not_is_said(tmp_path, name, packing, content):
    path = tmp_path / name
    path.write_bytes(content)
    for read in (read_bytes, map_bytes):
        with pytest.raises(FileUnreadable) as caught:
            read(path)
        assert str(caught.value) == f"{path} is not {packing}, it starts with {content[:6]!r}"


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(FileUnreadable, match=r"cannot be read: Is a directory"):
        read_bytes(tmp_path)


def test_a_tar_gives_its_files_and_a_broken_one_is_said(tmp_path):
    (tmp_path / "x").write_bytes(b"hello" * 1000)
    with tarfile.open(tmp_path / "a.tar.xz", "w:xz") as archive:
        archive.add(tmp_path / "x", "folder/x")
        archive.add(tmp_path, "empty", recursive=False)
    assert list(tar_members(tmp_path / "a.tar.xz")) == [("folder/x", b"hello" * 1000)]
    assert member(tmp_path / "a.tar.xz", "x") == b"hello" * 1000
    assert member(tmp_path / "x", "anything") == b"hello" * 1000
    packed = (tmp_path / "a.tar.xz").read_bytes()
    (tmp_path / "b.tar.xz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(FileUnreadable, match=r"b\.tar\.xz"):
        list(tar_members(tmp_path / "b.tar.xz"))


def test_an_error_of_the_reader_passes_unchanged(tmp_path):
    (tmp_path / "a").write_bytes(b"hello")

    def fail():
        with open_bytes(tmp_path / "a"):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fail()


def test_what_can_be_read_once_is_refused_where_it_is_read_twice(tmp_path, refused):
    pipe, file = tmp_path / "pipe", tmp_path / "file"
    os.mkfifo(pipe)
    file.write_text("x")
    require_rereadable(file)
    require_rereadable(tmp_path)
    with refused(FileUnreadable, f"{pipe} is not a regular file and can be read only once"):
        require_rereadable(pipe)
    with refused(FileUnreadable, "none does not exist"):
        require_rereadable(tmp_path / "none")


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.svm", "a.vw"])
@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_a_bomb_is_not_unpacked_into_memory(tmp_path, refused, name, pack):
    """Half a gigabyte without a line's end from a few hundred kilobytes."""
    path = tmp_path / name
    path.write_bytes(pack(b"1" * (1 << 25)) * 16)
    with tracked() as peak:
        with refused(BadRecord, "16 MB"):
            list(read_batches(path))
        assert peak() < 150 << 20


@contextlib.contextmanager
def tracked():
    tracemalloc.start()
    try:
        yield lambda: tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
