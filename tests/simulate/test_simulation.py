"""Hidden labels stay hidden, and errors are measured when a budget's last label was learned."""

import ast
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.live.conftest import ALGORITHMS as SETTINGS
from tests.live.conftest import STREAM

import askance
from askance import simulate as simulation
from askance.checks.comparing import same
from askance.checks.made_examples import make_stream
from askance.engine import stream_of_rows
from askance.errors import InvalidParameter
from askance.types import Decision, Label, Row, State

LABELLED = [(step.row, step.label) for step in STREAM]
COINS = [step.coin for step in STREAM]


class Recorded:
    """A learner that writes down what it decides and learns."""

    def __init__(self, name: str) -> None:
        self.inner = askance.make_learner(name, n_features=4, **SETTINGS[name])
        self.decisions: list[Decision] = []
        self.labels: list[Label | None] = []

    @property
    def k(self) -> int:
        return self.inner.k

    @property
    def mean_error(self) -> float:
        return self.inner.mean_error

    def predict(self, x: Row) -> Label:
        return self.inner.predict(x)

    def decide(self, x: Row, coin: float) -> Decision:
        decision = self.inner.decide(x, coin)
        self.decisions.append(decision)
        return decision

    def learn(self, x: Row, decision: Decision, label: Label | None) -> None:
        self.labels.append(label)
        self.inner.learn(x, decision, label)

    def get_state(self) -> State:
        return self.inner.get_state()

    def set_state(self, state: State) -> None:
        self.inner.set_state(state)


def decisions(name: str, labelled: list[tuple[Row, Label]]) -> list[Decision]:
    learner = Recorded(name)
    simulation.simulate(learner, labelled, COINS, LABELLED[:1], budgets=[10**6])
    assert len(learner.decisions) == len(labelled)
    return learner.decisions


@pytest.mark.parametrize("name", SETTINGS)
@given(i=st.integers(0, len(STREAM) - 1))
def test_a_hidden_label_changes_no_decision_up_to_its_own(name: str, i: int) -> None:
    row, label = LABELLED[i]
    flipped = [*LABELLED[:i], (row, -label), *LABELLED[i + 1 :]]
    plain, other = decisions(name, LABELLED), decisions(name, flipped)
    assert plain[: i + 1] == other[: i + 1]
    if not plain[i].queried:
        assert plain == other


@pytest.mark.parametrize("name", SETTINGS)
def test_flipping_all_labels_matters(name: str) -> None:
    """Otherwise the test above would show nothing."""
    flipped = [(row, -label) for row, label in LABELLED]
    assert decisions(name, LABELLED) != decisions(name, flipped)


def test_only_asked_labels_are_shown() -> None:
    learner = Recorded("iwal1")
    simulation.simulate(learner, LABELLED, COINS, LABELLED, budgets=[10**6])
    asked = [decision.queried for decision in learner.decisions]
    assert [label is not None for label in learner.labels] == asked
    assert 0 < sum(asked) < len(asked)
    shown = [label for label in learner.labels if label is not None]
    truth = [label for (_, label), queried in zip(LABELLED, asked, strict=True) if queried]
    assert shown == truth


def test_errors_at_budgets_equal_separate_runs() -> None:
    """Each row against a run that stops right after the budget's last label."""
    rows = simulation.simulate(
        Recorded("iwal1"), LABELLED, COINS, LABELLED, budgets=[2, 4, 8, 1000]
    ).rows
    assert [row.budget for row in rows] == [2, 4, 8, 1000]
    assert [row.reached for row in rows] == [True, True, True, False]
    for row in rows:
        learner = Recorded("iwal1")
        for (x, label), coin in itertools.islice(zip(LABELLED, COINS, strict=True), row.examples):
            decision = learner.decide(x, coin)
            learner.learn(x, decision, label if decision.queried else None)
        wrong = sum(learner.predict(x) != label for x, label in LABELLED)
        assert row.error == wrong / len(LABELLED)
        assert row.queries == sum(d.queried for d in learner.decisions)
        if row.reached:
            assert row.queries == row.budget
            assert learner.decisions[-1].queried


def test_the_run_stops_at_the_last_budget() -> None:
    def stream() -> Iterator[tuple[Row, Label]]:
        yield from LABELLED[:6]
        raise AssertionError("nothing may be read after the last budget")

    seen: list[tuple[int, int]] = []
    simulation.run_readable(
        askance.make_learner("passive", n_features=4), stream(), COINS, LABELLED,
        budgets=[2, 5], progress=lambda examples, queries: seen.append((examples, queries)),
    )  # fmt: skip
    assert seen == [(i, i) for i in range(1, 6)]


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("to_the_end", [False, True])
def test_a_pass_ends_as_the_readable_loop_does(name: str, to_the_end: bool) -> None:
    runs = []
    for go in (simulation.simulate, simulation.run_readable):
        learner = askance.make_learner(name, n_features=4, **SETTINGS[name])
        given = {"budgets": [2, 3, 1000][: 2 + to_the_end], "to_the_end": to_the_end}
        runs.append((go(learner, LABELLED, COINS, LABELLED[:30], **given), learner.k))
    assert runs[0] == runs[1]
    assert runs[0][0].ended == ("stream over" if to_the_end else "last budget reached")
    together = simulation.simulate_settings(
        [simulation.Contestant(name, name, SETTINGS[name])],
        4,
        stream_of_rows(LABELLED, COINS),
        stream_of_rows(LABELLED[:30]),
        **given,
    )
    assert together == [runs[0][0]]


@pytest.mark.parametrize("name", ["iwal1", "oracular_iwal1", "online_active_cover"])
def test_each_disagreement_test_keeps_its_own_results(name: str) -> None:
    """Settings with a pass and without one, in any order: each gives what its own verbs give."""
    kinds = ["exact", "sensitivity", "exact", "margin"]
    settings = [
        simulation.Contestant(
            f"{i}", name, {**SETTINGS[name], "c0": 0.02 + i, "disagreement": kind}
        )
        for i, kind in enumerate(kinds)
    ]
    given = {"budgets": [5, 10, 1000]}
    together = simulation.simulate_settings(
        settings, 4, stream_of_rows(LABELLED, COINS), stream_of_rows(LABELLED[:30]), **given
    )
    for one, found in zip(settings, together, strict=True):
        for go in (simulation.simulate, simulation.run_readable):
            assert go(one.learner(4), LABELLED, COINS, LABELLED[:30], **given) == found


@pytest.mark.parametrize("to_the_end", [False, True])
@pytest.mark.parametrize("name", ["coal", "passive", "margin", "iwal0", "iwal1"])
def test_a_pass_of_several_classes_ends_as_the_readable_loop_does(
    name: str, to_the_end: bool
) -> None:
    made = make_stream(seed=8, n_features=4, length=400, n_classes=3)
    examples, test = [step[:2] for step in made[:300]], [step[:2] for step in made[300:]]
    coins = [step.coin for step in made[:300]]
    runs, states = [], []
    for how in (simulation.simulate, simulation.run_readable):
        learner = askance.make_learner(name, n_features=4, n_classes=3)
        found = how(
            learner, examples, coins, test, budgets=[5, 20, 60, 9999], to_the_end=to_the_end
        )
        short = how(learner, examples, coins, test, budgets=[7], to_the_end=to_the_end)
        runs.append((found, short))
        states.append(learner.get_state())
    assert runs[0] == runs[1]
    assert same(*states)
    assert runs[0][1].rows[0].reached


def test_going_on_after_the_last_budget_changes_no_row() -> None:
    short, long = (
        simulation.simulate(
            askance.make_learner("passive", n_features=4), LABELLED, COINS, LABELLED,
            budgets=[5, 20], to_the_end=to_the_end,
        )
        for to_the_end in (False, True)
    )  # fmt: skip
    assert short.rows == long.rows
    assert (short.examples, short.queries, short.error) == (20, 20, short.rows[-1].error)
    assert (long.examples, long.queries) == (60, 60)


@pytest.mark.parametrize("name", SETTINGS)
def test_an_active_learner_is_simulated_on_its_own_coins(name: str) -> None:
    live = askance.ActiveLearner(name, n_features=4, random_state=9, **SETTINGS[name])
    coins = np.random.default_rng(9).random(len(LABELLED)).tolist()
    plain = askance.make_learner(name, n_features=4, **SETTINGS[name])
    found = simulation.simulate(live, LABELLED, None, LABELLED, budgets=[3, 1000])
    assert found == simulation.run_readable(plain, LABELLED, coins, LABELLED, budgets=[3, 1000])


@pytest.mark.parametrize("to_the_end", [False, True])
def test_an_active_learner_is_simulated_until_its_own_budget_is_spent(to_the_end: bool) -> None:
    live = askance.ActiveLearner("passive", n_features=4, budget=askance.Budget(total=5))
    unread = iter(LABELLED)
    run = simulation.simulate(live, unread, None, LABELLED, budgets=[3, 10], to_the_end=to_the_end)
    assert (run.examples, run.queries, run.ended) == (5, 5, "budget spent")
    assert [(row.examples, row.reached) for row in run.rows] == [(3, True), (5, False)]
    assert run.error == simulation.test_error(live, LABELLED)
    assert len(list(unread)) == 55


def test_mistakes_are_counted_before_each_label_and_after_the_last() -> None:
    learner, seen = askance.make_learner("passive", n_features=4), []
    (run,) = simulation.run_rows(
        [simulation.Seat(learner, COINS, [3, 6], limit=6)], LABELLED, lambda label: label,
        progressive=True, progress=lambda *pair: seen.append(pair),
    )  # fmt: skip
    plain = askance.make_learner("passive", n_features=4)
    wrong = []
    for i, (x, label) in enumerate(LABELLED):
        wrong.append(plain.predict(x) != label)
        if i < 6:
            plain.learn(x, plain.decide(x, COINS[i]), label)
    assert [(row.examples, row.error) for row in run.rows] == [
        (n, sum(wrong[:n]) / n) for n in (3, 6)
    ]
    assert (run.queries, run.error) == (6, sum(wrong) / 60)
    assert run.ended == "stream over"
    assert seen[-1] == (60, 6)
    assert learner.k == 6


LOOPS = {
    "simulate/loop.py": "the loop by rows and by blocks",
    "kernels/passes.py": "the compiled loop",
    "engine/checkpoints.py": "the compiled loop from budget to budget, which simulate calls",
    "engine/drivers.py": "one example by the verbs of a learner, or by compiled steps",
    "live/active_learner.py": "one example for whoever has a loop of his own",
    "live/asking.py": "the same, entered into the books",
    "live/foretelling.py": "what will be decided, for whoever writes it down before it is taken in",
    "learners/epochs.py": "one row is a block of one",
    "learners/auto.py": "one row is a block of one",
    "checks/learner.py": "the contract of the verbs, each tried by itself",
    "labelling/session.py": "a person's answers, played again from a journal",
    "adapters/river.py": "River has the loop: one example at a time",
    "simulate/simulation.py": "the call of the compiled loop",
    "service/offering.py": "an example of an application, written down before it is taken in",
    "service/replay.py": "what was written down, decided again to compare",
    "service/warming.py": "made examples, so that what a learner needs is compiled",
    "service/api/examples.py": "the session's own verb, over HTTP",
    "live/judging.py": "an example whose label only judges",
    "live/signs.py": "one example of a learner of two classes, by the codes of several",
    "theory/watching.py": "what a learner would answer at every point of a world",
}
"""Where a learner is asked to decide, and why it is not done by ``simulate``."""


def test_there_is_one_loop() -> None:
    package = Path(askance.__file__).parent
    verbs = {"decide", "decide_many", "offer", "_offer", "ask", "ask_many", "foretell"}
    verbs |= {"run_settings", "run_compiled"}
    found = set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", None))
                if name in verbs or (name == "advance" and "engine" in path.parts):
                    found.add(str(path.relative_to(package)))
    assert found == LOOPS.keys()


def test_budgets_of_the_paper() -> None:
    assert list(simulation.BUDGETS) == [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240]


@pytest.mark.parametrize("label", [2, 0, True, 1.5, None, "1"])
@pytest.mark.parametrize("drive", [simulation.simulate, simulation.run_readable])
def test_a_label_that_is_none_is_refused(label: Any, drive: Any, refused: Any) -> None:
    stream = [(LABELLED[0][0], label), *LABELLED[1:]]
    with pytest.raises(askance.AskanceError):
        drive(askance.make_learner("passive", n_features=4), stream, COINS, LABELLED)


def test_bad_or_missing_coins_are_refused(refused: Any) -> None:
    def learner() -> Any:
        return askance.make_learner("passive", n_features=4)

    with refused(InvalidParameter, "a coin must lie in [0, 1), got 1.5"):
        simulation.simulate(learner(), LABELLED, [0.5, 1.5, *COINS], LABELLED)
    with refused(InvalidParameter, "every example needs a coin, got 2 coins and more examples"):
        simulation.simulate(learner(), LABELLED, COINS[:2], LABELLED)
