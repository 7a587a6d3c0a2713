import dataclasses

from askance.service.api.shapes import OfferedShape, StatusShape, StreamShape
from askance.service.offering import Offered
from askance.service.settings import StreamSettings
from askance.types import StreamStatus


def test_shapes_have_the_fields_of_what_they_show():
    assert set(StatusShape.model_fields) == {f.name for f in dataclasses.fields(StreamStatus)}
    assert tuple(OfferedShape.model_fields) == Offered._fields


def test_a_stream_has_the_same_defaults_everywhere():
    shape = StreamShape(name="a", classes=["n", "y"])
    settings = StreamSettings(name="a", classes=("n", "y"))
    assert StreamSettings.from_json(shape.model_dump()) == settings
    internal = {"demo"}
    assert (
        set(StreamShape.model_fields) == {f.name for f in dataclasses.fields(settings)} - internal
    )
