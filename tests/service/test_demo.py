import base64

import numpy as np
import pytest
from sklearn.datasets import load_digits

from askance.service.demo import DEMOS, answer_for, make_demo, picture


def test_a_picture_is_a_png():
    head, _, content = picture(np.arange(64) / 4).partition(",")
    assert head == "data:image/png;base64"
    assert base64.b64decode(content).startswith(b"\x89PNG")


def test_the_demo_answers_for_itself(session):
    stream = make_demo(session)
    assert answer_for(session, stream, "ann", 5) == 5
    status = session.status(stream)
    assert status.answered == 5
    question = session.lease(stream, "ann")[0]
    assert question.record.keys() == {"picture"}
    assert sum(status.classes.values()) == 5


@pytest.mark.parametrize("demo", DEMOS)
def test_labels_are_those_of_the_digits(session, demo):
    stream = make_demo(session, demo)
    answer_for(session, stream, "ann", 8)
    targets = load_digits().target
    for entry in session.history(stream):
        digit = targets[int(entry.id)]
        assert entry.outcome == (str(digit) if demo == "digits" else ("even", "odd")[digit % 2])
