"""The server process: uvicorn over an open service, until it is told to stop."""

import logging
import socket

import uvicorn

from askance.service.api.app import create_app
from askance.service.logs import log_to
from askance.service.page.router import page_router
from askance.service.running import Service

__all__ = ["make_server", "run_server"]

STOPPING = 10
"""Seconds that requests may take to end when the server stops."""


def make_server(service: Service) -> uvicorn.Server:
    """A server that is not running yet."""
    config = uvicorn.Config(
        create_app(service, [page_router()]),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=STOPPING,
    )
    return uvicorn.Server(config)


def run_server(service: Service, listener: socket.socket) -> None:
    """Serve at a socket, until SIGINT or SIGTERM; requests under way are answered first."""
    handler = log_to()
    service.session.warm_up()
    try:
        make_server(service).run(sockets=[listener])
    finally:
        for name in ("askance", "uvicorn.error"):
            logging.getLogger(name).removeHandler(handler)
