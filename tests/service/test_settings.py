import pytest
from tests.service.conftest import settings

from askance.data.features import FeatureMap
from askance.errors import InvalidLabel, InvalidParameter
from askance.service.settings import StreamSettings


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        ({"name": ""}, "name must be text of 1 to 200 characters"),
        ({"name": "a\nb"}, "name must be text"),
        ({"classes": ("ham",)}, "classes must be 2 to 100 different names"),
        ({"classes": ("ham", "ham")}, "classes must be 2 to 100 different names"),
        ({"classes": ("ham", "")}, "the name of a class must be text"),
        ({"total": 0}, "total must be a whole number from 1 on"),
        ({"overlap": 0}, "overlap must be a whole number from 1 on"),
        ({"horizon": 5}, "a horizon needs a total"),
        ({"rate": 0.1}, "a rate is for the learner auto"),
        ({"learner": "magic"}, "magic"),
        ({"parameters": {"c0": -1}}, "c0"),
        ({"learner": "active_cover", "classes": tuple("abc")}, "is for two classes"),
        ({"learner": "batch_iwal", "rate": 0.1}, "a rate is for the learner auto"),
        ({"learner": "oracular_cal", "parameters": {"fresh": True}}, "fresh=True spends"),
        ({"learner": "oracular_cal", "parameters": {"lag": 0}}, "cannot have lag"),
        ({"learner": "batch_iwal", "parameters": {"region": "one-call"}}, "cannot have region"),
        ({"learner": "active_cover", "parameters": {"known_from": 9}}, "cannot have known_from"),
        ({"learner": "active_cover", "parameters": {"estimator": "SVC"}}, "estimator must be one"),
        ({"learner": "active_cover", "parameters": {"estimator": []}}, "estimator must be one"),
        (
            {"learner": "active_cover", "parameters": {"estimator": {"class": ["SVC"]}}},
            "estimator must be one",
        ),
        (
            {
                "learner": "active_cover",
                "parameters": {
                    "estimator": {"class": "LogisticRegression", "parameters": {"C": -1}}
                },
            },
            "LogisticRegression cannot be fitted: .*'C'",
        ),
        (
            {"learner": "batch_iwal", "bits": 13, "parameters": {"estimator": "GaussianNB"}},
            "GaussianNB is handed dense rows, for which bits must be at most 12, got 13",
        ),
        ({"parameters": {"estimator": "LogisticRegression"}}, "cannot have estimator"),
        ({"parameters": {"random_state": 1}}, "cannot have random_state"),
        ({"lease": 0}, "lease must be from 1 to 86400 seconds"),
        ({"bits": 31}, "bits must be a whole number from 1 to 30"),
        ({"pictures": ("a.org; script-src *",)}, "pictures must be hosts such as"),
        ({"pictures": ("https://a.org",)}, "pictures must be hosts such as"),
        ({"stop": {"mood": 1}}, "stop knows the rules labels and error"),
        ({"stop": {"error": 2}}, "the error to stop at must lie between 0 and 1"),
        ({"guidelines": "a" * 100_001}, "guidelines must be text"),
        ({"guidelines": "\ud800"}, "guidelines must be text"),
    ],
)
def test_what_cannot_work_is_refused_when_it_is_created(chosen, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        settings(**chosen)


TAKEN = {
    "iwal1": ("c0", "c1", "learning_rate"),
    "coal": ("c0", "learning_rate"),
    "online_active_cover": ("alpha", "beta_scale", "c0", "learning_rate", "cover_size"),
    "margin": ("b",),
    "auto": ("hold_out", "audit", "cost_matrix"),
    "batch_iwal": ("c0", "c1", "schedule"),
    "active_cover": ("alpha", "beta_scale", "c0", "xi_scale", "schedule"),
    "passive": ("learner", "algorithm", "self"),
}


@pytest.mark.parametrize(("learner", "names"), TAKEN.items())
def test_parameters_of_any_size_or_kind_are_refused_in_a_sentence(learner, names):
    for name in names:
        for value in (10**400, -(10**400), 10**5000, "much", [10**400], {"a": 1}):
            with pytest.raises(InvalidParameter, match=r"must|cannot"):
                settings(learner=learner, parameters={name: value})


def test_names_become_codes_at_one_place():
    two = settings()
    assert [two.code(name) for name in two.classes] == [-1, 1]
    assert [two.class_name(code) for code in (-1, 1)] == ["ham", "spam"]
    with pytest.raises(InvalidLabel, match="one of ham, spam, got 'eggs'"):
        two.code("eggs")


def test_they_survive_an_event():
    chosen = settings(text=("a",), parameters={"c0": 0.5}, guidelines="one\ntwo", total=9)
    assert StreamSettings.from_json(chosen.as_json()) == chosen


def test_learners_in_epochs_are_told_when_to_serve_and_what_to_fit():
    plain = settings(learner="active_cover").make_learner(FeatureMap()).learner
    assert plain.lag is None
    assert type(plain.oracle.estimator).__name__ == "LogisticRegression"
    named = {"class": "DecisionTreeClassifier", "parameters": {"max_depth": 3}}
    chosen = settings(learner="batch_iwal", parameters={"estimator": named, "schedule": "unit"})
    assert chosen == StreamSettings.from_json(chosen.as_json())
    learner = chosen.make_learner(FeatureMap()).learner
    assert (learner.oracle.estimator.max_depth, learner.schedule) == (3, "unit")


def test_auto_serves_when_a_fit_is_done():
    learner = StreamSettings(name="a", classes=("n", "y"), rate=0.25).make_learner(FeatureMap())
    assert learner.learner.lag is None
    assert learner.learner.rate == 0.25
