import signal

import pytest

from askance.terminal.interrupts import Interrupts

ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize("number", ENDING)
def test_work_goes_on_and_waiting_does_not(number):
    with Interrupts() as interrupts:
        signal.raise_signal(number)
        assert interrupts.received == number
        with pytest.raises(KeyboardInterrupt), interrupts.waiting():
            pytest.fail("the signal that came before should end the wait")


def test_a_signal_ends_a_wait_that_has_begun():
    with Interrupts() as interrupts:
        with pytest.raises(KeyboardInterrupt), interrupts.waiting():
            signal.raise_signal(signal.SIGTERM)
        # Whoever presses Ctrl-C again while all is being saved does no harm.
        signal.raise_signal(signal.SIGINT)
        assert interrupts.received == signal.SIGTERM


def test_handlers_are_given_back():
    before = [signal.getsignal(number) for number in ENDING]
    with Interrupts():
        pass
    assert [signal.getsignal(number) for number in ENDING] == before
