"""`auto`: the rule for P against a twin, blocks against rows, honesty, the guard, late labels."""

import copy
import logging
import math
import threading
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.tree import DecisionTreeClassifier

from askance import ActiveLearner, Budget, as_row, make_learner
from askance.checks import learner_checks
from askance.checks.made_examples import make_stream
from askance.errors import InvalidParameter
from askance.learners.auto import FIRST, KEPT, Auto
from askance.protocols import BlockLearner, PacedLearner
from askance.simulate import Seat, run_blocks, run_rows
from askance.sparse import from_dense, row_at, rows_of

D = 3


def auto(estimator=None, **parameters):
    return make_learner("auto", n_features=D, estimator=estimator or GaussianNB(), **parameters)


def stream(n, seed=0, flipped=0.1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, D))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0, 1, -1)
    y[rng.random(n) < flipped] *= -1
    return from_dense(X), y.tolist(), rng.random(n)


def walked(learner, X, y, coins):
    """Decisions one by one."""
    found = []
    for row, label, coin in zip(rows_of(X), y, coins, strict=True):
        decision = learner.decide(row, coin)
        learner.learn(row, decision, label if decision.queried else None)
        found.append(decision)
    return found


def in_blocks(learner, X, y, coins):
    found = []
    run_blocks(learner, X, coins, y.__getitem__, on_block=found.extend)
    return found


def test_it_is_what_the_loop_and_the_live_learner_expect():
    assert isinstance(auto(), BlockLearner)
    assert isinstance(auto(), PacedLearner)


@pytest.mark.parametrize(("name", "check"), learner_checks())
def test_contract(name, check):
    check(lambda: auto(budget=12, horizon=60), make_stream(0, D))


@pytest.mark.parametrize(
    "options",
    [
        {"budget": 150, "horizon": 1500},
        {"rate": 0.2},
        {"budget": 150, "horizon": 1500, "lag": 4},
        {"budget": 150, "horizon": 1500, "uniform_share": 1.0},
    ],
)
@pytest.mark.parametrize("estimator", [GaussianNB(), DecisionTreeClassifier(max_depth=3)])
def test_blocks_decide_as_rows_do(options, estimator):
    X, y, coins = stream(1500)
    one, many = auto(estimator, **options), auto(estimator, **options)
    expected = walked(one, X, y, coins)
    assert in_blocks(many, X, y, coins) == expected
    changes = len({(d.threshold, d.probability) for d in expected})
    assert changes > 3
    assert one._kept.margins == pytest.approx(many._kept.margins, abs=0, nan_ok=True)


def test_the_mixture_decides_blocks_as_rows_too():
    X, y, coins = stream(150)
    options = {"n_features": D, "budget": 30, "horizon": 150}
    one, many = make_learner("auto", **options), make_learner("auto", **options)
    assert in_blocks(many, X, y, coins) == walked(one, X, y, coins)


def margins(learner, rows):
    shares = learner.classifier.probabilities(from_dense(rows))
    return np.round(abs(shares[:, 1] - shares[:, 0]), 9)


def steps(coming):
    """How often the rate is set anew: 256 examples, or at most an eighth of what comes."""
    return max(s for s in (1, 2, 4, 8, 16, 32, 64, 128, 256) if s == 1 or s <= coming // 8)


@pytest.mark.parametrize("focus", [0.01, 0.2])
def test_the_probability_is_that_of_the_rule(focus):
    """A twin of the rule, from the learner's classifier and its newest rows alone."""
    B, N, share = 200, 4000, 0.1
    X, y, coins = stream(N)
    learner = auto(budget=B, horizon=N, uniform_share=share, focus=focus)
    asked, p0, dense, known = 0, share * B / N, X.toarray(), None
    for i in range(N):
        row = row_at(X, i)
        decision = learner.decide(row, coins[i])
        if asked < FIRST:
            assert decision.probability == 1.0
        else:
            if learner._fitted != known or (N - i) % steps(N - i) == 0:
                known, left, coming = learner._fitted, B - asked, N - i
                spare = (left - p0 * coming - 2 * math.sqrt(p0 * coming)) / coming
                f = min(max(spare, 0), 1)
                newest = np.sort(margins(learner, dense[max(0, i - KEPT) : i]))
                width = max(f, focus)
                edge = newest[min(int(width * len(newest)), len(newest) - 1)]
            m = margins(learner, dense[[i]])[0]
            expected = max(f / width, p0) if m < edge else p0
            if m != edge:
                assert decision.probability == pytest.approx(expected)
            assert decision.probability >= p0
        assert decision.uniform == (coins[i] < p0)
        assert decision.queried == (coins[i] < decision.probability)
        asked += decision.queried
        learner.learn(row, decision, y[i] if decision.queried else None)
    assert 0.8 * B < asked <= 1.05 * B


def test_a_tie_is_asked_about_at_the_rate():
    """A tree of one split has two margins only; the rate must hold all the same."""
    X, y, coins = stream(6000)
    learner = auto(DecisionTreeClassifier(max_depth=1), rate=0.1)
    decisions = in_blocks(learner, X, y, coins)
    later = [decision for decision in decisions if decision.k >= 1000]
    assert len({round(decision.probability, 6) for decision in later}) > 1
    assert all(0.01 <= decision.probability <= 1 for decision in later)
    assert np.mean([decision.queried for decision in later]) == pytest.approx(0.1, abs=0.02)


@pytest.mark.parametrize("B", [30, 100, 300])
def test_the_budget_lasts_for_the_stream(B):
    """Over seeds: nearly all of it is spent, and it hardly ever runs out early."""
    early = 0
    for seed in range(10):
        X, y, coins = stream(3000, seed)
        learner = auto(budget=B, horizon=3000)
        run = run_blocks(learner, X, coins, y.__getitem__, limit=B)
        assert run.queries >= B - 1
        early += run.examples < 2850
    assert early <= 3


def test_labels_are_unbiased_and_a_wrong_probability_is_not():
    """A fixed classifier's weighted error has the right mean at a fixed number of examples."""

    def z(wrong_p):
        # y is -1 for a quarter of the examples that a fixed classifier, +1 everywhere, gets wrong.
        gaps = []
        for seed in range(120):
            X, y, coins = stream(300, seed)
            learner = auto(budget=90, horizon=300, uniform_share=0.3)
            decisions = in_blocks(learner, X, y, coins)
            weights = [
                (1.0 if wrong_p else 1 / d.probability) * (y[d.k] < 0)
                for d in decisions
                if d.queried
            ]
            gaps.append((sum(weights) - sum(label < 0 for label in y)) / 300)
        return np.mean(gaps) / (np.std(gaps) / math.sqrt(len(gaps)))

    assert abs(z(wrong_p=False)) < 3.3
    assert abs(z(wrong_p=True)) > 10


def test_the_uniform_share_is_a_random_sample():
    """Its mark depends on the coin alone, not on the margin."""
    X, y, coins = stream(4000)
    learner = auto(budget=400, horizon=4000)
    decisions = in_blocks(learner, X, y, coins)
    assert [d.uniform for d in decisions] == (coins < 0.01).tolist()
    assert all(d.queried for d in decisions if d.uniform)


def test_until_two_classes_are_seen_all_examples_are_alike():
    X, y, coins = stream(2000)
    y = [-1] * 1500 + y[1500:]
    learner = auto(budget=200, horizon=2000)
    decisions = in_blocks(learner, X, y, coins)
    waiting = decisions[FIRST:1500]
    assert {len({d.probability for d in waiting[i : i + 1]}) for i in range(100)} == {1}
    assert min(d.probability for d in waiting) >= 0.06
    assert max(d.probability for d in waiting) <= 0.15
    assert learner.predict(row_at(X, 0)) in (-1, 1)
    assert len({d.probability for d in decisions[1600:]}) > 1


@pytest.mark.parametrize("classes", [1, 2])
@pytest.mark.parametrize("share", [0.1, 1.0])
def test_no_probability_is_below_its_floor_nor_that_below_the_uniform_rate(share, classes):
    X, y, coins = stream(1500)
    learner = auto(budget=60, horizon=1500, uniform_share=share)
    decisions = in_blocks(learner, X, y if classes == 2 else [1] * 1500, coins)
    assert min(d.floor for d in decisions) >= share * 60 / 1500
    assert all(d.probability >= d.floor for d in decisions)


def test_one_class_is_predicted_until_there_is_another():
    X, _, coins = stream(100)
    learner = auto(rate=0.5)
    in_blocks(learner, X, [1] * 100, coins)
    assert learner.predict(row_at(X, 0)) == 1


def test_the_last_labels_count_when_the_budget_or_the_stream_ends():
    X, y, coins = stream(500)
    spent = auto(budget=33, rate=0.5)
    run = run_blocks(spent, X, coins, y.__getitem__, limit=33)
    assert (run.queries, run.examples < 500) == (33, True)
    over = auto(budget=400, horizon=500)
    in_blocks(over, X, y, coins)
    for learner in (spent, over):
        assert learner._fitted == len(learner._labelled)


def test_settled_predictions_use_every_label_and_decide_nothing():
    X, y, coins = stream(400)
    learner = auto(rate=0.3)
    in_blocks(learner, X, y, coins)
    assert learner._fitted < len(learner._labelled)
    twin = copy.deepcopy(learner)
    learner.settle()
    every, _ = learner.classifier, learner._fitted
    rows, targets, _ = learner._labelled.sample(slice(None))
    expected = GaussianNB().fit(rows.toarray(), targets).predict_proba(X.toarray())
    np.testing.assert_allclose(learner.probabilities(X), expected)
    assert (learner.probabilities(X) != twin.probabilities(X)).any()
    more, labels, tosses = stream(400, seed=1)
    assert walked(learner, more, labels, tosses) == walked(twin, more, labels, tosses)
    assert learner.classifier is not every


# ------------------------------------------------------------------ the guard


class Stubborn:
    """Fits well to labels of the uniform share; whatever has focused labels, it gets wrong."""

    def __init__(self, trusting):
        self.trusting = trusting
        self.versions = {}

    def fit(self, X, targets, importance, unlabeled):
        honest = self.trusting or len(targets) < 60
        sign = 1.0 if honest else -1.0

        class Fitted:
            def probabilities(self, X):
                score = sign * X.toarray()[:, 0]
                second = 1 / (1 + np.exp(-score))
                return np.column_stack([1 - second, second])

            def predict_many(self, X):
                return np.where(self.probabilities(X)[:, 1] > 0.5, 1, -1)

        return Fitted()


@pytest.mark.parametrize("trusting", [True, False])
def test_the_guard_spends_more_uniformly_only_where_focus_does_harm(trusting):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 1))
    y = np.where(X[:, 0] > 0, 1, -1).tolist()
    learner = Auto(Stubborn(trusting), budget=600, horizon=6000)
    in_blocks(learner, from_dense(X), y, rng.random(6000))
    assert (learner.uniform_share > 0.1) != trusting


def planted(n, seed):
    """A sixth of the examples, far out, on which what the others teach is wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, D))
    cluster = rng.random(n) < 1 / 6
    X[cluster, 0] = 4 + 0.3 * rng.normal(size=cluster.sum())
    y = np.where(X[:, 0] > 0, 1, -1)
    y[cluster] = -1
    return from_dense(X), y, cluster, rng.random(n)


def test_a_cluster_on_which_it_is_sure_and_wrong_is_found():
    """The first labels know nothing of it; margins alone would never look there again."""
    X, y, cluster, coins = planted(10_000, 0)
    # The first examples show nothing of the cluster.
    first = np.flatnonzero(~cluster)[:400]
    order = np.concatenate([first, np.setdiff1d(np.arange(len(y)), first)])
    X, y, cluster = X[order], y[order], cluster[order]

    def error_there(uniform_share):
        learner = auto(
            make_pipeline(PolynomialFeatures(2), LogisticRegression()),
            budget=1000, horizon=len(y), uniform_share=uniform_share, focus=0.01,
        )  # fmt: skip
        run_blocks(learner, X, coins, y.tolist().__getitem__, limit=1000)
        learner.settle()
        return np.mean(learner.predict_many(X[np.flatnonzero(cluster)]) != -1)

    assert error_there(0.1) < 0.05
    # Nearly nothing uniform is margin sampling: it stays wrong there.
    assert error_there(1e-6) > 0.9


# ------------------------------------------------------------------ late labels, saving


def test_a_state_goes_on_with_the_same_bits():
    X, y, coins = stream(900)
    options = {"budget": 120, "horizon": 900, "lag": 3}
    whole = walked(auto(**options), X, y, coins)
    for at in (5, 40, 333, 700):
        first = auto(**options)
        walked(first, X[:at], y[:at], coins[:at])
        second = auto(**options)
        second.set_state(first.get_state())
        assert walked(second, X[at:], y[at:], coins[at:]) == whole[at:]


def test_the_mixture_is_found_again_from_a_file(tmp_path):
    X, y, _ = stream(200)
    learner = ActiveLearner("auto", n_features=D, budget=Budget(total=40), horizon=200)
    run_rows([Seat(learner)], zip(rows_of(X), y, strict=True), lambda label: label)
    learner.save(tmp_path / "a.askance")
    again = ActiveLearner.load(tmp_path / "a.askance")
    assert (again.margins(X) == learner.margins(X)).all()
    assert again.stats() == learner.stats()
    for row in list(rows_of(X))[:50]:
        assert again.ask(row) == learner.ask(row)


def test_a_file_of_other_versions_warns(caplog):
    learner = auto()
    state = learner.get_state()
    state["versions"] = {"scikit-learn": "0.1"}
    with caplog.at_level(logging.WARNING, "askance"):
        auto().set_state(state)
    assert "saved with scikit-learn 0.1" in caplog.text


@pytest.mark.parametrize(
    ("name", "value", "part"),
    [
        ("k", 7, "must agree"),
        ("asked", 3, "must agree"),
        ("fitted", 10**6, "must agree"),
        ("share", 2.0, "saved share"),
        ("pace", np.array([0.5, 1.0, 0.0, 0.1, 0.1]), "saved pace"),
        ("pace", np.array([0.5, 0.1]), "saved pace"),
        ("plan", [0, 100, 0.1], "budget must be"),
    ],
)
def test_a_forged_state_is_refused(name, value, part, refused):
    X, y, coins = stream(100)
    learner = auto(budget=40, horizon=200)
    walked(learner, X, y, coins)
    state = learner.get_state()
    state[name] = value
    with refused(InvalidParameter, part):
        auto(budget=40, horizon=200).set_state(state)


def test_a_lag_lets_the_next_classifier_be_fitted_meanwhile():
    """In the background or not, the same decisions come of it."""
    X, y, coins = stream(600)
    here, there = auto(rate=0.3, lag=5), auto(rate=0.3, lag=5)
    with ThreadPoolExecutor(1) as there.executor:
        assert walked(there, X, y, coins) == walked(here, X, y, coins)
        assert copy.deepcopy(there).executor is None
    at_once = auto(rate=0.3)
    assert walked(at_once, X, y, coins) != walked(auto(rate=0.3, lag=5), X, y, coins)


class Held(ThreadPoolExecutor):
    """Begins nothing until it is let go, but does not wait for ever where a test has failed."""

    def __init__(self):
        super().__init__(1)
        self.gate = threading.Event()
        self.submit(self.gate.wait, 20)


def told_all(learner, X, y, *, ahead=0):
    """What is asked when each question is answered at once, and the rows from it on foreseen."""
    found, at = [], 0
    while at < X.shape[0]:
        found += learner.ask_many(X[at : at + 30])
        at = len(found)
        if found[-1].wanted:
            if ahead:
                learner.look_ahead(X[at : at + ahead])
            learner.tell(found[-1], y[at - 1])
    return found


def live(name="auto", **options):
    if name == "auto":
        options |= {"estimator": GaussianNB()}
    return ActiveLearner(name, n_features=D, random_state=3, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"rate": 0.2, "lag": 3},
        {"budget": Budget(total=90), "horizon": 1500},
        {"budget": Budget(total=300), "horizon": 700},
        {"budget": Budget(labels=9, per=100)},
        {"name": "iwal1", "budget": Budget(total=60)},
    ],
)
@pytest.mark.parametrize("ahead", [0, 400])
def test_many_are_asked_as_one_by_one(options, ahead, tmp_path):
    """Whatever was scored ahead of time: the same questions, and the same file in the end."""
    X, y, _ = stream(1500)
    one, many = live(**options), live(**options)
    files = [tmp_path / name for name in ("one", "many")]
    # The first part ends among examples that are passed over, while a window moves on.
    for part in (slice(0, 905), slice(905, 1500)):
        expected = []
        for row, label in zip(rows_of(X[part]), y[part], strict=True):
            expected.append(one.ask(row))
            if expected[-1].wanted:
                one.tell(expected[-1], label)
        assert told_all(many, X[part], y[part], ahead=ahead) == expected
        one.save(files[0])
        many.save(files[1])
        assert files[0].read_bytes() == files[1].read_bytes()


def test_what_is_foreseen_is_not_scored_again():
    X, y, coins = stream(300)
    learner = auto(rate=0.1)
    walked(learner, X[:200], y[:200], coins[:200])
    learner.foresee(X[200:260])
    learner.foresee(X[200:290])
    scored = []
    serving = learner._serving
    learner._serving = SimpleNamespace(
        probabilities=lambda X: scored.append(X.shape[0]) or serving.probabilities(X)
    )
    decisions = learner.decide_many(X[200:230], np.full(30, 0.999))
    learner.learn_many(X[200:230], decisions, [None] * 30)
    learner.decide_many(X[230:290], np.full(60, 0.999))
    assert scored == []
    learner.decide_many(X[290:], np.full(10, 0.999))
    assert scored == [10]


@pytest.mark.parametrize("background", [True, False])
@pytest.mark.parametrize("labels", [2, 65])
def test_a_file_saved_while_it_is_fitted_goes_on_with_the_same_bits(tmp_path, labels, background):
    """The classifier that is on its way serves at the same label, wherever it is fitted."""
    X, y, _ = stream(900)
    whole = told_all(live(rate=0.3, lag=6), X, y)
    learner, executor, at = live(rate=0.3, lag=6), Held(), 0
    while learner.stats().answered < labels or learner.learner._begun is None:
        if learner.stats().answered == labels:
            learner.work_in(executor)
        question = learner.ask(row_at(X, at))
        if question.wanted:
            learner.tell(question, y[at])
        at += 1
    assert not learner.learner._begun.future.done()
    learner.save(tmp_path / "a")
    again = ActiveLearner.load(tmp_path / "a")
    if background:
        again.work_in(executor)
    assert (again.learner._begun.future is not None) == background
    others = learner, again, copy.deepcopy(learner)
    executor.gate.set()
    for one in others:
        assert told_all(one, X[at:], y[at:]) == whole[at:]


def test_labels_that_come_late_count_as_asked():
    """The rate is set by what was asked, not by what was answered."""
    X, y, _ = stream(1200)
    learner = ActiveLearner(
        "auto", n_features=D, estimator=GaussianNB(), budget=Budget(total=100), horizon=1200
    )
    open_questions = []
    for i, row in enumerate(rows_of(X)):
        question = learner.ask(row)
        if question.wanted:
            open_questions.append((question, y[i]))
        if len(open_questions) > 10:
            learner.tell(*open_questions.pop(0))
    stats = learner.stats()
    assert 80 <= stats.asked <= 100
    learner.tell_many(open_questions[1:])
    learner.withdraw(open_questions[0][0])
    assert learner.learner._asked == stats.asked - 1
    sample = learner.weighted_sample()
    assert sample.n == 1200 - stats.refused
    assert sample.weight.max() <= 1200 / (0.1 * 100) * (1 + 1e-9)


def test_any_number_of_labels_may_be_late():
    """A classifier that is due waits for its labels; questions go on."""
    X, y, _ = stream(400)
    learner = ActiveLearner("auto", n_features=D, estimator=GaussianNB(), rate=0.5)
    asked = [(learner.ask(row), label) for row, label in zip(rows_of(X), y, strict=True)]
    wanted = [(question, label) for question, label in asked if question.wanted]
    assert len(wanted) > 100
    learner.tell_many(wanted[:60])
    assert learner.ask(row_at(X, 0)).probability > 0
    learner.tell_many(wanted[60:])
    assert learner.stats().answered == len(wanted)


def test_a_changed_budget_changes_the_rate():
    X, y, coins = stream(2000)
    learner = auto(budget=50, horizon=2000)
    in_blocks(learner, X[:1000], y[:1000], coins[:1000])
    learner.plan(400, 2000)
    decisions = in_blocks(learner, X[1000:], y[1000:], coins[1000:])
    assert 300 < sum(d.queried for d in decisions) < 390


@pytest.mark.parametrize("total", [None, 10**6])
def test_a_rate_is_taken_from_a_budget_per_window(total):
    """It asks at that rate, in all, and seldom comes when the window is full."""
    X, y, _ = stream(6000)
    learner = live(budget=Budget(total=total, labels=75, per=500), horizon=6000)
    assert learner.learner.rate == 0.15
    told_all(learner, X, y)
    stats = learner.stats()
    assert 0.8 < stats.asked / 900 <= 1.0
    assert stats.refused < 0.2 * stats.seen


def test_a_window_that_is_no_limit_is_a_rate_of_one():
    learner = live(budget=Budget(labels=9, per=3))
    assert learner.learner.rate == 1.0


def test_a_budget_that_is_taken_away_no_longer_paces():
    learner = live(budget=Budget(total=40), horizon=1000, rate=0.3)
    assert (learner.learner.budget, learner.learner.horizon) == (40, 1000)
    learner.set_budget(Budget())
    assert (learner.learner.budget, learner.learner.rate) == (None, 0.3)


def test_another_budget_keeps_the_horizon_unless_there_is_a_new_one():
    learner = live(budget=Budget(total=40), horizon=1000)
    learner.set_budget(Budget(total=80))
    assert (learner.learner.budget, learner.learner.horizon) == (80, 1000)
    learner.set_budget(Budget(total=80), horizon=500)
    assert learner.learner.horizon == 500


def test_beyond_the_horizon_it_goes_on_at_the_same_rate():
    X, y, coins = stream(3000)
    learner = auto(budget=100, horizon=1000)
    decisions = in_blocks(learner, X, y, coins)
    assert sum(d.queried for d in decisions[1000:]) == pytest.approx(200, abs=60)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"rate": 0.0}, "rate must be positive"),
        ({"rate": 1.5}, "rate must be at most 1"),
        ({"uniform_share": 2}, "uniform_share must be at most 1"),
        ({"focus": 0}, "focus must be positive"),
        ({"lag": -1}, "lag must be a whole number"),
        ({"budget": 0}, "budget must be a whole number"),
        ({"horizon": 2.5}, "horizon must be a whole number"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"c0": 1.0}, "auto has no parameter 'c0'"),
    ],
)
def test_bad_parameters_are_refused(options, part, refused):
    with refused(InvalidParameter, part):
        make_learner("auto", n_features=D, **options)
    with refused(InvalidParameter, part):
        auto(**options)


def test_rows_of_another_kind_are_refused():
    learner = auto()
    with pytest.raises(Exception, match=r"must lie in 0\.\.2"):
        learner.decide(as_row({7: 1.0}), 0.5)
    decision = learner.decide(as_row([1.0, 0.0, 0.0]), 0.5)
    with pytest.raises(Exception, match="decisions for 1 rows came with 2 rows"):
        learner.learn_many(from_dense(np.ones((2, D))), [decision], [1])


def test_cross_fitting_judges_labels_by_members_that_did_not_see_them():
    """Labels of chance: whoever has seen them knows them by heart, and nobody else can."""
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(150, 4)), rng.choice([-1, 1], 150)
    live = ActiveLearner("auto", n_features=4, members=["forest"], rate=0.9, random_state=1)
    assert live.learner.crossfit is None
    for x, label in zip(X, labels.tolist(), strict=True):
        question = live.ask(x)
        if question.wanted:
            live.tell(question, label)
    losses, weights = live.learner.crossfit
    assert len(losses) == len(weights) == live.learner.fitted > 50
    assert 0.3 < losses.mean() < 0.7
    sample = live.weighted_sample()
    known = live.learner.predicted(sample.X[: len(losses)]) != sample.y[: len(losses)]
    assert known.mean() < 0.1
    found = live.stats().crossfit
    assert math.isclose(found.estimate, float(losses @ weights / weights.sum()))
    assert found.holds == "without a guarantee"


# --- a classifier that serves when it is told to


def served_when_told(labels=60):
    learner = make_learner(
        "auto", n_features=2, rate=1.0, lag=None, members=["logistic regression"]
    )
    X = np.random.default_rng(2).random((labels, 2))
    for x in X:
        decision = learner.decide(as_row(x), 0.0)
        learner.learn(as_row(x), decision, 1 if x.sum() > 1 else -1)
    return learner


def test_without_a_lag_a_fit_waits_until_it_is_told_to_serve():
    learner = served_when_told()
    assert learner.served.classifier is None
    assert learner.coming == (20, None), "one at a time, of the labels when it was due"
    learner.serve()
    assert learner.served.labels == 20
    assert learner.coming is None
    learner.fit_anew()
    assert learner.coming == (60, None)
    with pytest.raises(InvalidParameter, match="no classifier is on its way"):
        served_when_told(5).serve()


def test_a_known_classifier_is_taken_over():
    learner, twin = served_when_told(), served_when_told()
    learner.serve()
    twin.serve(learner.served)
    assert twin.served.classifier is learner.served.classifier
    row = as_row([0.3, 0.6])
    assert twin.decide(row, 0.5) == learner.decide(row, 0.5)


def test_what_is_left_of_a_classifier_serves():
    learner = served_when_told()
    assert learner.coming == (20, None)
    learner.serve(facts={"labels": 30, "share": 0.5})
    assert learner.facts == {"labels": 30, "share": 0.5}
    few = served_when_told(5)
    few.serve(facts={"labels": 30, "share": 0.5})
    assert few.served.labels == 5
    assert few.served.classifier is not None
    none = served_when_told(0)
    none.serve(facts={"labels": 30, "share": 0.5})
    assert none.facts == {"labels": 0, "share": 0.5}
    assert none.served.classifier is None
    assert none.decide(as_row([0.3, 0.6]), 0.5).probability == 1.0


def test_a_fit_whose_process_died_is_begun_again():
    class Dead(Executor):
        def submit(self, fn, /, *args, **kwargs):
            future = Future()
            future.set_exception(OSError("killed"))
            return future

    learner = served_when_told()
    learner.work_in(Dead())
    assert learner.coming[1].exception() is not None
    with ThreadPoolExecutor(1) as pool:
        learner.work_in(pool)
        learner.coming[1].result()
    learner.serve()
    assert learner.served.classifier is not None
