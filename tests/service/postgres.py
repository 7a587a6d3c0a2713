"""A temporary PostgreSQL server on the loopback, for tests and benchmarks."""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

MISSING = "PostgreSQL's initdb is not here (Debian: apt-get install postgresql)"


def binaries() -> Path | None:
    """The folder of PostgreSQL's programs, if there is one."""
    found = shutil.which("initdb")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    folders += [Path(found).resolve().parent] if found else []
    wanted = ("initdb", "pg_ctl", "pg_dump", "pg_restore", "psql")
    whole = (folder for folder in folders if all((folder / name).exists() for name in wanted))
    return next(whole, None)


def _command(*words: str) -> list[str]:
    """A command as a user that PostgreSQL accepts: it refuses to be run by root."""
    if os.geteuid() == 0:
        return ["runuser", "-u", "postgres", "--", *words]
    return list(words)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextlib.contextmanager
def temporary_cluster() -> Iterator[str]:
    """Run a server in a folder of its own; the URL of its database."""
    folder = binaries()
    assert folder is not None, MISSING
    with tempfile.TemporaryDirectory(prefix="askance-pg-") as home:
        if os.geteuid() == 0:
            shutil.chown(home, "postgres")
        data, port = str(Path(home) / "data"), _free_port()
        quiet = {"check": True, "stdout": subprocess.DEVNULL, "cwd": home}
        make = [str(folder / "initdb"), "-D", data, "-U", "askance", "-A", "trust", "-E", "UTF8"]
        subprocess.run(_command(*make), **quiet)
        control = [str(folder / "pg_ctl"), "-D", data, "-w"]
        options = f"-h 127.0.0.1 -p {port} -k {home}"
        log = str(Path(home) / "log")
        subprocess.run(_command(*control, "-l", log, "-o", options, "start"), **quiet)
        try:
            yield f"postgresql://askance@127.0.0.1:{port}/postgres"
        finally:
            subprocess.run(_command(*control, "-m", "immediate", "stop"), **quiet)
