"""The contract of an online oracle, as a list of named checks.

>>> from askance.oracles.linear import LinearOracle, LinearState
>>> check_online_oracle(lambda: LinearOracle(LinearState(n_features=5)), n_features=5)
"""

import copy
from collections.abc import Callable

from askance.checks.comparing import demand, is_refused, same
from askance.checks.made_examples import Example, bad_rows, make_stream
from askance.protocols import ExactFlipOracle, OnlineOracle

__all__ = ["check_online_oracle", "online_oracle_checks"]

Factory = Callable[[], OnlineOracle]
Check = Callable[[Factory, list[Example]], None]


def check_online_oracle(factory: Factory, *, n_features: int = 5, seed: int = 0) -> None:
    """Run every check on fresh oracles; the first that fails raises AssertionError.

    Parameters
    ----------
    factory
        Builds a fresh oracle over ``n_features`` features.
    n_features
        Number of features of the rows to try, at least 2.
    seed
        Seed of the rows, targets and weights to try.

    Examples
    --------
    >>> from askance.oracles.linear import LinearOracle, LinearState
    >>> check_online_oracle(lambda: LinearOracle(LinearState(n_features=2)), n_features=2)
    """
    for _, check in online_oracle_checks():
        check(factory, make_stream(seed, n_features))


def online_oracle_checks() -> list[tuple[str, Check]]:
    """Name and function of each check; a function takes the factory and a stream.

    >>> [name for name, _ in online_oracle_checks()][0]
    'weight 0 changes nothing'
    """
    return [
        ("weight 0 changes nothing", _weight_zero),
        ("predictions are exactly -1 or +1", _predictions),
        ("reading changes nothing", _reading_is_pure),
        ("flip weights are not negative", _flip_weights),
        ("observe is idempotent", _observe_twice),
        ("learning moves the margin towards the target", _learning_moves),
        ("learn returns the margin that it leaves", _returns_the_margin),
        ("the flip weight flips", _flip_weight_flips),
        ("the exact flip weight, if there is one, flips and no less", _exact_flip_weight_flips),
        ("state round-trips", _state_round_trips),
        ("states share no memory", _state_is_a_copy),
        ("bad rows are refused without change", _refuses_bad_rows),
        ("bad targets and weights are refused without change", _refuses_bad_learning),
    ]


def _weight(step: Example) -> float:
    """A weight between 1 and 10, from the coin."""
    return 1.0 / (0.1 + 0.9 * step.coin)


def _learn(oracle: OnlineOracle, step: Example) -> None:
    oracle.observe(step.row)
    oracle.learn(step.row, step.label, _weight(step))


def _trained(factory: Factory, stream: list[Example]) -> OnlineOracle:
    oracle = factory()
    for step in stream:
        _learn(oracle, step)
    return oracle


def _snapshot(oracle: OnlineOracle) -> object:
    return copy.deepcopy(oracle.get_state())


def _weight_zero(factory: Factory, stream: list[Example]) -> None:
    oracle = factory()
    for step in stream:
        oracle.observe(step.row)
        before = _snapshot(oracle)
        oracle.learn(step.row, -step.label, 0.0)
        demand(same(before, oracle.get_state()), "learning with weight 0 changed the oracle")
        _learn(oracle, step)


def _predictions(factory: Factory, stream: list[Example]) -> None:
    oracle = factory()
    for step in stream:
        predicted, margin = oracle.predict(step.row), oracle.margin(step.row)
        demand(
            type(predicted) is int and predicted in (-1, 1),
            f"a prediction must be the int -1 or +1, got {predicted!r}",
        )
        demand(type(margin) is float, f"a margin must be a float, got {type(margin).__name__}")
        demand(
            predicted == (1 if margin > 0 else -1),
            f"the prediction {predicted} is not the sign of the margin {margin}",
        )
        _learn(oracle, step)


def _reading_is_pure(factory: Factory, stream: list[Example]) -> None:
    oracle = _trained(factory, stream[::2])
    before = _snapshot(oracle)
    for step in stream:
        for read in (oracle.margin, oracle.flip_weight, oracle.predict):
            first, second = read(step.row), read(step.row)
            demand(same(first, second), f"two readings differ: {first} and {second}")
    demand(same(before, oracle.get_state()), "margin, flip_weight or predict changed the oracle")


def _flip_weights(factory: Factory, stream: list[Example]) -> None:
    oracle = factory()
    for step in stream:
        needed = oracle.flip_weight(step.row)
        demand(type(needed) is float, f"a flip weight must be a float, got {needed!r}")
        demand(needed >= 0.0, f"a flip weight must not be negative, got {needed}")
        margin = oracle.margin(step.row)
        demand(
            (needed == 0.0) == (margin == 0.0),
            f"the flip weight is zero where the margin is and only there, got {needed} at {margin}",
        )
        _learn(oracle, step)


def _observe_twice(factory: Factory, stream: list[Example]) -> None:
    oracle = _trained(factory, stream[::2])
    for step in stream:
        oracle.observe(step.row)
        before = _snapshot(oracle)
        oracle.observe(step.row)
        demand(same(before, oracle.get_state()), "observing a row again changed the oracle")


def _learning_moves(factory: Factory, stream: list[Example]) -> None:
    oracle = factory()
    for step in stream:
        oracle.observe(step.row)
        before = oracle.margin(step.row)
        oracle.learn(step.row, step.label, _weight(step))
        after = oracle.margin(step.row)
        # Where the margin is already large, a step may be lost in rounding.
        moved, sure = (after - before) * step.label, before * step.label > 1.0
        demand(
            moved > (-1e-5 * abs(before) if sure else 0.0),
            f"learning {step.label:+d} moved the margin from {before} to {after}",
        )


def _returns_the_margin(factory: Factory, stream: list[Example]) -> None:
    oracle = factory()
    for step in stream:
        oracle.observe(step.row)
        returned = oracle.learn(step.row, step.label, _weight(step))
        left = oracle.margin(step.row)
        demand(
            type(returned) is float and abs(returned - left) <= 1e-4 * max(1.0, abs(left)),
            f"learn returned {returned!r} and left the margin {left}",
        )


def _flip_weight_flips(factory: Factory, stream: list[Example]) -> None:
    """Ten times the flip weight flips: on a short stream no rate changes as much as that."""
    oracle = factory()
    for step in stream:
        oracle.observe(step.row)
        predicted, needed = oracle.predict(step.row), oracle.flip_weight(step.row)
        other = copy.deepcopy(oracle)
        other.learn(step.row, -predicted, 10.0 * needed + 1e-3)
        demand(
            other.predict(step.row) == -predicted,
            f"an opposite label of ten times the flip weight {needed} did not flip the prediction",
        )
        _learn(oracle, step)


def _exact_flip_weight_flips(factory: Factory, stream: list[Example]) -> None:
    oracle = factory()
    if not isinstance(oracle, ExactFlipOracle):
        return
    for step in stream:
        oracle.observe(step.row)
        margin, needed = oracle.margin(step.row), oracle.exact_flip_weight(step.row)
        demand(
            type(needed) is float and (needed == 0.0) == (margin == 0.0) and needed >= 0.0,
            f"the exact flip weight is zero where the margin is, else positive, got {needed!r}",
        )
        # Close to zero a margin is lost in rounding.
        for factor in (0.99, 1.01) if abs(margin) > 1e-3 else ():
            other = copy.deepcopy(oracle)
            other.learn(step.row, -oracle.predict(step.row), factor * needed)
            flips = other.predict(step.row) != oracle.predict(step.row)
            demand(
                flips == (factor > 1.0),
                f"{factor} times the exact flip weight {needed} must "
                f"{'flip' if factor > 1.0 else 'not flip'} the prediction, and did otherwise",
            )
        _learn(oracle, step)


def _state_round_trips(factory: Factory, stream: list[Example]) -> None:
    half = len(stream) // 2
    oracle, restored = _trained(factory, stream[:half]), factory()
    restored.set_state(copy.deepcopy(oracle.get_state()))
    demand(same(oracle.get_state(), restored.get_state()), "set_state did not restore get_state")
    for step in stream[half:]:
        demand(
            same(oracle.flip_weight(step.row), restored.flip_weight(step.row)),
            "a restored oracle reads differently",
        )
        _learn(oracle, step)
        _learn(restored, step)
    demand(same(oracle.get_state(), restored.get_state()), "a restored oracle learns differently")


def _state_is_a_copy(factory: Factory, stream: list[Example]) -> None:
    half = len(stream) // 2
    oracle = _trained(factory, stream[:half])
    saved = oracle.get_state()
    before = copy.deepcopy(saved)
    for step in stream[half:]:
        _learn(oracle, step)
    demand(same(saved, before), "a state that was read before changed as the oracle learned")


def _refuses_bad_rows(factory: Factory, stream: list[Example]) -> None:
    oracle = _trained(factory, stream)
    before = _snapshot(oracle)
    for fault, row in bad_rows(_n_features(stream)).items():
        for read in (oracle.observe, oracle.margin, oracle.flip_weight, oracle.predict):
            demand(is_refused(read, row), f"{read.__name__} must refuse a row with {fault}")
        demand(is_refused(oracle.learn, row, 1, 1.0), f"learn must refuse a row with {fault}")
    demand(same(before, oracle.get_state()), "a refused row changed the oracle")


def _refuses_bad_learning(factory: Factory, stream: list[Example]) -> None:
    oracle = _trained(factory, stream)
    before, row = _snapshot(oracle), stream[0].row
    for target in (0, 2, -3):
        demand(is_refused(oracle.learn, row, target, 1.0), f"learn must refuse target {target}")
    for weight in (-1.0, float("nan"), float("inf")):
        demand(is_refused(oracle.learn, row, 1, weight), f"learn must refuse weight {weight}")
    demand(same(before, oracle.get_state()), "a refused target or weight changed the oracle")


def _n_features(stream: list[Example]) -> int:
    return 1 + max(int(step.row.indices.max(initial=0)) for step in stream)
