import signal
import subprocess
import sys

import pytest

from askance.errors import FileUnreadable
from askance.storage.locks import held

HOLD = """
import sys, time
from askance.storage.locks import held
with held(sys.argv[1], "busy"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_another_process_is_refused_until_the_holder_dies(tmp_path):
    path = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, path], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(FileUnreadable, match="somebody writes"), held(path, "somebody writes"):
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with held(path, "somebody writes"):
        pass


def test_a_lock_can_be_taken_again_after_an_error(tmp_path):
    def fail():
        with held(tmp_path / "lock", "busy"):
            raise ZeroDivisionError

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            fail()
