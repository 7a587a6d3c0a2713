import numpy as np
import pytest

from askance.data.reading.intake import Intake, Reading
from askance.errors import AskanceError, BadRecord, InvalidParameter
from askance.presets import SUGGESTED, make_learner
from askance.rehearsal.at_random import labels_needed, more_budgets
from askance.rehearsal.comparison import contestant, run_permutation
from askance.rehearsal.held import coin_seed, hold, usual_budget
from askance.rehearsal.rehearse import Plan, rehearse, rehearse_stream
from askance.sparse import rows_of

pytestmark = pytest.mark.usefixtures("small_trees")

ALGORITHMS = ("online_active_cover", "iwal0", "oracular_iwal0", "margin", "passive")


def rehearsed(path, intake_of, plan):
    intake = intake_of(path)
    return rehearse(intake, hold(intake), plan)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_run_is_the_first_permutation_of_a_comparison(mail, intake_of, algorithm):
    plan = Plan(algorithm, {"learning_rate": 0.5}, 60, seed=3)
    found = rehearsed(mail, intake_of, plan)
    held = hold(intake_of(mail))
    one = contestant(algorithm, {"learning_rate": 0.5})
    expected = run_permutation(held, one, [10, 20, 40, 60], 3)
    assert found.active.rows == expected.rows
    assert found.active.queries == len(found.bought)
    assert found.active.ended == "budget spent"


def test_auto_runs_as_in_a_comparison_and_tells_what_it_would_have_taken(mail, intake_of):
    found = rehearsed(mail, intake_of, Plan("auto", {}, 50, seed=3))
    held = hold(intake_of(mail)).narrow()
    active = run_permutation(held, contestant("auto", {}), [10, 20, 40, 50], 3)
    assert found.active.rows == active.rows
    bought = found.active.queries
    assert 40 < bought <= 50
    sizes = [10, 20, 40, bought, *more_budgets(bought, found.examples)]
    at_random = run_permutation(held, contestant("auto", {"uniform_share": 1}), sizes, 3)
    assert found.passive.rows == at_random.rows[:4]
    assert found.passive.queries == bought
    assert found.needed == labels_needed(active.error, at_random.rows)
    plain = rehearse(intake_of(mail), hold(intake_of(mail)), found.plan, match=False)
    assert plain.needed is None
    assert plain.passive == found.passive


def test_what_passive_learning_would_have_taken(mail, intake_of):
    found = rehearsed(mail, intake_of, Plan("iwal1", {}, 40, seed=1))
    held = hold(intake_of(mail))
    sizes = [10, 20, 40, *more_budgets(40, found.examples)]
    passive = run_permutation(held, contestant("passive", {}), sizes, 1)
    assert found.needed == labels_needed(found.active.error, passive.rows)
    assert found.passive.rows == passive.rows[:3]
    assert (found.passive.queries, found.passive.ended) == (40, "last budget reached")


def test_without_a_budget_a_tenth_is_bought(mail, intake_of):
    found = rehearsed(mail, intake_of, Plan("passive", {}, None))
    assert found.plan.budget == found.active.queries == usual_budget(found.examples) == 30
    stream = rehearse_stream(intake_of(mail), Plan("passive", {}, None))
    assert stream.plan.budget == 500


def test_a_label_that_was_not_asked_for_was_not_looked_at(mail, intake_of, tmp_path):
    plan = Plan("online_active_cover", {}, 50, seed=1)
    found = rehearsed(mail, intake_of, plan)
    bought = {one.record.id for one in found.bought}
    held = hold(intake_of(mail))
    tested = {record.id for record in held.records(held.split(1).test.tolist()).values()}
    lines = mail.read_text().splitlines()
    other = {"yes": "no", "no": "yes", "": ""}
    for i, line in enumerate(lines[1:], start=1):
        start, _, label = line.rpartition(",")
        if line.partition(",")[0] not in bought | tested:
            lines[i] = f"{start},{other[label]}"
    lied = tmp_path / "lied.csv"
    lied.write_text("\n".join(lines) + "\n")
    again = rehearsed(lied, intake_of, plan)
    assert again.active == found.active
    assert again.bought == found.bought
    assert again.passive != found.passive


def test_what_was_asked_comes_with_its_record_and_weight(mail, intake_of):
    found = rehearsed(mail, intake_of, Plan("iwal1", {}, 40))
    sample = found.learner.weighted_sample()
    assert [one.label for one in found.bought] == sample.y.tolist()
    assert [one.weight for one in found.bought] == sample.weight.tolist()
    for one in found.bought:
        assert one.record.label == one.label
        assert one.weight * one.probability == pytest.approx(1.0)
    assert found.learner.classes == ("no", "yes")
    assert found.learner.reading["label"] == "spam"
    train, test = hold(intake_of(mail)).split(0)
    assert (found.examples, found.tested) == (len(train), len(test))


def test_passive_buys_as_many_labels_and_then_all(mail, intake_of):
    found = rehearsed(mail, intake_of, Plan("margin", {"b": 0.01}, 300))
    labels = found.active.queries
    assert labels < 300
    assert not found.active.rows[-1].reached
    assert found.active.ended == "stream over"
    assert found.passive.queries == labels
    assert found.everything.queries == found.examples


def progressive(held, algorithm, budget, seed=0):
    """Mistakes before learning, by the three verbs: rows at 10 and 20 labels, and the end."""
    parameters = SUGGESTED[algorithm]
    learner = make_learner(algorithm, n_features=held.n_features, **parameters)
    coins = np.random.default_rng(coin_seed(seed)).random(len(held)).tolist()
    labels = mistakes = 0
    rows = []
    for n, (x, y, coin) in enumerate(
        zip(rows_of(held.csr), held.labels.tolist(), coins, strict=True), start=1
    ):
        mistakes += learner.predict(x) != y
        if labels == budget:
            continue
        decision = learner.decide(x, coin)
        learner.learn(x, decision, y if decision.queried else None)
        labels += decision.queried
        if decision.queried and labels in (10, 20, budget):
            rows.append((labels, n, mistakes / n))
    return [*rows, (labels, len(held), mistakes / len(held))]


def shown(run):
    """Labels, examples and error at each budget, and at the end."""
    return [row[1:4] for row in run.rows] + [(run.queries, run.examples, run.error)]


@pytest.mark.parametrize("algorithm", ["online_active_cover", "iwal1"])
def test_progressive_errors_are_those_of_a_plain_loop(mail, intake_of, algorithm):
    found = rehearse_stream(intake_of(mail), Plan(algorithm, {}, 30))
    held = hold(intake_of(mail))
    assert shown(found.active) == progressive(held, algorithm, 30)
    assert shown(found.passive) == progressive(held, "passive", 30)
    *_, (labels, examples, error) = progressive(held, "passive", 10**9)
    assert shown(found.everything) == [(labels, examples, error)]
    assert found.unlabelled == held.unlabelled
    positives = int((held.labels > 0).sum())
    assert found.majority == min(positives, len(held) - positives) / len(held)
    assert len(found.bought) == 30


def test_a_stream_without_any_label_is_refused(tmp_path, intake_of):
    path = tmp_path / "some.csv"
    path.write_text("id,spam,x\na,,1\n")
    with pytest.raises(BadRecord, match="no record with a label"):
        rehearse_stream(intake_of(path), Plan("passive", {}, 5))


def test_curves_of_passive_alone_are_one(mail, intake_of):
    both = rehearsed(mail, intake_of, Plan("margin", {}, 20)).curves()
    assert [curve.name for curve in both] == ["margin", "passive"]
    alone = rehearsed(mail, intake_of, Plan("passive", {}, 20)).curves()
    assert [curve.name for curve in alone] == ["passive"]


@pytest.mark.parametrize(
    ("algorithm", "parameters", "budget"),
    [("iwal2", {}, 5), ("passive", {"c0": 1.0}, 5), ("iwal1", {"c0": -1.0}, 5), ("passive", {}, 0)],
)
def test_a_plan_that_cannot_be_is_refused_before_anything_is_read(algorithm, parameters, budget):
    with pytest.raises(AskanceError) as caught:
        Plan(algorithm, parameters, budget)
    assert isinstance(caught.value, InvalidParameter)


# ---------------------------------------------------------------------- odd files


def numbers(n=400, seed=0):
    """Two numbers, and labels that follow from them."""
    X = np.random.default_rng(seed).normal(size=(n, 2))
    return X, X[:, 0] + 0.5 * X[:, 1] > 0


def auto_on(path, columns, labels, budget=30, stream=False):
    names = [f"x{i}" for i in range(columns.shape[1])]
    rows = [
        ",".join([*map(repr, row), str(int(y))])
        for row, y in zip(columns.tolist(), labels, strict=True)
    ]
    path.write_text("\n".join([",".join([*names, "y"]), *rows]) + "\n")
    intake, plan = Intake(path, Reading(label="y")), Plan("auto", {}, budget)
    if stream:
        return rehearse_stream(intake, plan)
    return rehearse(intake, hold(intake), plan, match=False)


@pytest.mark.parametrize("noise", [0.1, 0.3])
def test_noisy_labels_cost_not_much_more_than_the_noise(tmp_path, noise):
    X, y = numbers(2000)
    flipped = np.random.default_rng(1).random(len(y)) < noise
    found = auto_on(tmp_path / "noisy.csv", X, y ^ flipped, budget=200)
    assert 190 <= found.active.queries <= 200
    assert found.active.error < noise + 0.15 < 0.5
    assert found.giveaways == []


def test_a_class_of_one_in_a_hundred(tmp_path):
    X, _ = numbers(1000)
    y = X[:, 0] >= np.sort(X[:, 0])[-10]
    found = auto_on(tmp_path / "rare.csv", X, y, budget=40)
    assert found.active.queries <= 40
    assert found.active.error <= 2 * found.majority + 1e-9


def test_thirty_labels_in_all(tmp_path):
    X, y = numbers(30)
    found = auto_on(tmp_path / "few.csv", X, y, budget=None)
    assert found.plan.budget == 20
    assert (found.examples, found.tested) == (24, 6)
    assert 0.0 <= found.active.error <= 1.0


def test_sorted_files_are_shuffled_or_told(tmp_path):
    X, y = numbers()
    order = np.argsort(y, kind="stable")
    found = auto_on(tmp_path / "sorted.csv", X[order], y[order])
    assert found.active.error < 0.25
    assert found.sorted_by is None
    told = auto_on(tmp_path / "stream.csv", X[order], y[order], stream=True)
    assert told.sorted_by == "0"
    assert {one.label for one in told.bought} == {-1, 1}
    shuffled = auto_on(tmp_path / "shuffled.csv", X, y, budget=5, stream=True)
    assert shuffled.sorted_by is None


def test_duplicates_and_a_constant_column_do_no_harm(tmp_path):
    X, y = numbers(40)
    X = np.column_stack([X, np.full(40, 7.0)])
    found = auto_on(tmp_path / "twins.csv", np.repeat(X, 10, axis=0), np.repeat(y, 10))
    assert 20 <= found.active.queries <= 30
    assert found.active.error < 0.25
    weights = np.array([one.weight for one in found.bought])
    assert weights.max() <= 10 * 320 / 30 * (1 + 1e-9)


def test_a_column_that_is_the_label_is_told(tmp_path):
    X, y = numbers(100)
    leak = np.where(y, 3.5, -2.0)
    found = auto_on(tmp_path / "leak.csv", np.column_stack([X, leak]), y, budget=5)
    assert found.giveaways == ["x2"]
    almost = leak.copy()
    almost[0] *= -1
    held = auto_on(tmp_path / "almost.csv", np.column_stack([X, almost]), y, budget=5)
    assert held.giveaways == []
