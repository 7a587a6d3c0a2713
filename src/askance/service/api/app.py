"""The application: routes, limits, errors; the page is mounted as routers of its own."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.types import ASGIApp

from askance.service.api import accounts, examples, operations, questions, streams, webhooks
from askance.service.api.gate import Gate
from askance.service.api.problems import ProblemShape, add_problem_handlers
from askance.service.running import Service

__all__ = ["create_app"]

_REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"model": ProblemShape, "content": {"application/problem+json": {}}}
    for code in (401, 403, 404, 409, 413, 422, 429, 503)
}


class _GatedApp(FastAPI):
    """An application behind the gate, which sees what every other layer answers, failures too."""

    def build_middleware_stack(self) -> ASGIApp:
        """Put the gate around everything."""
        service: Service = self.state.service
        layers = super().build_middleware_stack()
        return Gate(layers, most=service.limits.body, metrics=service.metrics)


def create_app(service: Service, pages: Sequence[APIRouter] = ()) -> FastAPI:
    """The application over an open service, with the routers of ``pages`` after the API's.

    ``app.state.service`` is the service, for whoever needs it in a route.
    """
    app = _GatedApp(
        title="askance",
        version=version("askance"),
        summary="A stream comes in, people label, the classifier goes out.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    app.state.service = service
    add_problem_handlers(app)
    for router in (
        streams.router,
        examples.router,
        questions.router,
        accounts.router,
        webhooks.router,
        operations.router,
    ):
        app.include_router(router, responses=_REFUSALS)
    for page in pages:
        app.include_router(page, include_in_schema=False)
    return app
