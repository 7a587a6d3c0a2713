"""Timed jobs in processes of their own, pinned to one core, the sides taking turns."""

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple, Self

__all__ = ["Bench", "Job", "Times"]

CLOSE = 0.03
"""How near the two best times of a side must be for no further turn to be taken."""

SHORT = 0.05
"""Seconds below which all turns are taken."""


class Job(NamedTuple):
    """A function of a module, to be called in a worker."""

    function: Callable[..., dict[str, Any]]
    arguments: tuple[Any, ...]


class Times(NamedTuple):
    """Seconds of several runs."""

    seconds: list[float]

    @property
    def best(self) -> float:
        """The least disturbed run."""
        return min(self.seconds)

    @property
    def is_settled(self) -> bool:
        """Whether a second run came close to the best one, and both were long enough to say so."""
        best, *others = sorted(self.seconds)
        return best > SHORT and bool(others) and others[0] < (1.0 + CLOSE) * best

    def __str__(self) -> str:
        return f"{self.best:.3f} ({max(self.seconds) / self.best - 1:+.0%})"


class Bench:
    """Workers that live as long as the benchmark: one for us, one for each peer."""

    def __init__(self, repeats: int) -> None:
        self.repeats = repeats
        self._cores = sorted(os.sched_getaffinity(0))
        self._pools: dict[str, ProcessPoolExecutor] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for pool in self._pools.values():
            pool.shutdown()

    def once(self, side: str, job: Job, core: int = 0) -> dict[str, Any]:
        """Call a function in a side's worker, pinned to a core."""
        if side not in self._pools:
            context = multiprocessing.get_context("spawn")
            self._pools[side] = ProcessPoolExecutor(1, mp_context=context)
        pinned = self._cores[core % len(self._cores)]
        return self._pools[side].submit(_pinned, pinned, job).result()

    def alternate(self, jobs: dict[str, Job], repeats: int = 0) -> dict[str, dict[str, Times]]:
        """Times of the sides, run in turn, all on one core and then all on the next.

        A side is the first word of a name: its worker. No further turn is taken once the two best
        times of every side differ by less than ``CLOSE``.
        """
        said: dict[str, dict[str, Times]] = {name: {} for name in jobs}
        for turn in range(repeats or self.repeats):
            for name, job in jobs.items():
                for key, seconds in self.once(name.split()[0], job, turn).items():
                    said[name].setdefault(key, Times([])).seconds.append(seconds)
            if all(times.is_settled for side in said.values() for times in side.values()):
                break
        return said


def _pinned(core: int, job: Job) -> dict[str, Any]:
    os.sched_setaffinity(0, {core})
    return job.function(*job.arguments)
