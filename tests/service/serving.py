"""A server on the loopback, in a thread, and clients that are signed in by token."""

import contextlib
import socket
import threading
from collections.abc import Iterator

import httpx

from askance.service.running import Service
from askance.service.server import make_server


@contextlib.contextmanager
def served(service: Service) -> Iterator[str]:
    """Serve at a free port; the address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = make_server(service)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def client(address: str, service: Service, role: str, name: str | None = None, streams=None):
    """A client with the token of a new account."""
    account = service.people.add(name or role, role, streams=streams)
    token = service.people.make_token(account.id)
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.Client(base_url=f"{address}/api/v1", headers=headers, timeout=30)
