"""Labels that only judge: nothing learned changes by them, and what they say is checked by hand."""

import itertools
import math

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from askance import ActiveLearner, Budget, make_learner
from askance.errors import FileUnreadable, InvalidParameter, LabelConflict
from askance.estimate import FixedError
from askance.estimate.held_out import spent_level
from askance.live.in_blocks import InBlocks
from askance.live.judging import own_coins
from askance.simulate import Seat, run_matrix, run_rows
from askance.sparse import from_dense, row_at, rows_of
from askance.storage.states import read_state, write_state

N, SHARE = 900, 0.3
rng = np.random.default_rng(2)
X = rng.normal(size=(N, 3))
LABELS = np.where(X[:, 0] + 0.4 * rng.normal(size=N) > 0.3 * X[:, 1], 1, -1).tolist()
MATRIX = from_dense(X)
ROWS = [row_at(MATRIX, i) for i in range(N)]
COINS = np.random.default_rng(5).random(N)
HELD = own_coins(COINS) < SHARE

NAMES = {
    "auto": {"estimator": GaussianNB()},
    "iwal1": {"c0": 0.01},
    "margin": {"b": 0.1},
    "passive": {},
    "online_active_cover": {"c0": 0.05},
    "oracular_iwal1": {"c0": 0.05},
}


USUAL = Budget(total=120)


def fresh(name="auto", *, budget=USUAL, hold_out=SHARE, **chosen):
    plan = {"budget": budget, "horizon": N} if name == "auto" else {"budget": budget}
    given = {"n_features": 3, "random_state": 5, "hold_out": hold_out}
    return ActiveLearner(name, **given, **plan, **NAMES[name], **chosen)


def walk(live, rows=range(N), label_of=LABELS.__getitem__):
    """Ask and tell."""
    for i in rows:
        question = live.ask(ROWS[i])
        if question.wanted:
            live.tell(question, label_of(i))
    return live


def test_an_own_coin_is_uniform_and_tells_nothing_of_the_coin():
    coins = np.random.default_rng(0).random(200_000)
    own = own_coins(coins)
    table, *_ = np.histogram2d(coins, own, bins=10, range=[(0, 1), (0, 1)])
    assert np.abs(table / 2000 - 1).max() < 0.1
    # Right below P as elsewhere.
    assert abs(own[(coins > 0.299) & (coins < 0.3)].mean() - 0.5) < 0.07


@pytest.mark.parametrize("name", NAMES)
def test_a_learner_is_what_it_would_be_on_the_rest_of_the_stream(name):
    """Its own verbs, on what is not held out, with its part of budget and horizon."""
    live = walk(fresh(name, budget=None))
    alone = make_learner(name, n_features=3, **NAMES[name])
    if name == "auto":
        alone.plan(None, round((1 - SHARE) * N))
    for i in np.flatnonzero(~HELD):
        decision = alone.decide(ROWS[i], COINS[i])
        alone.learn(ROWS[i], decision, LABELS[i] if decision.queried else None)
    assert live.stats().learned == alone.k == (~HELD).sum()
    assert live.stats().held_out > 10
    found, expected = live.learner.get_state(), alone.get_state()
    assert repr(found) == repr(expected)


@pytest.mark.parametrize("name", NAMES)
def test_labels_that_are_held_out_change_nothing_but_the_judgement(name):
    true = walk(fresh(name, audit=0.05))
    false = walk(fresh(name, audit=0.05), label_of=lambda i: -LABELS[i] if HELD[i] else LABELS[i])
    assert repr(true.learner.get_state()) == repr(false.learner.get_state())
    assert true.weighted_sample().ids.tolist() == false.weighted_sample().ids.tolist()
    judged, misjudged = true.stats().current, false.stats().current
    assert judged.estimate < misjudged.estimate
    assert judged.low < misjudged.low


@pytest.mark.parametrize("budget", [None, Budget(total=60), Budget(total=400)])
@pytest.mark.parametrize("name", ["auto", "online_active_cover"])
def test_by_blocks_as_by_rows(name, budget, tmp_path):
    by_blocks, by_rows, by_some = (fresh(name, budget=budget, audit=0.03) for _ in range(3))
    asked, told = {}, {}
    found = run_matrix(Seat(by_blocks, on_query=asked.__setitem__), MATRIX, LABELS.__getitem__)
    examples = zip(rows_of(MATRIX, wide=True), range(N), strict=True)
    seat = Seat(by_rows, on_query=told.__setitem__)
    assert [found] == run_rows([seat], examples, LABELS.__getitem__)
    assert asked == told
    start = 0
    while start < found.examples:
        questions = by_some.ask_many(MATRIX[start : found.examples])
        start += len(questions)
        if questions[-1].wanted:
            by_some.tell(questions[-1], LABELS[start - 1])
    assert by_blocks.stats() == by_rows.stats() == by_some.stats()
    for learner, file in ((by_blocks, "blocks"), (by_rows, "rows"), (by_some, "some")):
        learner.save(tmp_path / file)
    files = [(tmp_path / file).read_bytes() for file in ("blocks", "rows", "some")]
    assert files[0] == files[1] == files[2]


def test_a_block_ends_with_the_label_that_may_change_the_classifier():
    """What is held out right after it, though nothing else comes, is predicted by the new one."""
    by_rows, live = (fresh(budget=None, rate=1.0, hold_out=0.7) for _ in range(2))
    expected, found, blocks = [], [], InBlocks(live)
    for i, x in enumerate(ROWS[:400]):
        question = by_rows.ask(x)
        expected.append(question.predicted)
        if question.wanted:
            by_rows.tell(question, LABELS[i])
    # Cut before each example that is shown.
    shown = np.flatnonzero(own_coins(COINS[:400]) >= 0.7).tolist()
    for start, stop in itertools.pairwise([0, *shown, 400]):
        while start < stop:
            decisions = blocks.decide_many(MATRIX[start:stop], blocks.coins(stop - start))
            labels = [LABELS[i] if one.queried else None for i, one in enumerate(decisions, start)]
            found += [decision.predicted for decision in decisions]
            blocks.learn_many(MATRIX[start : len(found)], decisions, labels)
            start = len(found)
    assert found == expected


@pytest.mark.parametrize("name", ["auto", "iwal1", "online_active_cover"])
def test_what_is_foretold_and_recalled_is_what_is_asked(name, tmp_path):
    asked, recalled = (fresh(name, budget=Budget(total=90), audit=0.03) for _ in range(2))
    walk(asked)
    start = 0
    while start < N:
        decisions = [decision for _, decision in recalled.foretell(MATRIX[start:])]
        recalled.recall(MATRIX[start : start + len(decisions)], decisions)
        start += len(decisions)
        for id in recalled.pending():
            recalled.tell(id, LABELS[id])
    assert recalled.stats() == asked.stats()
    if name != "auto":
        # Of a block of auto's, several labels come together, and a little later than one by one.
        for learner, file in ((asked, "asked"), (recalled, "recalled")):
            learner.save(tmp_path / file)
        assert (tmp_path / "asked").read_bytes() == (tmp_path / "recalled").read_bytes()


@pytest.mark.parametrize("name", ["auto", "iwal1", "passive"])
def test_the_current_error_is_that_of_all_that_was_held_out(name):
    """A sequence by hand for the last classifier that was judged."""
    live = fresh(name, budget=None)
    refits, judged, until, errors = 0, 0, N, np.zeros(N)
    questions = []
    for i, x in enumerate(ROWS):
        questions.append(live.ask(x))
        if questions[-1].wanted:
            live.tell(questions[-1], LABELS[i])
        learned = live.stats().answered - live.stats().held_out
        due = learned >= max(20, math.ceil(1.35 * judged))
        if name == "auto":
            learned = live.learner.fitted
            due = learned != judged
        if due:
            refits, judged = refits + 1, learned
            until = N if name == "auto" else i + 1
            predicted = [live.learner.predict(x) for x in ROWS]
            errors = (np.array(predicted) != LABELS).astype(float)
    twin = FixedError(alpha=spent_level(0.05, refits), floor=0.1 if name == "auto" else None)
    for i in np.flatnonzero(HELD[:until]):
        if questions[i].wanted:
            twin.add(errors[i], questions[i].probability)
        else:
            twin.skip(probability=questions[i].probability)
    assert refits > 3
    found = live.stats().current
    assert np.allclose(found[:3], twin.interval()[:3], atol=1e-9)
    assert found[3:] == (0.95, f"error of the classifier of {judged} labels", "at any time")


def test_what_is_held_out_of_a_paced_learner_is_asked_about_alike():
    live = fresh()
    questions = [live.ask(x) for x in ROWS[:300]]
    held = [question for question, apart in zip(questions, HELD, strict=False) if apart]
    assert {question.probability for question in held} == {live.learner.whole_rate}
    assert live.learner.whole_rate == 84 / 630
    below = COINS[:300][HELD[:300]] < live.learner.whole_rate
    assert [question.wanted for question in held] == below.tolist()


@pytest.mark.parametrize("name", ["auto", "iwal1", "passive"])
def test_a_budget_has_two_parts(name):
    live = walk(fresh(name, budget=Budget(total=100)))
    stats, ids = live.stats(), live.weighted_sample().ids
    assert stats.asked <= 100
    assert stats.held_out == HELD[ids].sum() <= 30
    assert (~HELD[ids]).sum() <= 70
    if name != "auto":
        assert stats.asked == 100
    sample = live.weighted_sample(held_out=True)
    assert sample.ids.tolist() == [id for id in ids if HELD[id]]
    assert sample.n == live._judging.examples


@pytest.mark.parametrize("seed", range(8))
def test_neither_part_of_a_budget_takes_from_the_other(seed):
    """Who asks about all has the first 14 examples to learn, and the first 6 held out."""
    live = ActiveLearner(
        "passive", n_features=3, random_state=seed, hold_out=SHARE, budget=Budget(total=20)
    )
    walk(live, range(200))
    held = own_coins(np.random.default_rng(seed).random(200)) < SHARE
    expected = {*np.flatnonzero(~held)[:14], *np.flatnonzero(held)[:6]}
    assert set(live.weighted_sample().ids) == expected


def test_held_out_labels_may_come_at_the_end():
    """They judge the last classifier, not those that said otherwise when they were asked for."""
    # The first labels are reversed, so that the first classifiers are wrong elsewhere.
    labels = [-label if i < 150 else label for i, label in enumerate(LABELS)]
    prompt, later = walk(fresh(), label_of=labels.__getitem__), fresh()
    waiting = []
    for i, x in enumerate(ROWS):
        question = later.ask(x)
        if question.wanted and HELD[i]:
            waiting.append((question, labels[i]))
        elif question.wanted:
            later.tell(question, labels[i])
    assert sum(asked.predicted != later.predict(ROWS[asked.id]) for asked, _ in waiting) > 3
    assert later.stats().current is None
    later.tell_many(waiting)
    assert repr(later.learner.get_state()) == repr(prompt.learner.get_state())
    assert np.allclose(later.stats().current[:3], prompt.stats().current[:3], atol=1e-9)


def test_a_label_that_does_not_come_counts_as_right_below_and_as_wrong_above():
    told, silent, gone = fresh(), fresh(), fresh()
    for i, x in enumerate(ROWS):
        for live in (told, silent, gone):
            question = live.ask(x)
            drop = HELD[i] and i % 4 == 0
            if question.wanted and not (drop and live is not told):
                live.tell(question, LABELS[i])
            elif question.wanted and live is gone:
                live.withdraw(question)
    found, missing, withdrawn = (live.stats().current for live in (told, silent, gone))
    assert missing.low <= found.low
    assert missing.high > found.high + 0.02
    # Those that are withdrawn are refunded, and others are asked in their place.
    assert gone.stats().withdrawn > 2
    assert withdrawn.high > found.high
    with pytest.raises(LabelConflict):
        gone.tell(int(next(iter(gone._questions.withdrawn))), 1)


@pytest.mark.parametrize("name", NAMES)
def test_a_saved_learner_goes_on_as_if_nothing_had_happened(name, tmp_path):
    whole, parts = fresh(name, audit=0.04), fresh(name, audit=0.04)
    questions = []
    for i, x in enumerate(ROWS):
        if i in (150, 500):
            parts.save(tmp_path / "model")
            parts = ActiveLearner.load(tmp_path / "model", estimator=NAMES[name].get("estimator"))
            assert repr(parts.stats()) == repr(whole.stats())
        asked = [live.ask(x) for live in (whole, parts)]
        assert asked[0] == asked[1]
        questions += [(asked[0], LABELS[i])] if asked[0].wanted else []
        if len(questions) > 5:
            question, label = questions.pop(0)
            for live in (whole, parts):
                live.tell(question, label)
    assert repr(whole.stats()) == repr(parts.stats())
    assert whole.stats().held_out > 5


@pytest.mark.parametrize("name", ["online_active_cover", "oracular_iwal1"])
def test_audited_labels_are_not_learned_and_make_the_sample_unbiased(name):
    plain, audited = (fresh(name, hold_out=0, budget=None, audit=audit) for audit in (0, 0.2))
    for i, x in enumerate(ROWS):
        one, other = plain.ask(x), audited.ask(x)
        outside = one.reason == "outside"
        assert other.probability == (0.2 if outside else one.probability)
        assert other.wanted == (one.wanted or (outside and COINS[i] < 0.2))
        for live, question in ((plain, one), (audited, other)):
            if question.wanted:
                live.tell(question, LABELS[i])
    assert repr(plain.learner.get_state()) == repr(audited.learner.get_state())
    stats = audited.stats()
    extra = set(audited.weighted_sample().ids) - set(plain.weighted_sample().ids)
    assert stats.audited == len(extra) > 30
    assert plain.stats().error is None
    assert stats.error.low < stats.error.estimate < stats.error.high
    assert abs(audited.weighted_sample().weight.sum() / N - 1) < 0.25


def test_a_collapse_shows_in_numbers():
    live = fresh("oracular_iwal1", hold_out=0, audit=0.1, budget=None)
    live.learner.c0 = 1e-6
    for i, x in enumerate(ROWS):
        question = live.ask(x)
        if question.wanted:
            live.tell(question, LABELS[i] if i < 5 or i % 3 else -LABELS[i])
    stats = live.stats()
    assert stats.contradicted > 5
    said = f"{stats.contradicted} of {stats.audited} labels that were audited there contradict them"
    assert said in stats.warning


def test_a_budget_that_changes(tmp_path):
    """A lower rate takes a new sequence, a higher one does not."""
    live = fresh(budget=Budget(total=120))
    walk(live, range(400))
    refits = live._judging.error.refits
    before = live._judging.rate
    live.set_budget(Budget(total=60), N)
    assert live._judging.rate < before
    assert live._judging.error.refits == refits + 1
    live.set_budget(Budget(total=200), N)
    assert live._judging.error.refits == refits + 1
    walk(live, range(400, N))
    live.save(tmp_path / "model")
    again = ActiveLearner.load(tmp_path / "model", estimator=GaussianNB())
    assert again.stats() == live.stats()


@pytest.mark.parametrize("total", [30, 300])
def test_a_budget_that_comes_before_the_first_example_sets_the_floor(total):
    """As in a labelling, which learns of its budget when the file was counted."""
    late, early = fresh(budget=Budget(total=120)), fresh(budget=Budget(total=total))
    late.set_budget(Budget(total=total), N)
    assert late._judging.error.floor == late._judging.rate == early._judging.rate
    for live in (late, early):
        walk(live, range(600))
    assert late.stats().current == early.stats().current is not None


@pytest.mark.parametrize(
    "forged",
    [
        {"counts": [1, 0, 0, 0]},
        {"counts": [900, 1, 2, 20]},
        {"counts": [900, 0, 0, 500]},
        {"ids": np.array([899])},
        {"probabilities": np.array([2.0])},
        {"hold_out": 2.0},
        {"rate": -1.0},
        {"error": {"refits": -1}},
    ],
)
def test_forged_files(forged, tmp_path):
    path = tmp_path / "model"
    walk(fresh(), range(300)).save(path)
    state = read_state(path, "active learner")
    judging = state["judging"]
    if "probabilities" in forged:
        forged = {"probabilities": np.full(len(judging["ids"]), 2.0)}
    state["judging"] = {**judging, **forged}
    write_state(path, "active learner", state)
    with pytest.raises(FileUnreadable):
        ActiveLearner.load(path, estimator=None if "hold_out" in forged else GaussianNB())


def test_bad_input(refused):
    for name in ("hold_out", "audit"):
        for share in (-0.1, 1.0, math.nan):
            with refused(InvalidParameter, f"{name} must be from 0 to below 1, got {share}"):
                ActiveLearner("passive", n_features=1, **{name: share})
    with refused(InvalidParameter, "got 2 labels per 50 examples"):
        fresh(budget=Budget(labels=2, per=50))
    with refused(InvalidParameter, "no labels are held out, expected a learner with hold_out"):
        fresh(hold_out=0.0).weighted_sample(held_out=True)


def test_to_look_costs_no_more_than_what_is_shown(monkeypatch):
    """Kept rows are put together for a refit or a picture, not after every answer."""
    live = ActiveLearner("auto", n_features=2, rate=1.0, estimator=GaussianNB(), hold_out=0.3)
    for x in np.random.default_rng(0).random((100, 2)):
        if (question := live.ask(x)).wanted:
            live.tell(question, 1 if x.sum() > 1 else -1)
    looked = []
    rows = type(live.learner).kept_rows
    monkeypatch.setattr(
        type(live.learner), "kept_rows", property(lambda self: looked.append(1) or rows.fget(self))
    )
    assert live.stats().current is not None
    assert live.done() is None
    assert not looked
