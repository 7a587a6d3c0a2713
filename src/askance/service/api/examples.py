"""Routes: examples come in, predictions go out."""

import tempfile
from collections.abc import Iterator
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Body, Query, Request, Response
from pydantic import ValidationError

from askance.data.reading.intake import Reading
from askance.errors import AskanceError, BadRecord, UnknownQuestion
from askance.service.api.callers import Admin, CallerRoute, InService, Sender, StreamId
from askance.service.api.shapes import (
    ExampleShape,
    ExamplesShape,
    KeptShape,
    OfferedShape,
    PredictionShape,
    RecordsShape,
)
from askance.service.offering import LONGEST_ID, MOST_EXAMPLES

__all__ = ["router"]

router = APIRouter(prefix="/api/v1/streams/{stream}", tags=["examples"], route_class=CallerRoute)


@router.post("/examples")
def offer(
    stream: StreamId, shape: ExamplesShape, service: InService, account: Sender
) -> list[OfferedShape]:
    """Offer a batch of examples. One that was offered before is not offered again."""
    examples = [(example.id, example.record) for example in shape.examples]
    return [OfferedShape(**o._asdict()) for o in service.session.offer(stream, examples)]


@router.post("/examples/lines", response_model=list[OfferedShape])
def offer_lines(
    stream: StreamId,
    service: InService,
    account: Sender,
    lines: Annotated[bytes, Body(media_type="application/x-ndjson")],
) -> Response:
    """Offer examples as JSON lines, one object of ``id`` and ``record`` a line."""
    # Twice: if a line cannot be read nothing happens, and few are in memory as objects at a time.
    for _ in _parsed(lines):
        pass
    examples, told = _parsed(lines), []
    while some := [(one.id, one.record) for one in islice(examples, MOST_EXAMPLES)]:
        found = service.session.offer(stream, some)
        told.append(",".join(OfferedShape(**o._asdict()).model_dump_json() for o in found))
    return Response(f"[{','.join(told)}]", media_type="application/json")


def _parsed(lines: bytes) -> Iterator[ExampleShape]:
    for number, line in enumerate(BytesIO(lines), start=1):
        if line.strip():
            try:
                yield ExampleShape.model_validate_json(line)
            except ValidationError as error:
                first = error.errors()[0]
                raise BadRecord(f"line {number}: {first['msg']}") from None


@router.post("/files")
def upload(
    stream: StreamId,
    service: InService,
    account: Sender,
    *,
    content: Annotated[bytes, Body(media_type="application/octet-stream")],
    format: Literal["csv", "tsv", "jsonl", "parquet", "libsvm", "vw"] = "csv",
    id: Annotated[str, Query(max_length=200)] | None = None,
    prefix: Annotated[str, Query(max_length=100)] = "",
) -> KeptShape:
    """Keep the records of a file, to be offered while people answer.

    ``id`` names the column of ids; else records are numbered, behind the ``prefix``.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"upload.{format}"
        path.write_bytes(content)
        try:
            kept = service.session.upload(stream, path, Reading(format=format, id=id), prefix)
        except AskanceError as error:
            if str(path) not in str(error):
                raise
            # Where it lay for a moment is nobody's business.
            raise type(error)(str(error).replace(str(path), "the file")) from None
    return KeptShape(records=kept.records)


@router.delete("/examples", status_code=204)
def erase(
    stream: StreamId,
    service: InService,
    admin: Admin,
    id: Annotated[str, Query(min_length=1, max_length=LONGEST_ID)],
) -> None:
    """Erase what an example holds, by any id; that it was there stays known."""
    service.session.erase(stream, id, admin.id)


@router.delete("/examples/{id:path}", status_code=204)
def erase_at(stream: StreamId, id: str, service: InService, admin: Admin, request: Request) -> None:
    """Erase what an example holds, by an id that can stand in a path."""
    if not request.scope["path"].endswith(f"/examples/{id}"):
        # A path that ends in a new line matches without it: that is the id of another example.
        raise UnknownQuestion("this id cannot stand in a path: send it as the parameter id")
    service.session.erase(stream, id, admin.id)


@router.post("/predictions")
def predict(
    stream: StreamId, shape: RecordsShape, service: InService, account: Sender
) -> list[PredictionShape]:
    """The class of each record, as the learner sees it now."""
    found = service.session.predict(stream, shape.records)
    return [PredictionShape(**prediction._asdict()) for prediction in found]
