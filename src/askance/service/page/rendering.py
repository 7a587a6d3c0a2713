"""Templates, and the headers under which a browser runs no script but those of this server."""

import secrets
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import Request, Response
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

__all__ = ["STATIC", "fault_page", "is_person", "page_headers", "rendered", "sentence"]

HERE = Path(__file__).parent
STATIC = HERE / "static"

_TEMPLATES = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def sentence(text: str) -> str:
    """An error as people read it: with a capital, unless it begins with a name, and a full stop.

    >>> sentence("name must be text"), sentence("mail.csv has two columns named id")
    ('Name must be text.', 'mail.csv has two columns named id.')
    """
    first = text.split(" ", 1)[0].rstrip(",:;")
    capital = text[:1].upper() if first.isalpha() else text[:1]
    return capital + text[1:] + ("" if text.endswith((".", "!", "?", "…")) or not text else ".")


_TEMPLATES.filters["sentence"] = sentence
_TEMPLATES.globals["static"] = lambda name: f"/static/{name}"


def page_headers(nonce: str, hosts: Sequence[str] = ()) -> dict[str, str]:
    """The headers of a page: scripts with this nonce, pictures from these hosts, nothing else.

    >>> "unsafe" in page_headers("abc")["Content-Security-Policy"]
    False
    """
    pictures = " ".join(["'self'", "data:", *(f"https://{host}" for host in hosts)])
    policy = {
        "default-src": "'none'",
        "script-src": f"'nonce-{nonce}'",
        "style-src": "'self'",
        "img-src": pictures,
        "connect-src": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "htmx askance",
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "Cache-Control": "no-store",
        "Referrer-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Opener-Policy": "same-origin",
    }


def rendered(
    template: str,
    context: Mapping[str, Any],
    *,
    csrf: str | None = None,
    hosts: Sequence[str] = (),
    status: int = 200,
) -> HTMLResponse:
    """A page of a template; everything that it is given is escaped.

    >>> page = rendered("fault.html", {"person": None, "title": "No", "fault": "<script>"})
    >>> b"&lt;script&gt;" in page.body, b"<script>" in page.body
    (True, False)
    """
    nonce = secrets.token_urlsafe(16)
    field = Markup('<input type="hidden" name="csrf" value="{}">').format(csrf or "")
    text = _TEMPLATES.get_template(template).render(
        {"here": "", "fault": "", "nonce": nonce, "csrf": csrf, "csrf_field": lambda: field}
        | dict(context)
    )
    return HTMLResponse(text, status, page_headers(nonce, hosts))


def is_person(request: Request) -> bool:
    """Whether a browser asks for a page, rather than a program for something else."""
    wants_page = "text/html" in request.headers.get("accept", "")
    return wants_page and not request.url.path.startswith("/api/")


def fault_page(request: Request, status: int, fault: str) -> Response:
    """A page that says what went wrong, with the way elsewhere for who is signed in."""
    context = {"title": HTTPStatus(status).phrase, "fault": fault}
    visitor = getattr(request.state, "visitor", None)
    if visitor is not None:
        page: Response = visitor.page("fault.html", context, status=status)
        return page
    return rendered("fault.html", {"person": None, **context}, status=status)
