"""All pages as one router, with the files that they load."""

from fastapi import APIRouter, HTTPException, Response
from fastapi.responses import FileResponse

from askance.service.page import accounts, labelling, streams
from askance.service.page.rendering import STATIC

__all__ = ["page_router"]

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}

# A name that is not in this list is not looked for on the disk.
_FILES = {
    path.relative_to(STATIC).as_posix(): path
    for path in sorted(STATIC.rglob("*"))
    if path.suffix in _TYPES
}


def page_router() -> APIRouter:
    """The routes of the pages."""
    router = APIRouter(include_in_schema=False)
    for part in (accounts.router, streams.router, labelling.router):
        router.include_router(part)
    router.add_api_route("/static/{name:path}", _static)
    return router


def _static(name: str) -> Response:
    if name not in _FILES:
        raise HTTPException(404, "there is no such file")
    path = _FILES[name]
    # A browser asks each time whether the file has changed, so an update shows at once.
    headers = {"Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"}
    return FileResponse(path, media_type=_TYPES[path.suffix], headers=headers)
