"""Who may do what: accounts with roles, their tokens, their signed-in browsers, one-time links."""

import json
import time
import uuid
from typing import Any, Literal, NamedTuple, get_args

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from askance.errors import AskanceError, InvalidParameter, UnknownQuestion
from askance.service.passwords import digest, hashed_password, is_password, make_token, same_secret
from askance.service.schema import accounts, keys
from askance.service.stream import Clock
from askance.service.throttle import MOST_REMEMBERED, Throttle

__all__ = ["Account", "Forbidden", "NotAllowed", "People", "Role", "SignedIn"]

Role = Literal["annotator", "application", "admin"]
"""Who answers, what sends examples and fetches predictions, and who may do all."""

SIGNED_IN = 14 * 86400.0
"""Seconds for which a browser stays signed in."""

LINK = 7 * 86400.0
"""Seconds for which a one-time link can be used."""


_FIRST = {"role": "admin", "streams": None, "first": True}
"""What the link of the first admin holds."""


class NotAllowed(AskanceError):
    """Somebody is not known, or may not do this."""


class Forbidden(NotAllowed):
    """Somebody is known and may not do this."""


class Account(NamedTuple):
    """Somebody, or a program; ``streams`` are all that it may use, None is all there are."""

    id: str
    name: str
    role: Role
    streams: tuple[str, ...] | None = None
    active: bool = True

    def may_use(self, stream: str) -> bool:
        """Whether a stream is one of its own."""
        return self.streams is None or stream in self.streams


class SignedIn(NamedTuple):
    """A browser that has signed in: the secret of its cookie, and the token of its forms."""

    account: Account
    cookie: str
    csrf: str


class People:
    """The accounts of a database.

    >>> import tempfile
    >>> from askance.service.database import connect, migrate
    >>> engine = connect(f"sqlite:///{tempfile.mkdtemp()}/a.db")
    >>> migrate(engine)
    >>> people = People(engine)
    >>> link = people.make_link("admin")
    >>> signed_in = people.redeem(link, "ann", "correct horse")
    >>> people.of_cookie(signed_in.cookie).account.name
    'ann'
    """

    def __init__(self, engine: sa.Engine, clock: Clock = time.time) -> None:
        self._engine, self._clock = engine, clock
        self.throttle = Throttle(clock)
        # Accounts by the digest of a token: one server changes them, and then begins a new dict.
        # Who looked a token up before that writes it into the old one, which nobody reads.
        self._known: dict[str, Account] = {}

    # ------------------------------------------------------------------ accounts

    def add(
        self,
        name: str,
        role: str,
        password: str | None = None,
        streams: tuple[str, ...] | None = None,
    ) -> Account:
        """Add an account; without a password it can use tokens only."""
        _check(name, role)
        hashed = None if password is None else hashed_password(password)
        id = uuid.uuid4().hex[:12]
        row = {
            "id": id,
            "name": name,
            "role": role,
            "password": hashed,
            "streams": None if streams is None else json.dumps(streams),
            "active": True,
        }
        try:
            with self._engine.begin() as connection:
                connection.execute(accounts.insert(), row)
        except IntegrityError:
            raise InvalidParameter(f"there is an account {name!r:.60} already") from None
        return self.account(id)

    def account(self, id: str) -> Account:
        """The account of an id."""
        with self._engine.connect() as connection:
            row = connection.execute(accounts.select().where(accounts.c.id == id)).first()
        if row is None:
            raise NotAllowed("there is no such account")
        return _account(row)

    def known(self, id: str) -> Account:
        """The account that an admin names."""
        try:
            return self.account(id)
        except NotAllowed:
            raise UnknownQuestion(f"no account has the id {id!r:.40}") from None

    def accounts(self) -> list[Account]:
        """All accounts, by name."""
        with self._engine.connect() as connection:
            return [
                _account(r) for r in connection.execute(accounts.select().order_by(accounts.c.name))
            ]

    def has_admin(self) -> bool:
        """Whether somebody can sign in who may do all."""
        return any(account.role == "admin" and account.active for account in self.accounts())

    def deactivate(self, id: str) -> None:
        """Let an account do nothing more; all its tokens and browsers end."""
        with self._engine.begin() as connection:
            connection.execute(accounts.update().where(accounts.c.id == id).values(active=False))
            connection.execute(keys.delete().where(keys.c.account == id))
        self._forget_tokens()

    # ------------------------------------------------------------------ signing in

    def sign_in(self, name: str, password: str, address: str) -> SignedIn:
        """Sign a browser in; failures make the next tries wait, by name and by address."""
        mine, whence = f"name:{name}", f"address:{address}"
        self.throttle.admit(mine, whence)
        with self._engine.connect() as connection:
            row = connection.execute(accounts.select().where(accounts.c.name == name)).first()
        good = is_password(password, None if row is None else row.password)
        if row is None or not good or not row.active:
            raise NotAllowed("the name or the password is wrong")
        self.throttle.forget(mine)
        # What was tried from there with other names was not forgotten by knowing one.
        self.throttle.forgive(whence)
        return self._signed_in(_account(row))

    def make_link(self, role: str, streams: tuple[str, ...] | None = None) -> str:
        """The secret of a one-time link, with which somebody makes an account of their own."""
        _check("a", role)
        return self._keep("link", None, {"role": role, "streams": streams}, LINK)

    def make_first_link(self) -> str | None:
        """A one-time link for the first admin, in place of those before; None if there is one."""
        first = (keys.c.kind == "link") & (keys.c.data == json.dumps(_FIRST))
        with self._engine.begin() as connection:
            connection.execute(keys.delete().where(first))
        return None if self.has_admin() else self._keep("link", None, _FIRST, LINK)

    def check_link(self, link: str) -> None:
        """Refuse a link that was used or is too old."""
        self._link(link)

    def _link(self, link: str) -> Any:
        row = self._found(link, "link")
        if "first" in json.loads(row.data) and self.has_admin():
            raise NotAllowed("this link was for the first admin, and there is one")
        return row

    def redeem(self, link: str, name: str, password: str) -> SignedIn:
        """Make an account by a one-time link, and sign in."""
        row = self._link(link)
        data = json.loads(row.data)
        streams = None if data["streams"] is None else tuple(data["streams"])
        # The account first: a name that is taken does not use the link up.
        account = self.add(name, data["role"], password, streams)
        with self._engine.begin() as connection:
            used = connection.execute(keys.delete().where(keys.c.digest == row.digest)).rowcount
        if not used:
            self.deactivate(account.id)
            raise NotAllowed("this link was used already")
        return self._signed_in(account)

    def _signed_in(self, account: Account) -> SignedIn:
        csrf = make_token()
        return SignedIn(account, self._keep("browser", account.id, {"csrf": csrf}, SIGNED_IN), csrf)

    def of_cookie(self, cookie: str) -> SignedIn:
        """Who a browser is."""
        row = self._found(cookie, "browser")
        return SignedIn(self._active(row.account), cookie, json.loads(row.data)["csrf"])

    def check_csrf(self, signed_in: SignedIn, token: str | None) -> None:
        """Refuse a form that is not of this browser's session."""
        if token is None or not same_secret(token, signed_in.csrf):
            raise Forbidden("the form is too old or not from here: load the page again")

    def sign_out(self, cookie: str) -> None:
        """End the session of a browser."""
        with self._engine.begin() as connection:
            connection.execute(keys.delete().where(keys.c.digest == digest(cookie)))

    # ------------------------------------------------------------------ tokens

    def make_token(self, account: str) -> str:
        """A token for a program; it is shown once, and only its digest is kept."""
        return self._keep("token", self.account(account).id, {}, None)

    def of_token(self, token: str) -> Account:
        """Whose token this is."""
        made, known = digest(token), self._known
        account = known.get(made)
        if account is None:
            account = self._active(self._found(token, "token").account)
            if len(known) < MOST_REMEMBERED:
                known[made] = account
        return account

    def remembered(self, token: str) -> Account | None:
        """Whose token this is, if that is known without the database."""
        return self._known.get(digest(token))

    def end_tokens(self, account: str) -> None:
        """End all tokens of an account."""
        with self._engine.begin() as connection:
            mine = (keys.c.account == account) & (keys.c.kind == "token")
            connection.execute(keys.delete().where(mine))
        self._forget_tokens()

    def _forget_tokens(self) -> None:
        self._known = {}

    # ------------------------------------------------------------------ keys

    def _keep(
        self, kind: str, account: str | None, data: dict[str, Any], span: float | None
    ) -> str:
        secret, now = make_token(), self._clock()
        row = {
            "digest": digest(secret),
            "kind": kind,
            "account": account,
            "data": json.dumps(data),
            "made": now,
            "expires": None if span is None else now + span,
        }
        with self._engine.begin() as connection:
            connection.execute(keys.delete().where(keys.c.expires < now))
            connection.execute(keys.insert(), row)
        return secret

    def _found(self, secret: str, kind: str) -> Any:
        chosen = (keys.c.digest == digest(secret)) & (keys.c.kind == kind)
        with self._engine.connect() as connection:
            row = connection.execute(keys.select().where(chosen)).first()
        if row is None or (row.expires is not None and row.expires < self._clock()):
            raise NotAllowed(f"this {kind} is not known here, or has ended")
        return row

    def _active(self, id: str) -> Account:
        account = self.account(id)
        if not account.active:
            raise NotAllowed("this account was closed")
        return account


def _account(row: Any) -> Account:
    streams = None if row.streams is None else tuple(json.loads(row.streams))
    return Account(row.id, row.name, row.role, streams, row.active)


def _check(name: str, role: str) -> None:
    if not (1 <= len(name) <= 200 and name.isprintable()):
        raise InvalidParameter("a name has 1 to 200 printable characters")
    if role not in get_args(Role):
        raise InvalidParameter(f"a role is one of {', '.join(get_args(Role))}, got {role!r:.40}")
