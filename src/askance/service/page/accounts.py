"""Signing in and out, and what admins give: accounts, links, tokens, webhooks."""

from typing import Annotated

from fastapi import Form, Header, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse

from askance.errors import AskanceError
from askance.service.api.callers import COOKIE, InService
from askance.service.page.forms import listed
from askance.service.page.rendering import rendered
from askance.service.page.visitors import (
    AdminForm,
    AdminPage,
    Signed,
    SignedForm,
    Visitor,
    pages,
    stay_signed_in,
)
from askance.service.people import Forbidden, NotAllowed
from askance.service.running import Service
from askance.service.throttle import TooOften
from askance.service.webhooks import TOPICS

__all__ = ["router"]

router = pages()

Text = Annotated[str, Form()]
Site = Annotated[str, Header(alias="sec-fetch-site")]


@router.get("/sign-in")
def _sign_in_page() -> Response:
    """The form to sign in with."""
    return rendered("sign_in.html", {"person": None, "name": ""})


@router.post("/sign-in")
def _sign_in(
    request: Request, service: InService, name: Text = "", password: Text = "", site: Site = ""
) -> Response:
    """Sign in with a name and a password."""
    try:
        _check_site(site)
        signed_in = service.people.sign_in(name, password, _address(request))
    except (NotAllowed, TooOften) as error:
        context = {"person": None, "name": name, "fault": str(error)}
        return rendered("sign_in.html", context, status=403)
    return stay_signed_in(request, signed_in)


@router.get("/enter/{link}")
def _enter_page(link: str, service: InService) -> Response:
    """The form by which a one-time link becomes an account."""
    _check_link(service, link)
    return rendered("enter.html", {"person": None, "name": "", "link": link})


def _check_link(service: Service, link: str) -> None:
    try:
        service.people.check_link(link)
    except NotAllowed:
        raise NotAllowed("this link has been used or has expired") from None


@router.post("/enter/{link}")
def _enter(
    request: Request,
    service: InService,
    link: str,
    name: Text = "",
    password: Text = "",
    site: Site = "",
) -> Response:
    """Make an account by a one-time link, and sign in."""
    people, address = service.people, f"address:{_address(request)}"
    try:
        _check_site(site)
        people.throttle.check(address)
        _check_link(service, link)
        signed_in = people.redeem(link, name, password)
    except AskanceError as error:
        if isinstance(error, NotAllowed):
            people.throttle.fail(address)
        context = {"person": None, "name": name, "link": link, "fault": str(error)}
        return rendered("enter.html", context, status=403)
    return stay_signed_in(request, signed_in)


@router.post("/sign-out")
def _sign_out(visitor: SignedForm) -> Response:
    """End the session of this browser."""
    visitor.people.sign_out(visitor.signed_in.cookie)
    response = RedirectResponse("/sign-in", 303)
    response.delete_cookie(COOKIE)
    return response


@router.get("/token")
def _form_token(visitor: Signed) -> Response:
    """The token of this session: a page that is older than the session asks for it."""
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    return JSONResponse({"csrf": visitor.signed_in.csrf, "person": visitor.id}, headers=headers)


@router.get("/people")
def _people_page(visitor: AdminPage) -> Response:
    """Who has an account."""
    return _page(visitor)


@router.post("/people")
def _add(visitor: AdminForm) -> Response:
    """Add an account: of a person by a link, of a program with a token."""
    role, streams = visitor.text("role"), listed(visitor.text("streams")) or None
    try:
        if role != "application":
            link = visitor.people.make_link(role, streams)
            says = f"Send this link to the new {role}."
            return _page(visitor, says=says, secret=f"{visitor.address}/enter/{link}")
        account = visitor.people.add(visitor.text("name"), role, None, streams)
    except AskanceError as error:
        return _page(visitor, fault=str(error))
    return _with_token(visitor, account.id)


@router.post("/people/{account}/token")
def _token(account: str, visitor: AdminForm) -> Response:
    """Give a new token."""
    return _with_token(visitor, account)


@router.post("/people/{account}/end-tokens")
def _end_tokens(account: str, visitor: AdminForm) -> Response:
    """End all tokens of an account."""
    visitor.people.end_tokens(visitor.people.account(account).id)
    return RedirectResponse("/people", 303)


@router.post("/people/{account}/close")
def _close(account: str, visitor: AdminForm) -> Response:
    """Close an account; nobody can close their own."""
    if account == visitor.id:
        raise Forbidden("you cannot close your own account")
    visitor.people.deactivate(visitor.people.account(account).id)
    return RedirectResponse("/people", 303)


@router.post("/webhooks")
def _add_webhook(visitor: AdminForm) -> Response:
    """Set a webhook; its secret is shown once."""
    topics = [topic for topic in TOPICS if visitor.text(topic)]
    stream = visitor.text("stream") or None
    try:
        if stream is not None:
            visitor.settings(stream)
        _, secret = visitor.webhooks.add(visitor.text("url"), topics, stream)
    except AskanceError as error:
        return _page(visitor, fault=str(error))
    return _page(visitor, says="The secret by which messages are signed.", secret=secret)


@router.post("/webhooks/{id}/remove")
def _remove_webhook(id: str, visitor: AdminForm) -> Response:
    """Remove a webhook."""
    visitor.webhooks.remove(id)
    return RedirectResponse("/people", 303)


def _with_token(visitor: Visitor, account: str) -> Response:
    name = visitor.people.account(account).name
    return _page(visitor, says=f"A token of {name}.", secret=visitor.people.make_token(account))


def _page(visitor: Visitor, *, fault: str = "", says: str = "", secret: str = "") -> Response:
    context = {
        "here": "people",
        "hooks": visitor.webhooks.all(),
        "topics": TOPICS,
        "people": visitor.people.accounts(),
        "names": {id: visitor.name_of(id) for id in visitor.streams()},
        "says": says,
        "secret": secret,
        "fault": fault,
    }
    return visitor.page("people.html", context, status=422 if fault else 200)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _check_site(site: str) -> None:
    """Refuse a form that another site's page has sent: nobody has a token before they sign in."""
    if site not in ("", "same-origin", "none"):
        raise NotAllowed("this form was sent from another site")
