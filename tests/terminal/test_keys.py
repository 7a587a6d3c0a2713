import fcntl
import io
import os
import pty
import struct
import termios

import pytest

from askance.terminal.keys import END, OTHER, RESIZED, TerminalKeys, console_keys, line_keys


@pytest.fixture
def terminal():
    """Both ends of a terminal: what is typed into the first is read from the second."""
    keyboard, screen = pty.openpty()
    yield keyboard, screen
    for end in (keyboard, screen):
        os.close(end)


def test_single_keys_come_without_a_line_end(terminal):
    keyboard, screen = terminal
    with TerminalKeys(screen).taken() as read:
        os.write(keyboard, "yé日😀?".encode())
        assert [read() for _ in range(5)] == ["y", "é", "日", "😀", "?"]


def test_what_special_keys_send_is_one_key(terminal):
    keyboard, screen = terminal
    with TerminalKeys(screen).taken() as read:
        os.write(keyboard, b"\x1b[Ay")
        assert [read(), read()] == [OTHER, "y"]
        os.write(keyboard, b"\x1b[15~n")
        assert [read(), read()] == [OTHER, "n"]


def test_bytes_that_are_no_character_are_one_key(terminal):
    keyboard, screen = terminal
    with TerminalKeys(screen).taken() as read:
        os.write(keyboard, b"\xffy")
        assert [read(), read()] == ["\ufffd", "y"]


def test_the_terminal_is_left_as_it_was_even_after_an_error(terminal):
    _, screen = terminal
    before = termios.tcgetattr(screen)

    def fail():
        with TerminalKeys(screen).taken():
            assert not termios.tcgetattr(screen)[3] & (termios.ICANON | termios.ECHO)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert termios.tcgetattr(screen) == before


def test_a_new_size_is_reported_once(terminal):
    keyboard, screen = terminal
    with TerminalKeys(screen).taken() as read:
        fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 40, 0, 0))
        assert read() == RESIZED
        os.write(keyboard, b"y")
        assert read() == "y"


def test_single_keys_come_back_after_a_shell_took_the_terminal(terminal):
    keyboard, screen = terminal
    before = termios.tcgetattr(screen)
    with TerminalKeys(screen).taken() as read:
        termios.tcsetattr(screen, termios.TCSANOW, before)
        assert read() == RESIZED
        os.write(keyboard, b"n")
        assert read() == "n"


def test_a_terminal_that_is_released_for_a_while_is_as_it_was_and_drawn_again(terminal):
    keyboard, screen = terminal
    before = termios.tcgetattr(screen)
    with TerminalKeys(screen).taken() as read:
        with read.released():
            assert termios.tcgetattr(screen) == before
        assert not termios.tcgetattr(screen)[3] & termios.ICANON
        assert read() == RESIZED
        os.write(keyboard, b"n")
        assert read() == "n"


def test_a_terminal_that_is_gone_has_no_more_keys():
    keyboard, screen = pty.openpty()
    with TerminalKeys(screen).taken() as read:
        os.close(keyboard)
        assert read() == END
    os.close(screen)


def test_the_keys_of_a_windows_console():
    pressed = iter(["y", "\x00", ";", "\xe0", "H", "\x03", "N"])
    read = console_keys(lambda: next(pressed))
    assert [read() for _ in range(5)] == ["y", OTHER, OTHER, "\x03", "N"]


def test_lines_are_words_or_letters():
    read = line_keys(io.StringIO("YES\nskip\n\n  u \nwhat now\nq"))
    assert [read() for _ in range(6)] == ["y", "s", "u", "what now", "q", END]
