import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_info

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


def threads_of_a_fit():
    """How many threads each library has that a fit uses."""
    X = np.random.default_rng(0).random((300, 40))
    LogisticRegression().fit(X, X[:, 0] > 0.5).predict_proba(X)
    return {
        f"{pool['internal_api']} {pool['filepath']}": pool["num_threads"]
        for pool in threadpool_info()
    }


def test_it_fits_with_one_thread(refits):
    found = refits.submit(threads_of_a_fit).result(60)
    assert found
    assert set(found.values()) == {1}


def test_it_fits_with_one_thread_whatever_the_main_module_has_imported(tmp_path):
    """The main module is imported in the new process before anything else."""
    script = tmp_path / "main.py"
    script.write_text(textwrap.dedent(LOADED))
    several = os.environ | {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    assert subprocess.check_output([sys.executable, str(script)], text=True, env=several) == "1\n"


LOADED = """
    import numpy
    from threadpoolctl import threadpool_info
    from askance.service.refits import Refits

    if __name__ == "__main__":
        refits = Refits()
        print(max(pool["num_threads"] for pool in refits.submit(threadpool_info).result()))
        refits.shutdown()
"""


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
