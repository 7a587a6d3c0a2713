import gc
import platform
import socket
import subprocess
import sys

import httpx
import pytest
from tests.service.conftest import settings
from tests.service.serving import served

from askance.service import server


def test_it_serves_and_stops(service):
    with served(service) as address:
        assert httpx.get(f"{address}/api/v1/openapi.json").json()["info"]["title"] == "askance"


def test_a_proxy_is_believed_that_stands_where_it_is_said_to(service, monkeypatch):
    service.people.add("ann", "annotator", "correct horse")
    sent = {"name": "ann", "password": "correct horse"}
    for allowed, believed in ((None, True), ("10.0.0.1", False)):
        if allowed is not None:
            monkeypatch.setenv("FORWARDED_ALLOW_IPS", allowed)
        with served(service) as address:
            headers = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1"}
            answer = httpx.post(f"{address}/api/v1/sign-in", json=sent, headers=headers)
        assert ("secure" in answer.headers["set-cookie"].lower()) == believed


# Each thread uses some megabytes, and keeps a little that came after them.
KEPT = """
import sys, threading
from pathlib import Path
from askance.service.server import give_memory_back

def resident():
    return int(Path("/proc/self/status").read_text().split("VmRSS:")[1].split()[0]) / 1024

def work(done, end):
    del [bytearray(400_000)][:]
    blocks, pin = [bytearray(b"x") * 300_000 for _ in range(40)], bytearray(600)
    del blocks
    done.wait()
    end.wait()

if sys.argv[1] == "ours":
    give_memory_back()
before, done, end = resident(), threading.Barrier(9), threading.Event()
for _ in range(8):
    threading.Thread(target=work, args=(done, end)).start()
done.wait()
print(resident() - before)
end.set()
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is for the GNU C library")
def test_what_threads_free_goes_back():
    kept = {
        how: float(subprocess.check_output([sys.executable, "-c", KEPT, how], text=True))
        for how in ("ours", "as it is")
    }
    assert kept["ours"] < 10
    assert kept["as it is"] > 50


def test_modules_are_collected_once(service, monkeypatch):
    class FakeServer:
        def run(self, sockets):
            service.session._warmth.wait_for(settings())

    monkeypatch.setattr(server, "make_server", lambda service: FakeServer())
    with socket.create_server(("127.0.0.1", 0)) as listener:
        before = gc.get_freeze_count()
        try:
            server.run_server(service, listener)
            assert gc.get_freeze_count() > before + 10_000
        finally:
            gc.unfreeze()
