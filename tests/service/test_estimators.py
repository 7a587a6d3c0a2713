import time

import pytest
from tests.service.conftest import answer_all, made_records, settings

from askance.data.features import FeatureMap
from askance.errors import InvalidParameter
from askance.oracles.estimator import ESTIMATORS
from askance.service.settings import StreamSettings


def chosen_estimator(kind, **parameters):
    named = {"class": kind, "parameters": parameters}
    return settings(learner="batch_iwal", parameters={"estimator": named})


@pytest.mark.parametrize(
    ("kind", "parameters", "reason"),
    [
        ("LogisticRegression", {"dual": True}, "Solver lbfgs supports only dual=False"),
        ("LogisticRegression", {"penalty": "l1", "solver": "lbfgs"}, "Solver lbfgs supports only"),
        ("LinearSVC", {"loss": "hinge", "dual": False}, "Unsupported set of arguments"),
        ("RidgeClassifier", {"positive": True, "solver": "svd"}, "solver='svd' does not support"),
    ],
)
def test_parameters_that_do_not_go_together_are_refused(session, kind, parameters, reason):
    with pytest.raises(InvalidParameter, match=f"^{kind} cannot be fitted: {reason}") as refused:
        session.create(chosen_estimator(kind, **parameters))
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) <= 250
    assert session.streams() == []


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        *((kind, {}) for kind in ESTIMATORS),
        # Ten thousand steps would take a minute, and do not converge in one.
        ("HistGradientBoostingClassifier", {"max_iter": 10_000}),
        ("GradientBoostingClassifier", {"n_estimators": 10_000}),
        ("LogisticRegression", {"solver": "saga", "max_iter": 10_000, "tol": 1e-12}),
        # A part of the rows is set aside.
        ("HistGradientBoostingClassifier", {"early_stopping": True}),
        ("SGDClassifier", {"early_stopping": True}),
        ("RandomForestClassifier", {"oob_score": True}),
    ],
)
def test_what_can_be_fitted_is_taken_at_once(kind, parameters):
    chosen = chosen_estimator(kind, **parameters)
    began = time.monotonic()
    chosen.try_to_fit()
    assert time.monotonic() - began < 10
    assert chosen.make_learner(FeatureMap()).learner.oracle.estimator.get_params().items() >= (
        parameters.items()
    )


def test_a_stream_that_is_there_opens_whatever_it_fits(session, monkeypatch):
    with monkeypatch.context() as before:
        before.setattr(StreamSettings, "try_to_fit", lambda settings: None)
        stream = session.create(chosen_estimator("LogisticRegression", dual=True))
    session.offer(stream, made_records(3))
    assert answer_all(session, stream) == 3
    session.log.mend(stream)
    session._streams.pop(stream)
    assert session.status(stream).answered == 3
