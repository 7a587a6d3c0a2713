"""Who looks at a page, what they may see and do, and what they are told when it goes wrong."""

from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from fastapi.routing import APIRoute
from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import FormData

from askance.errors import AskanceError
from askance.service.api.accounts import set_cookie
from askance.service.api.callers import COOKIE, CSRF_HEADER, InService
from askance.service.api.problems import not_taken, problem, status_of
from askance.service.page.rendering import fault_page, is_person, rendered
from askance.service.people import Forbidden, NotAllowed, SignedIn
from askance.service.running import Service
from askance.service.session import UnknownStream
from askance.service.settings import StreamSettings

__all__ = [
    "AdminForm",
    "AdminPage",
    "PageRoute",
    "Signed",
    "SignedCall",
    "SignedForm",
    "Visitor",
    "no_such_page",
    "pages",
    "stay_signed_in",
]


class _SignedOut(NotAllowed):
    """Nobody is signed in."""


class Visitor:
    """Somebody who is signed in, with the service behind the page."""

    def __init__(self, signed_in: SignedIn, service: Service, address: str) -> None:
        self.signed_in, self.address = signed_in, address
        self.session, self.people, self.limits = service.session, service.people, service.limits
        self.webhooks = service.webhooks
        self.id, self.name = signed_in.account.id, signed_in.account.name
        self.is_admin = signed_in.account.role == "admin"
        self.form = FormData()

    def settings(self, stream: str) -> StreamSettings:
        """The settings of a stream that they may use."""
        if not self.signed_in.account.may_use(stream):
            raise UnknownStream(f"no stream has the id {stream!r:.40}")
        return self.session.stream(stream).settings

    def streams(self) -> list[str]:
        """The streams that they may use."""
        return [id for id in self.session.streams() if self.signed_in.account.may_use(id)]

    def name_of(self, stream: str) -> str:
        """What people call a stream, also if it cannot be read."""
        try:
            return self.settings(stream).name
        except Exception:
            first = next(iter(self.session.log.read(stream, 0, 1)), None)
            return stream if first is None else str(first.data["settings"]["name"])

    def page(
        self,
        template: str,
        context: Mapping[str, Any],
        *,
        hosts: Sequence[str] = (),
        status: int = 200,
    ) -> Response:
        """A page for them."""
        known = {"person": self} | dict(context)
        return rendered(template, known, csrf=self.signed_in.csrf, hosts=hosts, status=status)

    def text(self, name: str) -> str:
        """A field of the form that they sent."""
        value = self.form.get(name, "")
        return value.strip() if isinstance(value, str) else ""


def _reader(request: Request, service: InService) -> Visitor:
    try:
        signed_in = service.people.of_cookie(request.cookies.get(COOKIE, ""))
    except NotAllowed:
        raise _SignedOut("you are not signed in") from None
    service.rate.take(signed_in.account.id)
    visitor = Visitor(signed_in, service, str(request.base_url).rstrip("/"))
    request.state.visitor = visitor
    return visitor


Signed = Annotated[Visitor, Depends(_reader)]
"""Somebody who is signed in."""


def _writer(
    visitor: Signed, token: Annotated[str | None, Header(alias=CSRF_HEADER)] = None
) -> Visitor:
    visitor.people.check_csrf(visitor.signed_in, token)
    return visitor


SignedCall = Annotated[Visitor, Depends(_writer)]
"""Somebody whose script sent the token of their session."""


async def _form(request: Request, visitor: Signed) -> AsyncIterator[Visitor]:
    async with request.form() as visitor.form:
        visitor.people.check_csrf(visitor.signed_in, visitor.text("csrf"))
        yield visitor


SignedForm = Annotated[Visitor, Depends(_form)]
"""Somebody who sent a form of their session."""


def _admin(visitor: Signed) -> Visitor:
    if not visitor.is_admin:
        raise Forbidden("this is for admins")
    return visitor


AdminPage = Annotated[Visitor, Depends(_admin)]
"""An admin."""


def _admin_form(visitor: SignedForm) -> Visitor:
    return _admin(visitor)


AdminForm = Annotated[Visitor, Depends(_admin_form)]
"""An admin who sent a form of their session."""


class PageRoute(APIRoute):
    """A route whose failures are told on a page, or to the script that called."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap the handler."""
        handle = super().get_route_handler()

        async def told(request: Request) -> Response:
            try:
                return await handle(request)
            except AskanceError as error:
                return _told(request, error)
            except SQLAlchemyError as error:
                return _told(request, not_taken(error))
            except RequestValidationError:
                return fault_page(request, 422, "what was sent could not be read")

        return told


def _told(request: Request, error: AskanceError) -> Response:
    if isinstance(error, _SignedOut) and "hx-request" not in request.headers:
        return RedirectResponse("/sign-in", 303)
    return fault_page(request, status_of(error), str(error))


def no_such_page(request: Request, error: Exception) -> Response:
    """Tell a person that nothing is at an address, and a program in its own way."""
    if is_person(request):
        return fault_page(request, 404, "there is no such page")
    return problem(404, str(getattr(error, "detail", "not found")))


def pages() -> APIRouter:
    """A router for pages, which are no part of the API."""
    return APIRouter(include_in_schema=False, route_class=PageRoute)


def stay_signed_in(request: Request, signed_in: SignedIn) -> Response:
    """Go to the streams with a cookie that scripts, and pages of others, cannot use."""
    response = RedirectResponse("/", 303)
    set_cookie(request, response, signed_in.cookie)
    return response
