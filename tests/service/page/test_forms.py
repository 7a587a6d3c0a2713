import pytest
from starlette.datastructures import FormData

from askance.errors import InvalidParameter
from askance.service.page.forms import StreamForm, listed

MAIL = {"name": "mail", "classes": "ham\r\nspam\r\n", "total": "1,000", "horizon": "20000"}


def test_a_total_with_the_number_of_examples():
    settings = StreamForm.of(FormData(MAIL)).settings()
    assert settings.classes == ("ham", "spam")
    assert (settings.total, settings.horizon, settings.rate) == (1000, 20000, None)
    assert not settings.opinion


def test_a_rate_leaves_the_total_alone():
    settings = StreamForm(**(MAIL | {"plan": "rate", "rate": "0.05"})).settings()
    assert (settings.total, settings.horizon, settings.rate) == (None, None, 0.05)


@pytest.mark.parametrize("text", ["5%", " 5 % ", "0.05"])
def test_a_share_may_be_in_percent(text):
    settings = StreamForm(**(MAIL | {"plan": "rate", "rate": text, "stop_error": text})).settings()
    assert (settings.rate, settings.stop) == (0.05, {"error": 0.05})


def test_limits_and_what_people_see():
    more = {"per_hour": "30", "per_day": " 200 ", "overlap": "2", "opinion": "on"}
    settings = StreamForm(**(MAIL | more), pictures="A.org, b.org").settings()
    assert (settings.per_hour, settings.per_day, settings.overlap) == (30, 200, 2)
    assert settings.opinion
    assert settings.pictures == ("a.org", "b.org")


def test_the_learner_is_auto_unless_another_is_chosen():
    assert StreamForm.of(FormData(MAIL)).settings().learner == "auto"
    chosen = StreamForm(**MAIL, learner="iwal1").settings()
    assert (chosen.learner, chosen.total) == ("iwal1", 1000)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"total": "many"}, "Labels in all must be a number, got 'many'"),
        ({"total": "1.5"}, "Labels in all must be a whole number from 1 on, got '1.5'"),
        ({"per_hour": "inf"}, "Labels in an hour must be a number, got 'inf'"),
        ({"horizon": ""}, "Labels in all and Examples in all must be filled in"),
        ({"plan": "rate"}, "Share to ask about must be filled in"),
        ({"learner": "batch_iwal", "classes": "a\nb\nc"}, "batch_iwal is for two classes"),
        (
            {"learner": "iwal1", "plan": "rate", "rate": "0.1"},
            "a share .* is for the learner auto; iwal1 takes",
        ),
        ({"total": "900", "horizon": "800"}, "not be more than Examples in all, got 900 of 800"),
        ({"overlap": "0"}, "People for each question must be a whole number from 1 on, got '0'"),
        ({"per_day": "-1"}, "Labels in a day must be a whole number from 1 on"),
        ({"plan": "rate", "rate": "5"}, "Share to ask about must lie between 0 and 1"),
        ({"plan": "rate", "rate": "0%"}, "Share to ask about must lie between 0 and 1"),
        ({"plan": "rate", "rate": "%"}, "Share to ask about must be filled in"),
        ({"stop_error": "200%"}, "Stop below an error of must lie between 0 and 1"),
        ({"name": " "}, "Name must be text"),
        ({"classes": "ham"}, "Classes must be 2 to 100 different names"),
        ({"pictures": "a.org; script-src *"}, "Hosts of pictures must be hosts"),
        ({"pictures": "https://a.org"}, "Hosts of pictures must be hosts"),
    ],
)
def test_what_is_wrong_is_said(change, message):
    with pytest.raises(InvalidParameter, match=message):
        StreamForm(**(MAIL | change)).settings()


def test_a_file_in_place_of_a_field_is_no_text():
    assert StreamForm.of({"name": object()}).name == ""


def test_lists():
    assert listed("a\n\nb ", None) == ("a", "b")
    assert listed(" , ") == ()
