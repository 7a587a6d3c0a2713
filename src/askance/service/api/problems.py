"""Errors as RFC 9457 has them: a JSON object that says what was wrong, in one sentence.

A person who asked for a page gets one with the same sentence.
"""

import logging
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from sqlalchemy.exc import DataError, SQLAlchemyError
from starlette.exceptions import HTTPException

from askance.errors import (
    AskanceError,
    InvalidParameter,
    LabelConflict,
    UnknownQuestion,
)
from askance.service.page.rendering import fault_page, is_person
from askance.service.people import Forbidden, NotAllowed
from askance.service.stream import NotWritten
from askance.service.throttle import TooOften

__all__ = ["ProblemShape", "add_problem_handlers", "not_taken", "problem", "status_of", "told"]

logger = logging.getLogger("askance.service")

_STATUS: dict[type[AskanceError], int] = {
    TooOften: 429,
    Forbidden: 403,
    NotAllowed: 401,
    UnknownQuestion: 404,
    LabelConflict: 409,
    NotWritten: 503,
    AskanceError: 422,
}
"""The first that fits counts."""


class ProblemShape(BaseModel):
    """What was wrong."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str


def problem(status: int, detail: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """A response that says what was wrong."""
    body = ProblemShape(title=HTTPStatus(status).phrase, status=status, detail=detail)
    media = "application/problem+json"
    return JSONResponse(body.model_dump(), status, headers=headers, media_type=media)


def told(
    request: Request, status: int, detail: str, headers: dict[str, str] | None = None
) -> Response:
    """What was wrong, as a page for a person and as a problem for a program."""
    if not is_person(request):
        return problem(status, detail, headers)
    page = fault_page(request, status, detail)
    page.headers.update(headers or {})
    return page


def status_of(error: AskanceError) -> int:
    """The HTTP status of an error.

    >>> status_of(LabelConflict("twice"))
    409
    """
    return next(code for kind, code in _STATUS.items() if isinstance(error, kind))


def add_problem_handlers(app: FastAPI) -> None:
    """Answer everything that goes wrong by a problem."""
    app.add_exception_handler(AskanceError, _ours)
    app.add_exception_handler(SQLAlchemyError, _not_taken)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


def _ours(request: Request, error: Any) -> Response:
    status = status_of(error)
    headers: dict[str, str] = {}
    if isinstance(error, TooOften):
        headers["Retry-After"] = str(int(error.seconds) + 1)
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return told(request, status, " ".join(str(error).split()), headers)


def _not_taken(request: Request, error: Any) -> Response:
    return _ours(request, not_taken(error))


def not_taken(error: SQLAlchemyError) -> AskanceError:
    """What is told where the database fails, such as on a full disk; the log has the rest."""
    if isinstance(error, DataError):
        # PostgreSQL has no character 0.
        return InvalidParameter("the database cannot hold what was sent, such as a character 0")
    logger.error("the database failed: %s", error)
    return NotWritten()


def _invalid(request: Request, error: Any) -> Response:
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    return told(request, 422, f"{place}: {first['msg']}")


def _http(request: Request, error: Any) -> Response:
    return told(request, error.status_code, str(error.detail), getattr(error, "headers", None))


def _unexpected(request: Request, error: Exception) -> Response:
    # Not the path: that of a one-time link is a secret.
    route = getattr(request.scope.get("route"), "path", "unknown")
    logger.error("%s %s failed", request.method, route, exc_info=error)
    return told(request, 500, "something went wrong here; the server's log says what")
