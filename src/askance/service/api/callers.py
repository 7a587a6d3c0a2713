"""Who calls: a token of a program or the cookie of a browser, with its role and its streams."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Annotated, Any

from fastapi import Depends, Path, Request, Response, Security
from fastapi.concurrency import run_in_threadpool
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer

from askance.service.people import Account, Forbidden, NotAllowed, Role, SignedIn
from askance.service.running import Service

__all__ = [
    "COOKIE",
    "CSRF_HEADER",
    "Admin",
    "Anybody",
    "CallerRoute",
    "InService",
    "Labeller",
    "Sender",
    "StreamId",
    "signed_in",
]

COOKIE = "askance"
CSRF_HEADER = "X-CSRF-Token"

_SAFE = ("GET", "HEAD", "OPTIONS")

_bearer = HTTPBearer(auto_error=False, description="A token that an admin made.")
_cookie = APIKeyCookie(name=COOKIE, auto_error=False, description="A browser that has signed in.")


# What needs no database is async: else FastAPI hands each of these to a thread, for each request.


async def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


InService = Annotated[Service, Depends(_service)]


def signed_in(request: Request, service: Service) -> SignedIn:
    """The browser that calls, or refuse; with a form token where something is changed."""
    cookie = request.cookies.get(COOKIE)
    if not cookie:
        raise NotAllowed("sign in first, or send a token")
    found = service.people.of_cookie(cookie)
    if request.method not in _SAFE:
        service.people.check_csrf(found, request.headers.get(CSRF_HEADER))
    return found


async def _account(request: Request) -> Account:
    """Who calls, looked up once for each request."""
    found: Account | None = getattr(request.state, "caller", None)
    if found is None:
        service, token = await _service(request), await _bearer(request)
        found = None if token is None else service.people.remembered(token.credentials)
        if found is None:
            found = await run_in_threadpool(_looked_up, request, service, token)
        service.rate.take(found.id)
        request.state.caller = found
    return found


async def _caller(
    request: Request,
    token: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
    cookie: Annotated[str | None, Security(_cookie)],
) -> Account:
    return await _account(request)


class CallerRoute(APIRoute):
    """A route that finds out who calls before it reads what was sent.

    FastAPI would parse the whole of it first, also for nobody.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap the handler, unless the route is for everybody."""
        handle = super().get_route_handler()
        if not _asks_who_calls(self.dependant):
            return handle

        async def known(request: Request) -> Response:
            await _account(request)
            return await handle(request)

        return known


def _asks_who_calls(dependant: Dependant) -> bool:
    return dependant.call is _caller or any(map(_asks_who_calls, dependant.dependencies))


def _looked_up(
    request: Request, service: Service, token: HTTPAuthorizationCredentials | None
) -> Account:
    if token is not None:
        return service.people.of_token(token.credentials)
    return signed_in(request, service).account


def _with_role(*roles: Role) -> Callable[..., Awaitable[Account]]:
    async def check(account: Annotated[Account, Depends(_caller)]) -> Account:
        if account.role not in (*roles, "admin"):
            wanted = " or ".join((*roles, "admin"))
            raise Forbidden(f"this is for an account of the role {wanted}, got {account.role}")
        return account

    return check


async def _stream(
    stream: Annotated[str, Path(max_length=32)], account: Annotated[Account, Depends(_caller)]
) -> str:
    if not account.may_use(stream):
        raise Forbidden("this account may not use this stream")
    return stream


Anybody = Annotated[Account, Depends(_with_role("annotator", "application"))]
Labeller = Annotated[Account, Depends(_with_role("annotator"))]
Sender = Annotated[Account, Depends(_with_role("application"))]
Admin = Annotated[Account, Depends(_with_role())]
StreamId = Annotated[str, Depends(_stream)]
