import json

import pytest

from askance.checks.comparing import same
from askance.data.reading.intake import Reading
from askance.errors import FileUnreadable, InvalidParameter
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


def test_scales_are_settled_and_survive_a_journal(mail):
    settled = Settings().settled(mail)
    assert settled.scales["rows"] == 200
    again = Settings.from_state(json.loads(json.dumps(settled.as_state())))
    assert again == settled
    assert same(again.learner().features.get_state(), settled.learner().features.get_state())
    off = Settings(reading=Reading(scale=False)).settled(mail)
    assert off.scales is None
    assert off.learner().features.scales is None
    assert (settled.by_name()["scale"], off.by_name()["scale"]) == (True, False)


SCALES = {"rows": 3, "centred": {"size": [1.0, 2.0]}, "columns": [1], "spreads": [2.0]}


@pytest.mark.parametrize(
    "damaged",
    [
        {"classes": ["a"]}, {"reading": 3}, {"reading": {"x": 1}}, {"parameters": 3}, {"y": 1},
        {"scales": 3}, {"scales": {}}, {"scales": SCALES | {"centred": {"size": [1.0, 0.0]}}},
        {"scales": SCALES | {"columns": ["a"]}}, {"scales": SCALES | {"spreads": [0.0]}},
        {"scales": SCALES | {"columns": [2**18]}}, {"scales": SCALES | {"spreads": [[2.0]]}},
    ],
)  # fmt: skip
def test_damage_is_told(damaged, refused):
    with refused(FileUnreadable, "the settings of a labelling are damaged"):
        Settings.from_state({**Settings().as_state(), **damaged})


def test_a_class_that_no_file_can_hold_is_refused(refused):
    with refused(InvalidParameter, "must be valid Unicode text, got '\\udcff'"):
        Settings(classes=("no", "\udcff"))


def test_a_setting_has_the_name_of_its_option():
    settings = Settings(classes=("ham", "spam"), parameters={"c0": 0.5}, seed=3)
    named = settings.by_name()
    assert (named["positive"], named["negative"], named["c0"], named["seed"]) == (
        "spam",
        "ham",
        0.5,
        3,
    )
    ignoring = Settings(reading=Reading(label="y", ignore=("b",)).unlabelled()).by_name()
    assert ignoring["label"] == ignoring["ignore"] == ["b", "y"]


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
