"""Trees of values and arrays come back, and one sentence says why a file cannot be read."""

import contextlib
import io
import json
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askance.checks.comparing import same
from askance.errors import FileUnreadable
from askance.storage.states import (
    LARGEST_STATE,
    OLDEST,
    VERSION,
    read_state,
    write_state,
)

plain = st.none() | st.booleans() | st.integers(-(2**130), 2**130) | st.floats() | st.text()
trees = st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
ARRAYS = {
    "matrix": np.arange(6.0).reshape(2, 3),
    "small": np.array([0.1, -0.0, np.nan], np.float32),
    "empty": np.array([], np.int64),
    "flags": np.array([True, False]),
}


@settings(max_examples=10)
@given(tree=st.dictionaries(st.text(), trees))
def test_any_tree_round_trips(tree: Any) -> None:
    state = {"tree": tree, "arrays": ARRAYS, "listed": [dict(ARRAYS)]}
    with tempfile.TemporaryDirectory() as folder:
        write_state(Path(folder) / "state", "test", state)
        assert same(read_state(Path(folder) / "state", "test"), state)


def test_numpy_scalars_become_plain_numbers(tmp_path: Path) -> None:
    write_state(tmp_path / "a", "test", {"n": np.int64(3), "x": np.float32(0.5), "t": (1, 2)})
    assert same(read_state(tmp_path / "a", "test"), {"n": 3, "x": 0.5, "t": [1, 2]})


def test_saving_leaves_nothing_but_the_file(tmp_path: Path) -> None:
    for n in (1, 2):
        write_state(tmp_path / "state.askance", "test", {"n": n})
    assert [path.name for path in tmp_path.iterdir()] == ["state.askance"]
    assert read_state(tmp_path / "state.askance", "test") == {"n": 2}


def test_long_arrays_of_mostly_zeros_take_little_room(tmp_path: Path) -> None:
    weights = np.zeros(2**18, np.float32)
    weights[[3, 99, 2**18 - 1]] = [0.1, -0.0, np.nan]
    state = {"w": weights, "filled": np.ones(5000)}
    write_state(tmp_path / "state", "test", state)
    found = read_state(tmp_path / "state", "test")
    assert same(found, state)
    assert np.signbit(found["w"][99])
    assert (tmp_path / "state").stat().st_size < 50_000


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "saved"
    write_state(path, "test", {"n": 1, "w": np.arange(100.0)})
    return path


@pytest.mark.parametrize("part", [0.0, 0.02, 0.3, 0.7, 0.99])
def test_a_truncated_file(saved: Path, part: float, refused: Any) -> None:
    content = saved.read_bytes()
    saved.write_bytes(content[: int(part * len(content))])
    with refused(FileUnreadable, str(saved), "is damaged or was not saved by askance"):
        read_state(saved, "test")


def test_a_damaged_file(saved: Path, refused: Any) -> None:
    content = bytearray(saved.read_bytes())
    content[len(content) // 2] ^= 0xFF
    saved.write_bytes(bytes(content))
    with refused(FileUnreadable, "is damaged"):
        read_state(saved, "test")


@pytest.mark.parametrize("content", [b"hello", b"\x80\x04N.", b"PK\x03\x04 not a zip", b"{}"])
def test_a_foreign_file(saved: Path, content: bytes, refused: Any) -> None:
    saved.write_bytes(content)
    with refused(FileUnreadable, "is damaged or was not saved by askance"):
        read_state(saved, "test")


def test_foreign_arrays(saved: Path, refused: Any) -> None:
    with saved.open("wb") as file:
        np.save(file, np.arange(3))
    with refused(FileUnreadable, "not saved by askance"):
        read_state(saved, "test")
    with saved.open("wb") as file:
        np.savez(file, weights=np.arange(3))
    with refused(FileUnreadable, "not saved by askance"):
        read_state(saved, "test")


def test_pickles_are_never_opened(saved: Path, refused: Any) -> None:
    with saved.open("wb") as file:
        np.savez(file, header=np.array([{"format": "askance"}], dtype=object))
    with refused(FileUnreadable, "not saved by askance"):
        read_state(saved, "test")


def write_header(path: Path, header: Any) -> None:
    with path.open("wb") as file:
        np.savez(file, header=np.frombuffer(json.dumps(header).encode(), np.uint8))


def test_a_newer_file(saved: Path, refused: Any) -> None:
    newer = {"format": "askance", "version": VERSION + 1, "kind": "test", "state": {}}
    write_header(saved, newer)
    with refused(FileUnreadable, f"format version {VERSION + 1}, newer than {VERSION}"):
        read_state(saved, "test")


@pytest.mark.parametrize(
    "header",
    [
        [1, 2],
        {"format": "other"},
        {"format": "askance"},
        {"format": "askance", "version": "one", "kind": "test", "state": {}},
        {"format": "askance", "version": VERSION, "kind": "test"},
        {"format": "askance", "version": VERSION, "kind": "test", "state": {"__array__": "gone"}},
        {"format": "askance", "version": VERSION, "kind": "test", "state": {"__sparse__": 5}},
    ],
)
def test_headers_that_make_no_sense(saved: Path, header: Any, refused: Any) -> None:
    write_header(saved, header)
    with refused(FileUnreadable, "not saved by askance"):
        read_state(saved, "test")


def test_another_kind_of_file(saved: Path, refused: Any) -> None:
    with refused(FileUnreadable, "holds 'test', expected 'model'"):
        read_state(saved, "model")


def test_no_file_and_a_folder(tmp_path: Path, refused: Any) -> None:
    with refused(FileUnreadable, "does not exist, expected a file saved by askance"):
        read_state(tmp_path / "nothing", "test")
    with refused(FileUnreadable, "is a folder, expected a file saved by askance"):
        read_state(tmp_path, "test")


def test_an_older_file(saved: Path, refused: Any) -> None:
    write_header(saved, {"format": "askance", "version": 1, "kind": "test", "state": {}})
    with refused(FileUnreadable, f"format version 1, older than {OLDEST}, the oldest that"):
        read_state(saved, "test")


# Files that would fill the memory


def write_members(path: Path, state: Any, members: dict[str, bytes], compression: int) -> None:
    header = {"format": "askance", "version": VERSION, "kind": "test", "state": state}
    array = np.frombuffer(json.dumps(header).encode(), np.uint8)
    content = io.BytesIO()
    np.save(content, array)
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, member in {"header": content.getvalue(), **members}.items():
            archive.writestr(f"{name}.npy", member)


def npy(shape: str, dtype: str = "<f8", content: bytes = b"") -> bytes:
    """An array whose header says whatever it is told."""
    text = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + content


@pytest.mark.parametrize("length", [10**12, 2**62, 10**30, LARGEST_STATE // 8 + 1])
def test_a_long_array_of_zeros(saved: Path, length: int, refused: Any) -> None:
    state = {"w": {"__sparse__": length, "parts": [{"__array__": "a"}, {"__array__": "b"}]}}
    members = {"a": npy("(0,)", "<i8"), "b": npy("(0,)")}
    write_members(saved, state, members, zipfile.ZIP_STORED)
    with refused(FileUnreadable, f"more than {LARGEST_STATE} bytes of memory, the most that"):
        read_state(saved, "test")


def test_many_long_arrays_of_zeros(saved: Path, refused: Any) -> None:
    one = {"__sparse__": 2**26, "parts": [{"__array__": "a"}, {"__array__": "b"}]}
    members = {"a": npy("(0,)", "<i8"), "b": npy("(0,)")}
    write_members(saved, [one] * 9, members, zipfile.ZIP_STORED)
    with refused(FileUnreadable, "damaged or was not saved by askance: ValueError"):
        read_state(saved, "test")
    many = [
        {"__sparse__": 2**26, "parts": [{"__array__": f"a{i}"}, {"__array__": f"b{i}"}]}
        for i in range(9)
    ]
    members = {f"{name}{i}": content for i in range(9) for name, content in members.items()}
    write_members(saved, many, members, zipfile.ZIP_STORED)
    with refused(FileUnreadable, "bytes of memory"):
        read_state(saved, "test")


@pytest.mark.parametrize(
    "member",
    [
        npy("(1000000000000,)"),
        npy("(2**62,)"),
        npy("(4611686018427387904, 4611686018427387904)"),
        npy("(-1,)"),
        npy("(3,)", content=b"12345678"),
        npy("(1,)", content=b"1" * 16),
        npy("(1,)", "|O", b"12345678"),
        npy("(1000000000000,)", "|V0"),
        npy("(1,)", "<f8', 'x': [", b"12345678"),
        npy("(" * 5000),
        b"\x93NUMPY\x09\x00",
        b"",
    ],
)
def test_arrays_that_are_not_what_they_say(saved: Path, member: bytes, refused: Any) -> None:
    write_members(saved, {"w": {"__array__": "w"}}, {"w": member}, zipfile.ZIP_STORED)
    with refused(FileUnreadable, "is damaged or was not saved by askance"):
        read_state(saved, "test")


def test_a_zip_bomb(saved: Path, refused: Any) -> None:
    member = npy("(2000000,)", content=bytes(16_000_000))
    write_members(saved, {"w": {"__array__": "w"}}, {"w": member}, zipfile.ZIP_DEFLATED)
    assert saved.stat().st_size < 100_000
    with refused(FileUnreadable, "is damaged or was not saved by askance: ValueError"):
        read_state(saved, "test")


def test_members_that_share_their_bytes(saved: Path, refused: Any) -> None:
    """All entries of the directory point to the first member."""
    body = npy("(100000,)", content=bytes(800_000))
    members = {f"w{i}": body for i in range(3)}
    write_members(saved, {f"w{i}": {"__array__": f"w{i}"} for i in range(3)}, members, 0)
    content = saved.read_bytes()
    with zipfile.ZipFile(saved) as archive:
        starts = {info.filename: info.header_offset for info in archive.infolist()}
        directory = content[archive.start_dir :]
    first = starts["w0.npy"]
    for name, start in starts.items():
        if name.startswith("w"):
            old = start.to_bytes(4, "little") + name.encode()
            directory = directory.replace(old, first.to_bytes(4, "little") + name.encode())
    cut = starts["w1.npy"]
    end = directory[-22:-6] + cut.to_bytes(4, "little") + directory[-2:]
    saved.write_bytes(content[:cut] + directory[:-22] + end)
    with refused(FileUnreadable, "is damaged or was not saved by askance"):
        read_state(saved, "test")


@pytest.mark.parametrize("opening", ["[", '{"a": '])
def test_deep_headers(saved: Path, opening: str, refused: Any) -> None:
    text = '{"format": "askance", "version": 3, "kind": "test", "state": ' + opening * 100_000
    with saved.open("wb") as file:
        np.savez(file, header=np.frombuffer(text.encode(), np.uint8))
    with refused(FileUnreadable, "is damaged or was not saved by askance: RecursionError"):
        read_state(saved, "test")


def test_every_byte_of_a_file_may_be_damaged(saved: Path) -> None:
    """Whatever numpy, zipfile and json make of it, it is a tree or a file that cannot be read."""
    whole = saved.read_bytes()
    for place in range(len(whole)):
        for flip in (0x01, 0x80):
            damaged = bytearray(whole)
            damaged[place] ^= flip
            saved.write_bytes(bytes(damaged))
            with contextlib.suppress(FileUnreadable):
                read_state(saved, "test")


def test_arrays_of_the_other_byte_order_are_turned(saved: Path) -> None:
    write_state(saved, "test", {"w": np.arange(3, dtype=">i4"), "m": np.eye(2, 3, order="F")})
    found = read_state(saved, "test")
    assert found["w"].dtype == np.dtype("i4")
    assert found["w"].tolist() == [0, 1, 2]
    assert found["m"].tolist() == np.eye(2, 3).tolist()
    assert found["m"].flags.writeable
