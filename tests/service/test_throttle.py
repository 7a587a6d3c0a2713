import pytest

from askance.service.throttle import FREE, LONGEST, RateLimit, Throttle, TooOften


def test_delays_double_and_end(clock):
    throttle = Throttle(clock)
    for _ in range(FREE):
        throttle.fail("ann")
    throttle.check("ann")
    waits = []
    for _ in range(12):
        throttle.fail("ann")
        with pytest.raises(TooOften) as refused:
            throttle.check("ann")
        waits.append(refused.value.seconds)
    assert waits[:4] == [1.0, 2.0, 4.0, 8.0]
    assert waits[-1] == LONGEST
    clock.turn(LONGEST)
    throttle.check("ann")


def test_one_of_several_names_is_enough_and_a_success_forgets(clock):
    throttle = Throttle(clock)
    for _ in range(FREE + 3):
        throttle.fail("ann", "10.0.0.1")
    throttle.check("bob")
    with pytest.raises(TooOften):
        throttle.check("bob", "10.0.0.1")
    throttle.forget("10.0.0.1")
    throttle.check("bob", "10.0.0.1")


def test_a_try_counts_as_a_failure_until_it_is_forgiven(clock):
    throttle = Throttle(clock)
    for _ in range(FREE + 1):
        throttle.admit("ann", "10.0.0.1")
    with pytest.raises(TooOften):
        throttle.admit("ann", "10.0.0.1")
    throttle.forgive("ann")
    throttle.admit("ann")
    with pytest.raises(TooOften):
        throttle.admit("ann")


def test_who_is_forgiven_does_not_wait_and_others_failures_stay(clock):
    throttle = Throttle(clock)
    for _ in range(FREE + 4):
        throttle.fail("10.0.0.1")
    clock.turn(8.0)
    throttle.admit("10.0.0.1")
    throttle.forgive("10.0.0.1")
    throttle.admit("10.0.0.1")
    with pytest.raises(TooOften) as refused:
        throttle.check("10.0.0.1")
    assert refused.value.seconds == 16.0


def test_a_rate_is_refilled_by_time(clock):
    limit = RateLimit(clock, per_second=8.0, burst=5.0)
    for _ in range(5):
        limit.take("ann")
    with pytest.raises(TooOften):
        limit.take("ann")
    limit.take("bob")
    clock.turn(0.125)
    limit.take("ann")
    with pytest.raises(TooOften):
        limit.take("ann")


def test_a_refusal_takes_nothing(clock):
    limit = RateLimit(clock, per_second=1.0, burst=2.0)
    with pytest.raises(TooOften):
        limit.take("ann", 3.0)
    limit.take("ann", 2.0)
