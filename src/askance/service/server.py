"""The server process: uvicorn over an open service, until it is told to stop."""

import contextlib
import ctypes
import gc
import logging
import signal
import socket
from types import FrameType
from typing import NoReturn

import uvicorn

from askance.service.api.app import create_app
from askance.service.logs import log_to
from askance.service.page.router import page_router
from askance.service.page.visitors import no_such_page
from askance.service.running import Service

__all__ = ["give_memory_back", "keep_for_good", "make_server", "run_server"]

STOPPING = 10
"""Seconds that requests may take to end when the server stops."""


_MALLOC = {-8: 2, -3: 2**18, -1: 2**20}
"""Settings of the GNU C library: at most two heaps, none for large blocks, and trimmed early."""


def give_memory_back() -> None:
    """Let the C library return what is freed; where it is not GNU's, nothing happens.

    Else each of the many threads of a server has a heap of its own, which keeps the largest state
    that was ever saved there: memory would grow for hours and never shrink.
    """
    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        for setting, value in _MALLOC.items():
            mallopt(setting, value)


def keep_for_good() -> None:
    """Let the garbage collector never look again at what there is now: modules, most of it.

    A collection of all objects stops every thread, for 0.15 seconds where SciPy is loaded.
    """
    gc.collect()
    gc.freeze()


def make_server(service: Service) -> uvicorn.Server:
    """A server that is not running yet."""
    app = create_app(service, [page_router()])
    app.add_exception_handler(404, no_such_page)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=STOPPING,
    )
    return uvicorn.Server(config)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)


def run_server(service: Service, listener: socket.socket) -> None:
    """Serve at a socket, until SIGINT or SIGTERM; requests under way are answered first."""
    handler = log_to()
    give_memory_back()
    service.session.warm_up(keep_for_good)
    # uvicorn raises a signal once more after it has stopped: that must not end the process at
    # once, since the service is still to be closed.
    before = signal.signal(signal.SIGTERM, _leave)
    try:
        make_server(service).run(sockets=[listener])
    finally:
        signal.signal(signal.SIGTERM, before)
        for name in ("askance", "uvicorn.error"):
            logging.getLogger(name).removeHandler(handler)
