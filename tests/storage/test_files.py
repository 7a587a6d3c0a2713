"""A file appears whole or not at all, through links, and nothing is left behind."""

import os
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from askance.storage.files import _host, remove_stale, write_atomically
from askance.storage.states import read_state, write_state


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "saved"
    write_state(path, "test", {"n": 1, "w": np.arange(100.0)})
    return path


@pytest.mark.parametrize("failure", [OSError("disk full"), KeyboardInterrupt()], ids=repr)
def test_a_block_that_fails_leaves_the_old_file(saved: Path, failure: BaseException) -> None:
    before = saved.read_bytes()

    def fail() -> None:
        with write_atomically(saved) as file:
            file.write(b"half")
            raise failure

    with pytest.raises(type(failure)) as caught:
        fail()
    assert caught.value is failure
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_a_write_that_hits_a_limit_leaves_the_old_file(saved: Path, run_script: Any) -> None:
    """The operating system stops the process from writing more than 4 kB into a file."""
    pytest.importorskip("resource")
    before = saved.read_bytes()
    script = """
        import resource, signal, sys
        import numpy as np
        from askance.storage.states import write_state
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        try:
            write_state(sys.argv[1], "test", {"w": np.ones(100_000)})
        except OSError:
            sys.exit(7)
    """
    assert run_script(script, saved).returncode == 7
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_a_process_that_is_killed_while_writing_leaves_the_old_file(
    saved: Path, killed_while_writing: Any
) -> None:
    before = saved.read_bytes()
    killed_while_writing(saved)
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


def write(path: Path, content: bytes = b"new") -> None:
    with write_atomically(path) as file:
        file.write(content)


def test_a_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    link, target = tmp_path / "latest", tmp_path / "models" / "first"
    target.write_bytes(b"old")
    link.symlink_to(Path("models") / "first")
    write(link)
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["first", "latest", "models"]


def test_a_link_to_nothing_makes_its_target(tmp_path: Path) -> None:
    link = tmp_path / "latest"
    link.symlink_to("first")
    write(link)
    assert link.is_symlink()
    assert (tmp_path / "first").read_bytes() == b"new"


def test_what_a_killed_writer_left_is_removed_by_the_next(
    saved: Path, killed_while_writing: Any
) -> None:
    left = [killed_while_writing(saved.with_name(name)) for name in ("saved", "other")]
    write(saved)
    assert [path.exists() for path in left] == [False, True]
    remove_stale(saved.parent)
    assert list(saved.parent.iterdir()) == [saved]


DEAD = 2**22 + 1
"""Beyond the largest process id that Linux hands out."""


def left(folder: Path, name: str, age: float = 0.0) -> Path:
    path = folder / name
    path.write_bytes(b"half")
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_only_what_is_surely_stale_is_removed(tmp_path: Path) -> None:
    anything, here = "0" * 32, _host()
    kept = [
        left(tmp_path, f".model.{os.getpid()}-{here}-{anything}", age=9999),
        left(tmp_path, f".model.{DEAD}-ffffffff-{anything}"),
        left(tmp_path, f".model.{anything}"),
        left(tmp_path, f".model.old.{DEAD}-{here}-{anything}"),
        left(tmp_path, f".model.{DEAD}-{here}-notours"),
        left(tmp_path, "model.backup", age=9999),
    ]
    for name in (f"{DEAD}-{here}-", f"{DEAD}-ffffffff-", ""):
        age = 0.0 if here in name else 3700.0
        left(tmp_path, f".model.{name}{'1' * 32}", age)
    write(tmp_path / "model")
    assert sorted(tmp_path.iterdir()) == sorted([*kept, tmp_path / "model"])


def test_one_process_may_write_a_file_twice_at_once(tmp_path: Path) -> None:
    path = tmp_path / "model"
    with write_atomically(path) as first, write_atomically(path) as second:
        first.write(b"first")
        second.write(b"second")
    # The first is the last that closes.
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]


def test_several_writers_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    failures: list[Any] = []

    def work(part: int) -> None:
        try:
            for _ in range(30):
                write(tmp_path / "model", bytes([part]) * 1000)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    content = (tmp_path / "model").read_bytes()
    assert content == content[:1] * 1000
    assert list(tmp_path.iterdir()) == [tmp_path / "model"]
