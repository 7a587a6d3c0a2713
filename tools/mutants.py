"""Show that the tests would notice: apply one fault at a time to a copy, and demand a failure.

``tools/mutants.toml`` lists the faults. Each is a change of one line, or of the order of a few; the
old text must occur exactly once in its file. The copy without a fault must pass.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LISTING = Path(__file__).with_suffix(".toml")
FIRST_FAILURE = re.compile(r"^FAILED (.+?)(?: - .*)?$", re.MULTILINE)

# Quick ones first: most faults fall at once.
TESTS = [
    "tests/kernels/test_formulas.py",
    "tests/kernels/test_cover.py",
    "tests/learners/test_online_active_cover.py",
    "tests/learners/test_streaming.py",
    "tests/learners/test_margin.py",
    "tests/learners/test_disagreement.py",
    "tests/live/test_budget.py",
    "tests/test_presets.py",
    "tests/kernels/test_linear.py",
    "tests/kernels/test_logistic.py",
    "tests/kernels/test_walks.py",
    "tests/oracles/test_linear.py",
    "tests/simulate/test_contestants.py",
    "tests/simulate/test_loop.py",
    "tests/simulate/test_measuring.py",
    "tests/simulate/test_simulation.py",
    "tests/engine/test_drivers.py",
    "tests/live/test_asking.py",
    "tests/live/test_telling.py",
    "tests/live/test_active_learner.py",
    "tests/storage/test_files.py",
    "tests/learners/test_contract.py",
    "tests/learners/test_iwal.py",
    "tests/golden",
]


@dataclass(frozen=True)
class Mutant:
    """One fault: in ``file`` of the package, ``old`` becomes ``new``."""

    why: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...] = ()

    def apply(self, folder: Path) -> None:
        path = folder / "src" / "askance" / self.file
        text = path.read_text()
        if text.count(self.old) != 1:
            raise SystemExit(f"{self.why}: the old text occurs {text.count(self.old)} times")
        path.write_text(text.replace(self.old, self.new))

    def selection(self) -> list[str]:
        """The tests to run, the mirror of the file first."""
        if self.tests:
            return list(self.tests)
        place = Path(self.file)
        mirror = str(Path("tests") / place.with_name(f"test_{place.name}"))
        chosen = [mirror, *(test for test in TESTS if test != mirror)]
        return [test for test in chosen if (ROOT / test).exists()]


@dataclass(frozen=True)
class Outcome:
    """How a run of the tests ended: ``code`` is that of pytest."""

    code: int
    seconds: float
    first_failure: str
    output: str


def run(mutant: Mutant | None) -> Outcome:
    """Copy, apply the fault, run the tests until the first failure."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as name:
        folder = Path(name)
        for part in ("src", "tests"):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / part, folder / part, ignore=ignored)
        shutil.copy(ROOT / "pyproject.toml", folder)
        if mutant is not None:
            mutant.apply(folder)
            selection = mutant.selection()
        else:
            selection = [test for test in TESTS if (ROOT / test).exists()]
        start = time.monotonic()
        done = _pytest(folder, selection)
        found = FIRST_FAILURE.search(done.stdout)
        return Outcome(
            done.returncode,
            time.monotonic() - start,
            found.group(1) if found else "",
            done.stdout + done.stderr,
        )


def _pytest(folder: Path, selection: list[str]) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider",
        "-m", "not slow and not network and not vw", "--hypothesis-profile=mutants", *selection,
    ]  # fmt: skip
    environment = os.environ | {"PYTHONPATH": str(folder / "src"), "NUMBA_DISABLE_JIT": "1"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def load() -> list[Mutant]:
    """The faults of the listing, in its order."""
    listed = tomllib.loads(LISTING.read_text())["mutant"]
    return [Mutant(**{**item, "tests": tuple(item.get("tests", ()))}) for item in listed]


def main() -> int:
    """Run the faults and print a table; 1 if one survives."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", help="words: run the faults whose reason holds one")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    arguments = parser.parse_args()
    mutants = load()
    if arguments.only:
        mutants = [each for each in mutants if any(word in each.why for word in arguments.only)]
    survivors = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        plain = pool.submit(run, None)
        outcomes = pool.map(run, mutants)
        if plain.result().code != 0:
            print(plain.result().output)
            print("the tests fail without any fault")
            pool.shutdown(cancel_futures=True)
            return 1
        print(f"without a fault: passed in {plain.result().seconds:.0f} s", flush=True)
        for number, (mutant, outcome) in enumerate(zip(mutants, outcomes, strict=True), 1):
            # 1 means that a test failed, below 0 that a signal ended the tests, as a forged index
            # does that nobody checks; 2 and more that the tests could not even be run.
            caught = outcome.code == 1 or outcome.code < 0
            survivors += not caught
            noticed = outcome.first_failure or f"died of signal {-outcome.code}"
            verdict = noticed if caught else f"SURVIVED (exit {outcome.code})"
            print(f"{number:3}  {outcome.seconds:4.0f} s  {mutant.why:<60}  {verdict}", flush=True)
    print(f"{len(mutants) - survivors} of {len(mutants)} faults caught")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
