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
    signals = [*ENDING, signal.SIGTSTP]
    before = [signal.getsignal(number) for number in signals]
    with Interrupts(lambda: None):
        assert signal.getsignal(signal.SIGTSTP) != before[-1]
    assert [signal.getsignal(number) for number in signals] == before


def test_ctrl_z_is_left_alone_where_no_terminal_was_taken():
    before = signal.getsignal(signal.SIGTSTP)
    with Interrupts():
        assert signal.getsignal(signal.SIGTSTP) == before


def test_ctrl_z_suspends_a_wait_at_once_and_work_when_it_pauses():
    stops = []
    with Interrupts(lambda: stops.append(1)) as interrupts:
        signal.raise_signal(signal.SIGTSTP)
        assert stops == []
        interrupts.pause()
        interrupts.pause()
        assert stops == [1]
        with interrupts.waiting():
            signal.raise_signal(signal.SIGTSTP)
            assert stops == [1, 1]
        signal.raise_signal(signal.SIGTSTP)
        with interrupts.waiting():
            assert stops == [1, 1, 1]
        assert interrupts.received is None
