"""Routes: webhooks, for admins."""

from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from askance.service.api.callers import Admin, CallerRoute, InService

__all__ = ["router"]

router = APIRouter(prefix="/api/v1/webhooks", tags=["webhooks"], route_class=CallerRoute)


class NewWebhookShape(BaseModel):
    """Where messages should go, about what, and about which stream; null is all."""

    model_config = ConfigDict(extra="forbid")

    url: Annotated[str, Field(min_length=1, max_length=2000)]
    topics: Annotated[list[Literal["questions", "stopped"]], Field(min_length=1, max_length=2)]
    stream: Annotated[str, Field(max_length=32)] | None = None


class WebhookSecretShape(BaseModel):
    """A new webhook and its secret, which is shown this once."""

    id: str
    secret: str


class WebhookShape(BaseModel):
    """A webhook that is set."""

    id: str
    stream: str | None
    url: str
    topics: list[str]


@router.post("", status_code=201)
def add(shape: NewWebhookShape, service: InService, admin: Admin) -> WebhookSecretShape:
    """Set a webhook. An address in a private range is refused."""
    if shape.stream is not None:
        service.session.stream(shape.stream)
    id, secret = service.webhooks.add(shape.url, shape.topics, shape.stream)
    return WebhookSecretShape(id=id, secret=secret)


@router.get("")
def webhooks(service: InService, admin: Admin) -> list[WebhookShape]:
    """All webhooks."""
    return [WebhookShape(**hook._asdict()) for hook in service.webhooks.all()]


@router.delete("/{id}", status_code=204)
def remove(id: str, service: InService, admin: Admin) -> None:
    """Remove a webhook."""
    service.webhooks.remove(id)
