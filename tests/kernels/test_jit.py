"""Compiled and interpreted code agree bit for bit, and no stale code is served."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import askance
from askance.kernels._jit import CODE_VERSION, brief, compile_only, is_compiled
from askance.types import Floats

PACKAGE = Path(askance.__file__).parent


def run(arguments: list[str], source: Path, *, jit: bool = True, cache: Path | None = None) -> str:
    """Output of a Python process that imports askance from ``source``."""
    environment = os.environ | {"PYTHONPATH": str(source), "NUMBA_DISABLE_JIT": str(int(not jit))}
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    command = [sys.executable, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_compiled_and_interpreted_runs_give_the_same_bits() -> None:
    script = str(Path(__file__).with_name("run_digests.py"))
    compiled = run([script], PACKAGE.parent).splitlines()
    interpreted = run([script], PACKAGE.parent, jit=False).splitlines()
    # Of three classes five learners, each by its verbs and by a pass.
    assert len(compiled) == 2 * (len(askance.ALGORITHMS) + 5) + 1 + 2 * 2 * 5
    assert compiled == interpreted
    assert len({line.split()[-1] for line in compiled}) == len(compiled)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A source folder with a copy of the package, and a kernel that calls another file's."""
    shutil.copytree(PACKAGE, tmp_path / "askance", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "askance" / "kernels" / "caller.py").write_text(
        "from askance.kernels._jit import kernel\n"
        "from askance.kernels.formulas import beta_squared\n\n\n"
        "@kernel\n"
        "def twice(c0: float) -> float:\n"
        "    return 2.0 * beta_squared(c0, 1.0, 1.0)\n"
    )
    return tmp_path


CALL = """
from askance.kernels._jit import CODE_VERSION
from askance.kernels.caller import twice
print(twice(4.0), bool(twice.stats.cache_hits), CODE_VERSION)
"""


def test_an_edit_in_a_callee_is_noticed(copied: Path) -> None:
    cache = copied / "cache"
    first = run(["-c", CALL], copied, cache=cache).split()
    again = run(["-c", CALL], copied, cache=cache).split()
    formulas = copied / "askance" / "kernels" / "formulas.py"
    text = formulas.read_text()
    edited = text.replace("return alpha / (c0 * beta_scale", "return alpha / (2.0 * beta_scale")
    assert edited != text
    formulas.write_text(edited)
    after = run(["-c", CALL], copied, cache=cache).split()
    assert first[:2] == ["0.5", "False"]
    assert again == ["0.5", "True", first[2]]
    assert after[:2] == ["1.0", "False"]
    assert after[2] != first[2]


def test_without_a_place_for_the_cache_everything_still_works(copied: Path) -> None:
    """A file where the folder should be: not writable for anyone."""
    blocked = copied / "blocked"
    blocked.write_text("")
    assert run(["-c", CALL], copied, cache=blocked).split()[:2] == ["0.5", "False"]


def test_code_version_is_a_short_digest() -> None:
    assert len(CODE_VERSION) == 16
    assert int(CODE_VERSION, 16) >= 0


@brief
def _twice(x: Floats) -> float:
    return 2.0 * x[0]


def test_a_kernel_refuses_what_it_was_not_compiled_for() -> None:
    refuses = compile_only(_twice, np.ones(1))
    assert refuses == (os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0"))
    assert _twice(np.full(1, 3.0)) == 6.0
    odd = np.ones(2, np.float32)[::2]
    if refuses:
        with pytest.raises(TypeError, match="No matching definition"):
            _twice(odd)
        assert compile_only(_twice, odd)
    assert _twice(odd) == 2.0
    assert _twice(np.full(1, 3.0)) == 6.0


@brief
def _thrice(x: Floats) -> float:
    return 3.0 * x[0]


def test_a_kernel_is_compiled_for_some_arguments_and_not_for_others() -> None:
    known, other = np.ones(1), np.ones(1, np.int8)
    _thrice(known)
    assert is_compiled(_thrice, known)
    assert is_compiled(_thrice, other) == (os.environ.get("NUMBA_DISABLE_JIT", "0") == "1")


def test_what_lies_on_disk_is_compiled(tmp_path: Path) -> None:
    script = (
        "from askance.kernels._jit import is_compiled\n"
        "from askance.kernels.formulas import least_q_squared as f\n"
        "print(is_compiled(f, 0.5), is_compiled(f, 2), f(0.5), is_compiled(f, 0.5))"
    )
    first, again = (run(["-c", script], PACKAGE.parent, cache=tmp_path).split() for _ in range(2))
    assert first == ["False", "False", "1.0", "True"]
    assert again == ["True", "False", "1.0", "True"]
