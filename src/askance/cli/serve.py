"""``askance serve``: the labelling service."""

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from askance.cli.options import AsJson, say, say_json
from askance.errors import InvalidParameter

if TYPE_CHECKING:
    from askance.service.log import SqlEventLog
    from askance.service.running import Service
    from askance.types import State

__all__ = ["replay", "serve"]

_NEEDED = (
    "the service needs more packages, of which {name} is not here: pip install 'askance[service]'"
)


Db = Annotated[
    str, typer.Option(metavar="URL", help="sqlite:///FILE or postgresql://USER@HOST/NAME.")
]
_DB = "sqlite:///askance.db"


def serve(
    db: Db = _DB,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen at; 0 takes a free one.")
    ] = 8400,
    demo: Annotated[
        bool,
        typer.Option(
            "--demo", help="Start with streams of digits to try: ten classes, or odd against even."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Serve streams: applications send examples, people label in a browser.

    Example: `askance serve --demo`
    """
    with _explained():
        from askance.service.running import opened_service
        from askance.service.server import run_server
    listener = _listener(host, port)
    address = _address(host, listener.getsockname()[1])
    with listener, opened_service(db) as service:
        if demo:
            _start_demo(service)
        first = service.people.make_first_link()
        link = None if first is None else f"{address}/enter/{first}"
        if as_json:
            say_json({"address": f"{address}/", "first_admin": link})
        else:
            say(f"askance serves at {address}/")
            if link is not None:
                say(f"The first admin signs in once by {link}")
        run_server(service, listener)


def replay(
    stream: Annotated[str | None, typer.Argument(help="A stream's id; all if not given.")] = None,
    db: Db = _DB,
    check: Annotated[
        bool, typer.Option("--check", help="Make every decision anew, and compare.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Read streams from their logs alone, and say what they hold.

    Example: `askance replay --check`
    """
    with _explained():
        from askance.service.database import read_database
        from askance.service.log import SqlEventLog
    with read_database(db) as engine, closing(SqlEventLog(engine)) as log:
        ids = [stream] if stream is not None else log.streams()
        found = [_checked(log, id) if check else _folded(log, id) for id in ids]
    if as_json:
        say_json(found)
    for one in [] if as_json else found:
        say(_line(one))
        for sentence in one.get("differences", []):
            say(f"  {sentence}")
    if any(one.get("wrong") for one in found):
        raise typer.Exit(1)


def _line(found: "State") -> str:
    if "wrong" not in found:
        return "{stream}: {events} events, {examples} examples, {labels} labels, {name}".format_map(
            found
        )
    return (
        "{stream}: {events} events, {checked} decisions and {refits} refits made anew, "
        "{unchecked} that cannot be, {wrong} differ"
    ).format_map(found)


def _checked(log: "SqlEventLog", id: str) -> "State":
    from askance.service.replay import check_stream

    report = check_stream(log, id)
    counts = ("events", "checked", "refits", "unchecked", "wrong")
    found: State = {name: getattr(report, name) for name in counts}
    return {"stream": id, **found, "differences": list(report.differences)}


def _folded(log: "SqlEventLog", id: str) -> "State":
    from askance.service.fold import Fold

    fold = Fold(log, id, cached=False)
    fold.restore()
    labels, seen = sum(fold.books.labels.values()), 0 if fold.learner is None else fold.learner.seen
    return {
        "stream": id,
        "events": fold.position,
        "examples": seen,
        "labels": labels,
        "name": fold.settings.name,
    }


@contextmanager
def _explained() -> Iterator[None]:
    """Say what to install where packages are not here."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise InvalidParameter(_NEEDED.format(name=error.name)) from None


def _listener(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        reason = error.strerror or error
        raise InvalidParameter(f"cannot listen at {host} port {port}: {reason}") from None
    # Its connections inherit this. Else a response, which is sent in two pieces, waits 40 ms for
    # the other side to acknowledge the first.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _start_demo(service: "Service") -> None:
    from askance.service.demo import DEMOS, make_demo

    if not service.session.streams():
        for demo in DEMOS:
            make_demo(service.session, demo)
