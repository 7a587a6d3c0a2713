"""Refits in a process of their own, which gives way to everything else and dies with the server."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from threadpoolctl import threadpool_limits

__all__ = ["Refits"]

_NICE = 19
"""The lowest priority."""


class Refits(Executor):
    """One spawned process that fits, with one thread, after all others had their turn.

    If it dies, the next fit starts another one. ``nice`` is how much it gives way.

    >>> refits = Refits()
    >>> refits.submit(abs, -3).result()
    3
    >>> refits.shutdown()
    """

    def __init__(self, nice: int = _NICE) -> None:
        self._nice = nice
        self.closed = False
        self._lock = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None
        self._process: Future[int]

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Call ``fn`` there; nothing comes of it after :meth:`shutdown`."""
        with self._lock:
            if self.closed:
                nothing: Future[Any] = Future()
                nothing.cancel()
                return nothing
            if self._pool is not None:
                with contextlib.suppress(BrokenProcessPool):
                    return self._pool.submit(fn, *args, **kwargs)
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(
                1, mp_context=context, initializer=_settle_down, initargs=(self._nice,)
            )
            self._process = self._pool.submit(os.getpid)
            return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the process; without ``wait`` at once, since a fit can be begun again any time."""
        with self._lock:
            self.closed = True
            if self._pool is None:
                return
            self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)
            if not wait:
                with contextlib.suppress(ProcessLookupError, BrokenProcessPool):
                    os.kill(self._process.result(), signal.SIGTERM)
            self._pool = None


def _settle_down(nice: int) -> None:
    """Take one core at most, last in the line, and leave with the parent."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    # What the main module has imported is imported here before this is called, and read no names.
    threadpool_limits(1)
    # An interrupt goes to the whole group: the server ends this process in its own time.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError, AttributeError):
        os.nice(nice)
    threading.Thread(target=_leave_with_the_parent, daemon=True).start()


def _leave_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
