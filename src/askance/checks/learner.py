"""The contract of a learner, as a list of named checks.

>>> import askance
>>> check_learner(lambda: askance.make_learner("iwal1", n_features=5), n_features=5)
"""

import copy
import pickle
from collections.abc import Callable

import numpy as np

from askance.checks.comparing import demand, is_refused, same
from askance.checks.made_examples import Example, bad_rows, make_stream
from askance.live import ActiveLearner
from askance.protocols import Learner
from askance.types import Decision, Label, Row

__all__ = ["check_learner", "learner_checks"]

Factory = Callable[[], Learner]
Check = Callable[[Factory, list[Example]], None]


def check_learner(factory: Factory, *, n_features: int = 5, seed: int = 0) -> None:
    """Run every check on fresh learners; the first that fails raises AssertionError.

    Parameters
    ----------
    factory
        Builds a fresh learner over ``n_features`` features. If it has an ``n_classes``, labels are
        codes from 0 on.
    n_features
        Number of features of the rows to try, at least 2.
    seed
        Seed of the rows, hidden labels and coins to try.

    Examples
    --------
    >>> import askance
    >>> check_learner(lambda: askance.make_learner("margin", n_features=2), n_features=2)
    """
    for _, check in learner_checks():
        check(factory, make_stream(seed, n_features, n_classes=_classes(factory())))


def _classes(learner: Learner) -> int | None:
    """How many classes there are, if labels are their codes."""
    return getattr(learner, "n_classes", None)


def learner_checks() -> list[tuple[str, Check]]:
    """Name and function of each check; a function takes the factory and a stream.

    >>> [name for name, _ in learner_checks()][0]
    'decide changes nothing'
    """
    return [
        ("decide changes nothing", _decide_is_pure),
        ("equal inputs give equal decisions", _equal_decisions),
        ("a decision holds exact types", _exact_types),
        ("probabilities lie in [0, 1], and are 0 outside the region", _probabilities),
        ("queried means that the coin fell below the probability", _queried),
        ("a lower coin never un-queries", _lower_coin),
        ("coins outside [0, 1) are refused", _refuses_bad_coins),
        ("the clock counts every learn", _clock),
        ("unfit labels are refused without change", _refuses_unfit_labels),
        ("bad rows are refused without change", _refuses_bad_rows),
        ("state round-trips", _state_round_trips),
        ("pickling round-trips", _pickle_round_trips),
        ("replay equals live", _replay),
        ("delay 0 equals no delay", _zero_delay),
        ("labels may come late and out of order", _late_labels),
        ("predictions are exactly labels", _predictions),
    ]


Entry = tuple[Row, Decision, Label | None]


def _advance(learner: Learner, step: Example) -> Entry:
    """Decide and learn one example; return what a log would hold."""
    decision = learner.decide(step.row, step.coin)
    label = step.label if decision.queried else None
    learner.learn(step.row, decision, label)
    return step.row, decision, label


def _run(learner: Learner, stream: list[Example]) -> list[Decision]:
    return [_advance(learner, step)[1] for step in stream]


def _snapshot(learner: Learner) -> object:
    return copy.deepcopy(learner.get_state())


def _decide_is_pure(factory: Factory, stream: list[Example]) -> None:
    learner, plain = factory(), factory()
    for step in stream:
        before = _snapshot(learner)
        for other in stream[:3]:
            learner.decide(other.row, other.coin)
        demand(same(before, learner.get_state()), "decide changed the state")
        found, expected = _advance(learner, step)[1], _advance(plain, step)[1]
        demand(found == expected, f"deciding on others first gives {found}, without {expected}")


def _equal_decisions(factory: Factory, stream: list[Example]) -> None:
    learner, other = factory(), factory()
    for step in stream:
        first, again = (learner.decide(step.row, step.coin) for _ in range(2))
        demand(first == again, f"two decisions on the same input differ: {first} and {again}")
        demand(
            other.decide(step.row, step.coin) == first,
            "two learners with the same past decide differently",
        )
        _advance(learner, step)
        _advance(other, step)


def _exact_types(factory: Factory, stream: list[Example]) -> None:
    expected = {
        "predicted": int,
        "in_disagreement": bool,
        "probability": float,
        "queried": bool,
        "k": int,
        "threshold": float,
        "floor": float,
    }
    learner = factory()
    for step in stream:
        # A numpy coin is where np.bool_ slips in.
        for coin in (step.coin, np.float64(step.coin)):
            decision = learner.decide(step.row, coin)
            for name, kind in expected.items():
                found = type(getattr(decision, name))
                demand(
                    found is kind,
                    f"{name} of a decision must be {kind.__name__}, got {found.__name__}",
                )
        _advance(learner, step)


def _probabilities(factory: Factory, stream: list[Example]) -> None:
    for decision in _run(factory(), stream):
        p = decision.probability
        demand(0.0 <= p <= 1.0, f"a probability must lie in [0, 1], got {p}")
        if not decision.in_disagreement:
            demand(p == 0.0, f"the probability outside the region must be 0, got {p}")


def _queried(factory: Factory, stream: list[Example]) -> None:
    learner = factory()
    for step in stream:
        p = learner.decide(step.row, step.coin).probability
        below, above = np.nextafter(p, 0.0), np.nextafter(p, 1.0)
        for coin in (0.0, step.coin, float(below), p, float(above), float(np.nextafter(1.0, 0.0))):
            if coin < 1.0:
                decision = learner.decide(step.row, coin)
                demand(
                    decision.queried == (coin < decision.probability),
                    f"queried is {decision.queried} for coin {coin} and probability {p}",
                )
        _advance(learner, step)


def _lower_coin(factory: Factory, stream: list[Example]) -> None:
    learner = factory()
    for step in stream:
        coins = sorted({0.0, step.coin, *(other.coin for other in stream[:5])})
        queried = [learner.decide(step.row, coin).queried for coin in coins]
        demand(queried == sorted(queried, reverse=True), "a lower coin un-queried an example")
        _advance(learner, step)


def _refuses_bad_coins(factory: Factory, stream: list[Example]) -> None:
    learner = factory()
    for coin in (-0.1, 1.0, float("nan")):
        demand(is_refused(learner.decide, stream[0].row, coin), f"decide must refuse coin {coin}")


def _clock(factory: Factory, stream: list[Example]) -> None:
    learner = factory()
    for i, step in enumerate(stream):
        demand(learner.k == i, f"after {i} examples the clock shows {learner.k}")
        _, decision, _ = _advance(learner, step)
        demand(decision.k == i, f"the decision on example {i} holds k = {decision.k}")


def _refuses_unfit_labels(factory: Factory, stream: list[Example]) -> None:
    learner = factory()
    n_classes = _classes(learner)
    never = (None, 0, 2, True) if n_classes is None else (None, -1, n_classes, True, 0.5)
    for step in stream:
        # Both kinds of decision at once: a coin of 0 asks wherever asking is possible.
        for coin in (0.0, float(np.nextafter(1.0, 0.0))):
            decision = learner.decide(step.row, coin)
            unfit = never if decision.queried else (step.label, 2)
            before = _snapshot(learner)
            for label in unfit:
                demand(
                    is_refused(learner.learn, step.row, decision, label),
                    f"learn must refuse label {label} where queried is {decision.queried}",
                )
            demand(same(before, learner.get_state()), "a refused label changed the state")
        _advance(learner, step)


def _refuses_bad_rows(factory: Factory, stream: list[Example]) -> None:
    learner = factory()
    _run(learner, stream)
    before = _snapshot(learner)
    decision = learner.decide(stream[0].row, 0.0)
    label = stream[0].label if decision.queried else None
    n_features = 1 + max(int(step.row.indices.max(initial=0)) for step in stream)
    for fault, row in bad_rows(n_features).items():
        demand(is_refused(learner.predict, row), f"predict must refuse a row with {fault}")
        demand(is_refused(learner.decide, row, 0.5), f"decide must refuse a row with {fault}")
        demand(
            is_refused(learner.learn, row, decision, label),
            f"learn must refuse a row with {fault}",
        )
    demand(same(before, learner.get_state()), "a refused row changed the state")


def _state_round_trips(factory: Factory, stream: list[Example]) -> None:
    half = len(stream) // 2
    learner, restored = factory(), factory()
    _run(learner, stream[:half])
    saved = learner.get_state()
    restored.set_state(copy.deepcopy(saved))
    before = copy.deepcopy(saved)
    _demand_same_future(learner, restored, stream[half:], "restored")
    demand(same(saved, before), "a state that was read before changed as the learner learned")


def _pickle_round_trips(factory: Factory, stream: list[Example]) -> None:
    half = len(stream) // 2
    learner = factory()
    _run(learner, stream[:half])
    copied = pickle.loads(pickle.dumps(learner))
    _demand_same_future(learner, copied, stream[half:], "unpickled")


def _demand_same_future(learner: Learner, other: Learner, rest: list[Example], how: str) -> None:
    demand(same(learner.get_state(), other.get_state()), f"the {how} learner has another state")
    demand(_run(learner, rest) == _run(other, rest), f"the {how} learner decides differently")
    demand(same(learner.get_state(), other.get_state()), f"the {how} learner learns differently")


def _replay(factory: Factory, stream: list[Example]) -> None:
    learner, replayed = factory(), factory()
    log = [_advance(learner, step) for step in stream]
    for row, decision, label in log:
        replayed.learn(row, decision, label)
    demand(same(learner.get_state(), replayed.get_state()), "replaying a log gives another state")


def _zero_delay(factory: Factory, stream: list[Example]) -> None:
    """Asking and telling at once is the same as the verbs in a row, on the same coins."""
    seed = int(stream[0].coin * 2**31)
    live, plain = ActiveLearner(factory(), random_state=seed), factory()
    coins = np.random.default_rng(seed).random(len(stream)).tolist()
    for step, coin in zip(stream, coins, strict=True):
        question = live.ask(step.row)
        if question.wanted:
            live.tell(question, step.label)
        _advance(plain, step._replace(coin=coin))
    demand(
        same(live.learner.get_state(), plain.get_state()),
        "labels without delay give another state than ask and tell at once",
    )


def _late_labels(factory: Factory, stream: list[Example]) -> None:
    learner = factory()
    late: list[Entry] = []
    for step in stream:
        decision = learner.decide(step.row, step.coin)
        if decision.queried:
            late.append((step.row, decision, step.label))
        else:
            learner.learn(step.row, decision, None)
        if len(late) == 5:
            for row, decided, label in (late.pop() for _ in range(4)):
                learner.learn(row, decided, label)
    for row, decided, label in late:
        learner.learn(row, decided, label)
    demand(learner.k == len(stream), f"{len(stream)} were learned, the clock shows {learner.k}")
    decision = learner.decide(stream[0].row, 0.5)
    demand(0.0 <= decision.probability <= 1.0, "late labels broke the query probability")


def _predictions(factory: Factory, stream: list[Example]) -> None:
    learner = factory()
    for step in stream:
        predicted, n_classes = learner.predict(step.row), _classes(learner)
        known = (-1, 1) if n_classes is None else range(n_classes)
        demand(
            type(predicted) is int and predicted in known,
            f"a prediction must be an int of {known}, got {predicted!r}",
        )
        demand(
            learner.decide(step.row, step.coin).predicted == predicted,
            "decide and predict give different labels",
        )
        demand(type(learner.mean_error) is float, "the mean error must be a float")
        _advance(learner, step)
