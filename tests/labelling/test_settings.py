import json

import pytest

from askance.data.reading.intake import Reading
from askance.errors import InvalidParameter
from askance.labelling.settings import Settings


def test_they_survive_a_journal():
    settings = Settings(
        algorithm="iwal1",
        parameters={"c0": 0.5},
        seed=4,
        classes=("ham", "spam"),
        reading=Reading(text=("body",), strings=("zip",), ignore=("y",), bits=10),
    )
    assert Settings.from_state(json.loads(json.dumps(settings.as_state()))) == settings


def test_text_columns_are_settled_once(mail):
    settled = Settings().settled(mail)
    assert settled.reading.text == ("subject",)
    assert settled.settled(mail) == settled


def test_the_learner_knows_how_files_are_read():
    learner = Settings(classes=("ham", "spam"), reading=Reading(id="key", bits=5)).learner()
    assert learner.classes == ("ham", "spam")
    assert learner.reading["id"] == "key"
    assert learner.features is not None
    assert learner.features.n_features == 32


def test_a_wrong_choice_is_refused_before_anything_is_written(mail):
    with pytest.raises(InvalidParameter, match="c0"):
        Settings(parameters={"c0": -1.0}).settled(mail)
    with pytest.raises(InvalidParameter, match="no column 'body'"):
        Settings(reading=Reading(text=("body",))).settled(mail)
