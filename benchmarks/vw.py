"""Vowpal Wabbit's driver over a cache file: the fastest route through it."""

import importlib.util
import os
import re
import tempfile
import time

from benchmarks.streams import Prepared

__all__ = ["available", "count", "read", "run"]

LEARNER = ["--loss_function", "logistic", "--binary", "-b", "20"]


def available() -> bool:
    """Whether Vowpal Wabbit is installed."""
    return importlib.util.find_spec("vowpalwabbit") is not None


def _drive(data: Prepared, options: list[str]) -> float:
    """Seconds of one run: of logistic regression, or of what the options say of several classes."""
    from vowpalwabbit import Workspace

    files = ["-d", data.text, "--cache_file", data.cache]
    start = time.perf_counter()
    learner = LEARNER if data.n_classes is None else ["-b", "20"]
    Workspace(arg_list=[*files, *learner, *options]).finish()
    return time.perf_counter() - start


def run(data: Prepared, options: list[str]) -> dict[str, float]:
    """Seconds of one run; the first one over a stream makes the cache file."""
    return {"seconds": _drive(data, ["--quiet", *options])}


def read(data: Prepared) -> dict[str, float]:
    """Seconds of reading the cache file, and nothing else."""
    return run(data, ["--noop"])


def count(data: Prepared, options: list[str], examples: int, cover: int) -> dict[str, int]:
    """Labels asked and classifiers updated.

    Every example that the first classifier learns, and no other, raises the sum of weights by one
    or more, and is then a line of the protocol; each member of the cover learns every example.
    """
    with tempfile.TemporaryFile() as protocol:
        stderr = os.dup(2)
        os.dup2(protocol.fileno(), 2)
        try:
            _drive(data, ["-P", "1", *options])
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)
        protocol.seek(0)
        said = protocol.read().decode()
    learned = len(re.findall(r"^\d\.\d{6} \d\.\d{6} +\d+ ", said, re.MULTILINE))
    asked = re.search(r"total queries = (\d+)", said)
    updates = learned + cover * examples
    return {"queries": int(asked[1]) if asked else learned, "updates": updates}
