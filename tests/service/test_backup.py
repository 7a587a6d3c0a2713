"""A backup while the service is at work is whole: a database of one moment, with its own log."""

import os
import sqlite3
import subprocess
import threading

from tests.service.conftest import answer_all, made_records, settings, state_of
from tests.service.postgres import binaries

from askance.service.database import connect
from askance.service.fold import Fold
from askance.service.log import SqlEventLog
from askance.service.running import opened_service


def at_work(service, stream: str, ended: threading.Event) -> None:
    start = 0
    while not ended.is_set():
        service.session.offer(stream, made_records(20, seed=start, start=start))
        answer_all(service.session, stream, most=10)
        start += 20


def check_copy(url: str, stream: str, acknowledged: int) -> None:
    engine = connect(url)
    log = SqlEventLog(engine)
    fold, anew = Fold(log, stream), Fold(log, stream, cached=False)
    fold.restore()
    anew.restore()
    assert state_of(fold.learner) == state_of(anew.learner)
    assert sum(fold.books.labels.values()) >= acknowledged > 0
    positions = [event.position for event in log.read(stream)]
    assert positions == list(range(1, len(positions) + 1))
    log.close()
    engine.dispose()


def backed_up(url: str, copy) -> tuple[str, int]:
    """Back a database up while it is written; the stream, and the answers given before."""
    with opened_service(url) as service:
        stream = service.session.create(settings())
        service.session.offer(stream, made_records(5, start=10**6))
        before = answer_all(service.session, stream)
        ended = threading.Event()
        worker = threading.Thread(target=at_work, args=(service, stream, ended))
        worker.start()
        try:
            copy()
        finally:
            ended.set()
            worker.join()
    return stream, before


def test_sqlite_by_its_backup(url, tmp_path):
    def copy():
        source = sqlite3.connect(tmp_path / "service.db")
        target = sqlite3.connect(tmp_path / "copy.db")
        source.backup(target)
        source.close()
        target.close()

    stream, before = backed_up(url, copy)
    check_copy(f"sqlite:///{tmp_path}/copy.db", stream, before)


def test_postgresql_by_pg_dump(postgres, postgres_database, tmp_path):
    tools, dump = binaries(), tmp_path / "copy.dump"

    def copy():
        command = [tools / "pg_dump", "--format=custom", f"--file={dump}", postgres_database]
        subprocess.run(command, check=True)

    stream, before = backed_up(postgres_database, copy)
    name = f"{postgres_database.rpartition('/')[2]}copy"
    restored = postgres.replace("/postgres", f"/{name}")
    environment = os.environ | {"PGUSER": "askance"}
    subprocess.run([tools / "psql", "-q", postgres, "-c", f"create database {name}"], check=True)
    command = [tools / "pg_restore", "--no-owner", f"--dbname={restored}", dump]
    subprocess.run(command, check=True, env=environment)
    check_copy(restored, stream, before)
