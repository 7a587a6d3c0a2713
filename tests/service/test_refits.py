import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from askance.service.refits import Refits


@pytest.fixture
def refits():
    refits = Refits()
    yield refits
    refits.shutdown(wait=False, cancel_futures=True)


def test_it_is_another_process_that_gives_way(refits):
    process = refits.submit(os.getpid).result(60)
    assert process != os.getpid()
    assert os.getpriority(os.PRIO_PROCESS, process) == 19
    assert refits.submit(os.getenv, "OMP_NUM_THREADS").result(60) == "1"


def test_when_it_dies_the_next_fit_has_another(refits):
    first = refits.submit(os.getpid).result(60)
    doomed = refits.submit(signal.pause)
    os.kill(first, signal.SIGKILL)
    with pytest.raises(BrokenProcessPool):
        doomed.result(60)
    assert refits.submit(os.getpid).result(60) != first


def test_shutting_down_waits_for_nothing(refits):
    refits.submit(os.getpid).result(60)
    refits.submit(signal.pause)
    refits.shutdown(wait=False, cancel_futures=True)
    for child in multiprocessing.active_children():
        child.join(60)
        assert not child.is_alive()
    assert refits.closed


def test_it_leaves_with_a_server_that_is_killed(tmp_path):
    script = tmp_path / "main.py"
    script.write_text(textwrap.dedent(KILLED))
    left = tmp_path / "process"
    subprocess.run([sys.executable, str(script), str(left)], check=False)
    process = int(left.read_text())
    for _ in range(6000):
        if not is_running(process):
            return
        time.sleep(0.01)
    pytest.fail("the process goes on without its server")


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from askance.service.refits import Refits

    if __name__ == "__main__":
        Path(sys.argv[1]).write_text(str(Refits().submit(os.getpid).result()))
        os.kill(os.getpid(), signal.SIGKILL)
"""


def is_running(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state.rpartition(")")[2].split()[0] != "Z"
