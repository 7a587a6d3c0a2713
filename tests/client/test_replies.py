"""Client and service do not know each other: what they say must fit all the same."""

import dataclasses
import math

import pytest

from askance.client import replies
from askance.client.replies import as_status
from askance.service.api import shapes
from askance.types import Agreement, StreamStatus


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (replies.AnswerReceipt, shapes.ReceiptShape),
        (replies.OfferedExample, shapes.OfferedShape),
        (replies.PastAnswer, shapes.HistoryShape),
        (replies.PredictedClass, shapes.PredictionShape),
        (replies.WaitingQuestion, shapes.QuestionShape),
        (replies.WaitingQuestions, shapes.QuestionsShape),
        (Agreement, shapes.AgreementShape),
    ],
)
def test_replies_have_the_fields_that_the_service_sends(mine, theirs):
    assert mine._fields == tuple(theirs.model_fields)


def test_an_estimate_that_is_none_is_nan():
    fields = {field.name: 0 for field in dataclasses.fields(StreamStatus)}
    error = {"estimate": None, "low": 0.0, "high": 1.0, "level": 0.95, "of": "a", "holds": "b"}
    found = as_status(fields | {"error": error}).error
    assert found is not None
    assert math.isnan(found.estimate)
    assert (found.low, found.high) == (0.0, 1.0)
    assert as_status(fields | {"error": None}).error is None
