"""Who does the work on the pieces of a pool: this process, others on this machine, or a cluster."""

import contextlib
import functools
import importlib
import pickle
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.backend.reduction import dumps

from askance.errors import AskanceError, InvalidParameter
from askance.validation import require_whole

__all__ = ["Each", "Team", "Workers"]

Each = Callable[[Callable[[Any, Any], Any], Any, Iterable[Any]], Iterator[Any]]
"""Calls ``function(job, piece)`` for each of some pieces; results come in their order."""

AHEAD = 3
"""Pieces for each process or thread that are under way at a time, so that results never pile up."""

DEATHS = 3
"""How often in a row workers may die over the same piece before it is given up."""


class Team(Protocol):
    """Whoever works on pieces: :class:`Workers`, or what a user brings, as Spark."""

    def running(self) -> contextlib.AbstractContextManager[Each]:
        """Give what works on pieces, while the team is there."""


@dataclass(frozen=True, slots=True)
class Workers:
    """So many processes on this machine, or those of the Dask scheduler at an address.

    Who does the work changes no bit of the results. What a worker that died has left undone is done
    again.

    >>> with Workers().running() as each:
    ...     list(each(lambda job, piece: job * piece, 10, [1, 2, 3]))
    [10, 20, 30]
    """

    jobs: int = 1
    cluster: str | None = None

    def __post_init__(self) -> None:
        require_whole(1, jobs=self.jobs)

    @contextlib.contextmanager
    def running(self) -> Iterator[Each]:
        """Give what works on pieces, while the workers are there."""
        if self.cluster is not None:
            with _client(self.cluster) as client:
                yield partial(_on_cluster, client)
        elif self.jobs > 1:
            processes = _Processes(self.jobs)
            try:
                yield processes.each
            finally:
                processes.end()
        else:
            yield _here


def _here(function: Any, job: Any, pieces: Iterable[Any]) -> Iterator[Any]:
    for piece in pieces:
        yield function(job, piece)


class _Processes:
    """Processes on this machine, which start while what they are to do is still being made."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._start()

    def _start(self) -> None:
        self._pool = ProcessPoolExecutor(self.jobs, initializer=_prepare)
        # They begin when there is something to do.
        self._pool.submit(_prepare)

    def each(self, function: Any, job: Any, pieces: Iterable[Any]) -> Iterator[Any]:
        """What :data:`Each` says."""
        with tempfile.TemporaryDirectory(prefix="askance-") as folder:
            # The job goes to each process once, not with every piece.
            place = Path(folder) / "job"
            place.write_bytes(dumps((function, job)))
            yield from self._all(partial(_work, str(place)), deque(pieces))

    def _all(self, work: Any, waiting: deque[Any]) -> Iterator[Any]:
        deaths = 0
        while waiting:
            left = len(waiting)
            try:
                yield from _in_order(partial(self._pool.submit, work), waiting, self.jobs)
            except BrokenProcessPool as error:
                deaths = 1 if len(waiting) < left else deaths + 1
                if deaths > DEATHS:
                    raise AskanceError(
                        f"workers died {deaths} times over {waiting[0]}: the memory may be short"
                    ) from error
                self._start()

    def end(self) -> None:
        """End them, whatever they are doing."""
        self._pool.shutdown(kill_workers=True)


def _prepare() -> None:
    """Load what scores rows: it takes as long as a process takes to start."""
    importlib.import_module("askance.oracles.mixture")


@functools.lru_cache(maxsize=1)
def _job(place: str) -> Any:
    return pickle.loads(Path(place).read_bytes())


def _work(place: str, piece: Any) -> Any:
    function, job = _job(place)
    return function(job, piece)


def _on_cluster(client: Any, function: Any, job: Any, pieces: Iterable[Any]) -> Iterator[Any]:
    # A result goes to each worker once, and one that was lost with its workers is made again. What
    # is scattered would be gone, and to copy it to a worker that has just died takes for ever.
    everywhere = client.submit(pickle.loads, dumps(job), pure=False)
    submit = partial(client.submit, function, everywhere, pure=False)
    threads = max(sum(client.nthreads().values()), 1)
    try:
        yield from _in_order(submit, deque(pieces), threads)
    except Exception as error:
        # Its own errors, such as KilledWorker, have nothing else in common.
        if not type(error).__module__.startswith("distributed"):
            raise
        reason = str(error).partition("\n")[0].partition(". ")[0]
        raise AskanceError(f"the Dask cluster failed ({type(error).__name__}): {reason}") from error


def _in_order(submit: Any, waiting: deque[Any], workers: int) -> Iterator[Any]:
    """Results in the order of the pieces, which wait until theirs has come."""
    rest = iter(list(waiting))
    futures = deque(submit(piece) for piece in islice(rest, AHEAD * workers))
    while futures:
        result = futures.popleft().result()
        waiting.popleft()
        futures.extend(submit(piece) for piece in islice(rest, 1))
        yield result


@contextlib.contextmanager
def _client(address: str) -> Iterator[Any]:
    try:
        from distributed import Client
    except ImportError:
        raise InvalidParameter("--cluster needs the extra: pip install 'askance[dask]'") from None
    connect: Any = Client
    try:
        client = connect(address, timeout=20)
    except (OSError, ValueError) as error:
        raise InvalidParameter(f"no Dask scheduler answers at {address}: {error}") from error
    with client:
        yield client
