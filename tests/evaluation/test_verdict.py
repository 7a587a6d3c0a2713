"""Verdicts are what one would compute by hand, without bias, and wrong no more often than told."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn import metrics

from askance.errors import BadRecord, InvalidParameter
from askance.estimate import FixedError
from askance.evaluation.costs import Costs
from askance.evaluation.predicted import Said, predicted_by_file, predicted_by_model
from askance.evaluation.stored_sample import StoredSample, read_sample
from askance.evaluation.verdict import class_order, judged
from askance.live import ActiveLearner
from askance.types import LabelPlaces


@pytest.fixture
def pair(margin_sample: ActiveLearner) -> tuple[StoredSample, Said]:
    sample = read_sample("sample.csv")
    return sample, predicted_by_file(sample, "mine.csv", "said")


def test_a_verdict_is_a_direct_computation(pair: tuple[StoredSample, Said]) -> None:
    sample, said = pair
    found = judged(sample, said, costs=Costs(("no", "yes"), np.array([[0.0, 1.0], [5.0, 0.0]])))
    true, guess = np.array(sample.labels) == "yes", np.array(said.predictions) == "yes"
    wrong, weights = true != guess, sample.weights
    error, cost = found.anytime
    assert math.isclose(error.estimate, weights[wrong].sum() / sample.n)
    assert math.isclose(cost.estimate, np.sum(weights * wrong * np.where(true, 5, 1)) / sample.n)
    assert 0 < error.low < error.estimate < error.high < 1
    assert cost.low < cost.estimate < cost.high < 5
    weighted = {"sample_weight": weights}
    expected = {
        "error": error.estimate,
        "base rate": weights[true].sum() / sample.n,
        "precision": metrics.precision_score(true, guess, **weighted),
        "recall": metrics.recall_score(true, guess, **weighted),
        "F1": metrics.f1_score(true, guess, **weighted),
        "balanced accuracy": metrics.balanced_accuracy_score(true, guess, **weighted),
    }
    assert {one.of: one.estimate for one in found.fixed} == pytest.approx(expected)
    assert {one.holds for one in found.fixed} == {"at a fixed time"}
    assert {one.holds for one in found.anytime} == {"at any time"}
    table = metrics.confusion_matrix(true, guess, **weighted)
    assert np.allclose([[cell.estimate for cell in row] for row in found.confusion], table)
    assert (found.classes, found.labels, found.n) == (("no", "yes"), len(true), 400)


def test_bounds_are_the_best_of_all_that_one_has_seen(pair: tuple[StoredSample, Said]) -> None:
    sample, said = pair
    found = judged(sample, said, alpha=0.1)
    assert found.narrowing is not None
    assert sample.places is not None
    sequence, before, low, high = FixedError(alpha=0.1), -1, 0.0, 1.0
    facts = zip(sample.places.positions, sample.places.least, sample.labels, strict=True)
    for j, (position, least, label) in enumerate(facts):
        sequence.skip(int(position) - before - 1, probability=float(least))
        sequence.add(float(label != said.predictions[j]), 1 / sample.weights[j])
        before = int(position)
        seen = sequence.interval()
        low, high = max(low, seen.low), min(high, seen.high)
        assert np.allclose([found.narrowing.low[j], found.narrowing.high[j]], [low, high])
    assert found.anytime[0][1:3] == pytest.approx((low, high))
    assert found.narrowing.estimate[-1] == pytest.approx(found.anytime[0].estimate)


def test_json_has_no_infinities(pair: tuple[StoredSample, Said]) -> None:
    sample, said = pair
    plain = judged(sample, said._replace(predictions=["no"] * len(sample.labels))).as_json()
    precision = next(one for one in plain["measures"] if one["of"] == "precision")
    assert precision["estimate"] is None
    assert (precision["low"], precision["high"]) == (0.0, 1.0)
    assert len(plain["narrowing"]["high"]) == plain["labels"] == len(sample.labels)


def test_what_taught_a_model_cannot_judge_it(
    pair: tuple[StoredSample, Said], margin_sample: ActiveLearner, labelled: Any, refused: Any
) -> None:
    sample, _ = pair
    margin_sample.save("renamed")
    for path in ("sample.csv", "elsewhere.csv"):
        Path("elsewhere.csv").write_text(Path("sample.csv").read_text())
        known = read_sample(path)
        said = predicted_by_model(known, ActiveLearner.load("renamed"))
        with refused(BadRecord, f"taught by {len(known.ids)} of the {len(known.ids)} labels"):
            judged(known, said)
    stranger, _, _ = labelled("margin", seed=7)
    assert judged(sample, predicted_by_model(sample, stranger)).classes == ("no", "yes")


def test_classes_have_an_order(pair: tuple[StoredSample, Said], refused: Any) -> None:
    sample, said = pair
    assert class_order(sample, said) == ("no", "yes")
    assert class_order(sample, said, "no") == ("yes", "no")
    with refused(InvalidParameter, "'maybe' is no class of sample.csv, which are no, yes"):
        class_order(sample, said, "maybe")
    colours = {"yes": "blue", "no": "red"}
    painted = Path("sample.csv").read_text().replace(",yes,", ",blue,").replace(",no,", ",red,")
    Path("painted.csv").write_text(painted)
    two = read_sample("painted.csv")
    painted_said = said._replace(predictions=[colours[one] for one in said.predictions])
    with refused(InvalidParameter, "which of 'blue' and 'red' is the positive class must be said"):
        judged(two, painted_said)
    assert class_order(two, painted_said, "blue") == ("red", "blue")
    assert class_order(two, painted_said._replace(classes=("red", "blue"))) == ("red", "blue")
    # A third class may be predicted that has no label.
    third = painted_said._replace(predictions=["green", *painted_said.predictions[1:]])
    found = judged(two, third)
    assert found.classes == ("blue", "green", "red")
    assert len(found.confusion) == 3
    names = [one.of for one in found.fixed]
    assert "macro F1" in names
    costs = Costs(("blue", "red"), np.array([[0.0, 1.0], [5.0, 0.0]]))
    with refused(InvalidParameter, "costs are needed for each class, got none of 'green'"):
        judged(two, third, costs=costs)


def test_a_sample_of_an_earlier_version_says_less(here: Path) -> None:
    lines = [f"{i},{'yes' if i % 4 else 'no'},1,1,80" for i in range(80)]
    Path("s.csv").write_text("\n".join(["id,label,weight,probability,n", *lines]) + "\n")
    Path("p.csv").write_text("\n".join(["id,prediction", *(f"{i},yes" for i in range(80))]) + "\n")
    highs = {}
    for name in ("passive", "iwal1"):
        sample = read_sample("s.csv", name)
        found = judged(sample, predicted_by_file(sample, "p.csv", "prediction"))
        assert found.narrowing is None
        assert math.isclose(found.anytime[0].estimate, 0.25)
        highs[name] = found.anytime[0].high
    assert highs["passive"] + 0.01 < highs["iwal1"]


def test_questions_without_an_answer_count_against_the_classifier(
    pair: tuple[StoredSample, Said],
) -> None:
    sample, said = pair
    assert sample.places is not None
    positions, least, _ = sample.places
    gaps = np.diff(positions, prepend=-1) - 1
    missing = [(0.3,) if gap > 0 else () for gap in gaps.tolist()]
    worse = {name: getattr(sample, name) for name in StoredSample.__slots__}
    worse["places"] = LabelPlaces(positions, least, missing)
    found, before = judged(StoredSample(**worse), said), judged(sample, said)
    assert found.unanswered == sum(map(len, missing)) > 10
    assert found.anytime[0].high > before.anytime[0].high
    assert found.anytime[0].low <= before.anytime[0].low


RUNS = 100


@pytest.mark.parametrize("name", ["passive", "margin", "iwal1"])
def test_over_many_runs_estimates_are_right_and_intervals_seldom_wrong(
    here: Path, labelled: Any, write_both: Any, name: str
) -> None:
    """From the learner through the file to the verdict, as the command goes."""
    parameters = {"c0": 0.05} if name == "iwal1" else {}
    true = _true_error()
    off, spread, wrong = 0.0, 0.0, 0
    for seed in range(RUNS):
        live, bought, records = labelled(name, seed=seed, n=150, **parameters)
        write_both(live, bought, records)
        sample = read_sample("sample.csv")
        said = predicted_by_file(sample, "mine.csv", "said")
        found = judged(sample, said, alpha=0.1)
        error = found.anytime[0]
        losses = np.array(said.predictions) != np.array(sample.labels)
        off += error.estimate - true
        second = np.sum(sample.weights[losses] ** 2)
        spread += (second - sample.n * error.estimate**2) / sample.n**2
        assert found.narrowing is not None
        low, high = found.narrowing.low, found.narrowing.high
        wrong += bool(((low > true) | (true > high)).any())
    assert abs(off) / math.sqrt(spread) < 3.29
    assert binomtest(wrong, RUNS, 0.1, "greater").pvalue > 1e-3
    # It would notice weights that are not there.
    assert RUNS * true * 0.2 / math.sqrt(spread) > 3.29


def _true_error() -> float:
    """The error of the rule: ages are 20 to 79, sizes are normal, a label in ten is wrong."""
    from scipy.stats import norm

    ages = np.arange(20, 80)
    said_yes = norm.sf((52 - ages) / 5)
    disagree = np.where(ages > 50, 1 - said_yes, said_yes)
    return float(np.mean(disagree * 0.9 + (1 - disagree) * 0.1))


@pytest.mark.parametrize("name", ["passive", "margin"])
def test_labels_that_were_held_out_judge_the_model_that_bought_them(
    here: Path, labelled: Any, write_both: Any, refused: Any, name: str
) -> None:
    live, bought, records = labelled(name, hold_out=0.3)
    write_both(live, bought, records)
    sample = read_sample("sample.csv")
    held = live.weighted_sample(held_out=True)
    said = predicted_by_model(sample, live)
    rows = list(sample.held_out_rows)
    assert len(rows) == len(held.ids) > 20
    assert not said.taught[rows].any()
    assert said.taught.sum() == len(sample.ids) - len(rows)
    found = judged(sample, said)
    wrong = live.predict_many(held.X) != held.y
    assert (found.n, found.labels) == (held.n, len(rows))
    assert math.isclose(found.anytime[0].estimate, held.weight[wrong].sum() / held.n)
    assert (found.anytime[0].high < 0.5) == (name == "passive")
    # A file that claims it of another label is not believed; one that says nothing is refused.
    head, *lines = Path("sample.csv").read_text().splitlines()
    place = head.split(",").index("held_out")
    cells = [line.split(",") for line in lines]
    other = next(row for row in range(len(cells)) if row not in rows)
    cells[rows[0]][place], cells[other][place] = "no", "yes"
    claimed = [",".join(one) for one in cells]
    for top, body in ((head, claimed), (head.replace(",held_out", ",kept"), lines)):
        Path("forged.csv").write_text("\n".join([top, *body]) + "\n")
        forged = read_sample("forged.csv")
        with refused(BadRecord, "the model was taught by"):
            judged(forged, predicted_by_model(forged, live))
