"""One file, whole or not at all, and one sentence for every file that cannot be read."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askance
from askance.checks.comparing import same
from askance.errors import FileUnreadable
from askance.storage.files import VERSION, read_state, write_atomically, write_state

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


def test_a_block_that_fails_leaves_the_old_file(saved: Path) -> None:
    before = saved.read_bytes()

    def fail() -> None:
        with write_atomically(saved) as file:
            file.write(b"half")
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        fail()
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(Path(askance.__file__).parents[1])}
    command = [sys.executable, "-c", textwrap.dedent(script), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_a_write_that_hits_a_limit_leaves_the_old_file(saved: Path) -> None:
    """The operating system stops the process from writing more than 4 kB into a file."""
    pytest.importorskip("resource")
    before = saved.read_bytes()
    script = """
        import resource, signal, sys
        import numpy as np
        from askance.storage.files import write_state
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        try:
            write_state(sys.argv[1], "test", {"w": np.ones(100_000)})
        except OSError:
            sys.exit(7)
    """
    assert run(script, str(saved)).returncode == 7
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_a_process_that_is_killed_while_writing_leaves_the_old_file(saved: Path) -> None:
    before = saved.read_bytes()
    script = """
        import os, signal, sys
        from askance.storage.files import write_atomically
        with write_atomically(sys.argv[1]) as file:
            file.write(b"half")
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
    """
    assert run(script, str(saved)).returncode != 0
    assert saved.read_bytes() == before
    assert read_state(saved, "test")["n"] == 1


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with write_atomically(pipe) as file:
        file.write(b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert pipe.is_fifo()
