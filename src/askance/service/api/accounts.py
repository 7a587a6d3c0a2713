"""Routes: signing in, accounts, tokens and links."""

from typing import Annotated, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from askance.service.api.callers import COOKIE, Admin, Anybody, CallerRoute, InService, signed_in
from askance.service.people import SIGNED_IN, Account

__all__ = ["AccountShape", "router", "set_cookie"]

router = APIRouter(prefix="/api/v1", tags=["accounts"], route_class=CallerRoute)

Name = Annotated[str, Field(min_length=1, max_length=200)]
Password = Annotated[str, Field(min_length=1, max_length=200)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SignInShape(_Strict):
    """A name and a password."""

    name: Name
    password: Password


class NewAccountShape(_Strict):
    """A new account; without a password it can use tokens only."""

    name: Name
    role: Literal["annotator", "application", "admin"]
    password: Annotated[str, Field(min_length=8, max_length=200)] | None = None
    streams: list[str] | None = None


class LinkShape(_Strict):
    """Who may make an account of their own by a link."""

    role: Literal["annotator", "application", "admin"]
    streams: list[str] | None = None


class SecretShape(BaseModel):
    """A secret, which is shown this once."""

    secret: str


class AccountShape(BaseModel):
    """An account."""

    id: str
    name: str
    role: str
    streams: list[str] | None
    active: bool


class CsrfShape(BaseModel):
    """The token that a browser sends with what it changes."""

    csrf: str


def _shape(account: Account) -> AccountShape:
    return AccountShape(**account._asdict())


def set_cookie(request: Request, response: Response, cookie: str) -> None:
    """Let a browser stay signed in; no script can read it, and no other site's form sends it."""
    # What came over TLS, or through a proxy that says so, is answered by a cookie for TLS only.
    secure = request.url.scheme == "https"
    # A link in a letter, to a stream, should find who follows it signed in: not "strict".
    response.set_cookie(
        COOKIE, cookie, max_age=int(SIGNED_IN), httponly=True, samesite="lax", secure=secure
    )


@router.post("/sign-in")
def sign_in(
    shape: SignInShape, service: InService, request: Request, response: Response
) -> CsrfShape:
    """Sign a browser in: a cookie, and the token that it sends in X-CSRF-Token."""
    address = request.client.host if request.client is not None else ""
    found = service.people.sign_in(shape.name, shape.password, address)
    set_cookie(request, response, found.cookie)
    return CsrfShape(csrf=found.csrf)


@router.post("/sign-out", status_code=204)
def sign_out(request: Request, service: InService, response: Response) -> None:
    """End the session of a browser."""
    service.people.sign_out(signed_in(request, service).cookie)
    response.delete_cookie(COOKIE)


@router.get("/me")
def me(account: Anybody) -> AccountShape:
    """Who calls."""
    return _shape(account)


@router.get("/accounts")
def accounts(service: InService, admin: Admin) -> list[AccountShape]:
    """All accounts."""
    return [_shape(account) for account in service.people.accounts()]


@router.post("/accounts", status_code=201)
def add(shape: NewAccountShape, service: InService, admin: Admin) -> AccountShape:
    """Add an account."""
    streams = None if shape.streams is None else tuple(shape.streams)
    return _shape(service.people.add(shape.name, shape.role, shape.password, streams))


@router.delete("/accounts/{id}", status_code=204)
def close(id: str, service: InService, admin: Admin) -> None:
    """Close an account; its tokens and browsers end at once."""
    service.people.deactivate(service.people.known(id).id)


@router.post("/accounts/{id}/tokens", status_code=201)
def make_token(id: str, service: InService, admin: Admin) -> SecretShape:
    """Make a token for an account. It is shown once."""
    return SecretShape(secret=service.people.make_token(service.people.known(id).id))


@router.delete("/accounts/{id}/tokens", status_code=204)
def end_tokens(id: str, service: InService, admin: Admin) -> None:
    """End all tokens of an account."""
    service.people.end_tokens(service.people.known(id).id)


@router.post("/links", status_code=201)
def make_link(shape: LinkShape, service: InService, admin: Admin) -> SecretShape:
    """Make a one-time link: its secret belongs behind /enter/."""
    streams = None if shape.streams is None else tuple(shape.streams)
    return SecretShape(secret=service.people.make_link(shape.role, streams))
