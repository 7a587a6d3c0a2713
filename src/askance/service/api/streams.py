"""Routes: streams, their state, what they know."""

import dataclasses
import math
import re
import tempfile
import unicodedata
from pathlib import Path
from typing import Any, Literal

from fastapi import APIRouter, Response

from askance.service.api.callers import Admin, Anybody, CallerRoute, InService, Sender, StreamId
from askance.service.api.shapes import (
    AgreementShape,
    MadeStream,
    StateShape,
    StatusShape,
    StreamShape,
)
from askance.service.settings import StreamSettings
from askance.types import StreamStatus

__all__ = ["file_name", "router", "status_shape"]

router = APIRouter(prefix="/api/v1/streams", tags=["streams"], route_class=CallerRoute)

_MEDIA = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}

_EVENTS = {"running": "resumed"}


def status_shape(status: StreamStatus) -> StatusShape:
    """A status as JSON has it, which knows no NaN."""
    fields: dict[str, Any] = {f.name: getattr(status, f.name) for f in dataclasses.fields(status)}
    if status.error is not None:
        error = status.error._asdict()
        error["estimate"] = None if math.isnan(status.error.estimate) else status.error.estimate
        fields["error"] = error
    return StatusShape(**fields)


@router.post("", status_code=201)
def create(shape: StreamShape, service: InService, admin: Admin) -> MadeStream:
    """Create a stream."""
    settings = StreamSettings.from_json(shape.model_dump())
    return MadeStream(id=service.session.create(settings, admin.id), name=settings.name)


@router.get("")
def streams(service: InService, account: Anybody) -> list[StatusShape]:
    """All streams that the caller may use, with where they stand."""
    mine = [id for id in service.session.streams() if account.may_use(id)]
    return [status_shape(service.session.status(id)) for id in mine]


@router.get("/{stream}")
def one(stream: StreamId, service: InService, account: Anybody) -> StatusShape:
    """Where a stream stands, with the error of its predictions and the interval."""
    return status_shape(service.session.status(stream))


@router.get("/{stream}/chart")
def chart(stream: StreamId, service: InService, account: Anybody) -> list[dict[str, Any]]:
    """What charts show: error, interval, query rate and classes against labels."""
    return [dataclasses.asdict(point) for point in service.session.chart(stream)]


@router.put("/{stream}/state", status_code=204)
def set_state(stream: StreamId, shape: StateShape, service: InService, admin: Admin) -> None:
    """Pause a stream, let it run again, or stop it."""
    service.session.set_state(stream, _EVENTS.get(shape.state, shape.state), admin.id)


@router.get("/{stream}/agreement")
def agreement(stream: StreamId, service: InService, admin: Admin) -> AgreementShape:
    """How much people agree on the questions that several of them answered."""
    found = service.session.agreement(stream)
    pairs = [(*pair, kappa) for pair, kappa in found.pairs.items()]
    return AgreementShape(questions=found.questions, fleiss=found.fleiss, pairs=pairs)


@router.get("/{stream}/model", response_class=Response)
def model(stream: StreamId, service: InService, account: Sender) -> Response:
    """The learner as a file, which ``askance predict`` reads."""
    name = file_name(service.session.stream(stream).settings.name, stream)
    return _file(service.session.model(stream), f"{name}.askance", "application/octet-stream")


@router.get("/{stream}/labels", response_class=Response)
def labels(
    stream: StreamId,
    service: InService,
    account: Sender,
    format: Literal["csv", "parquet"] = "csv",
) -> Response:
    """The labels with weights and records. CSV has spreadsheet formulas neutralised."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"labels.{format}"
        service.session.export(stream, path)
        name = file_name(service.session.stream(stream).settings.name, stream)
        return _file(path.read_bytes(), f"{name}.{format}", _MEDIA[format])


def file_name(name: str, id: str) -> str:
    """What the files of a stream are called: its name, in characters that trip nothing over.

    >>> file_name("Mail, in/out 2026", "3f2a"), file_name("..", "3f2a"), file_name("Öl", "3f2a")
    ('Mail-in-out-2026', '3f2a', 'Ol')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    words = re.findall("[A-Za-z0-9_]+", plain)
    return "-".join(words)[:80] or id


def _file(content: bytes, name: str, media: str) -> Response:
    # The name has nothing that a header or a path could trip over.
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media, headers=headers)
