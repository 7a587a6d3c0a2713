"""Routes: is it alive, and how is it."""

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST

from askance.service.api.callers import CallerRoute, InService, Sender

__all__ = ["router"]

router = APIRouter(tags=["operations"], route_class=CallerRoute)


@router.get("/healthz")
def healthz(service: InService) -> dict[str, str]:
    """Whether the server and its database answer."""
    service.session.streams()
    return {"status": "ok"}


@router.get("/metrics", response_class=Response)
def metrics(service: InService, account: Sender) -> Response:
    """What Prometheus collects, with a token of an application or an admin."""
    return Response(service.metrics.text(), media_type=CONTENT_TYPE_LATEST)
