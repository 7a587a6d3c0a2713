"""The contract of an event log, as checks that anybody's can be put through."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from askance.protocols import EventLog
from askance.types import Event, ExampleContent, Row

__all__ = ["check_event_log"]

_ODD = 'text with "quotes", a line\nfeed, é, 中 and \U0001f600'


def check_event_log(make_log: Callable[[], EventLog]) -> None:
    """Check a log that ``make_log`` opens, anew each time, over one and the same storage.

    Raises ``AssertionError`` where it breaks the contract: events come back as they went in, in
    their order; an append is whole or did not happen; a position and a key are taken once; what was
    acknowledged is there after a reopening; contents can be erased; many writers lose nothing.
    """
    for check in (
        _check_order,
        _check_values,
        _check_all_or_nothing,
        _check_after_a_failure,
        _check_keys,
        _check_contents,
        _check_streams_are_apart,
        _check_many_writers,
    ):
        check(make_log)


def _event(position: int, **fields: Any) -> Event:
    return Event(position, fields.pop("kind", "offered"), float(position), **fields)


def _check_order(make_log: Callable[[], EventLog]) -> None:
    log = make_log()
    assert list(log.read("order")) == []
    assert log.last("order") == 0
    events = [_event(i, wanted=i % 10 == 0) for i in range(1, 5001)]
    log.append("order", events[:3000]).result()
    log.append("order", events[3000:]).result()
    log.close()
    log = make_log()
    assert list(log.read("order")) == events
    assert list(log.read("order", 4990, 4995)) == events[4990:4995]
    assert list(log.read("order", all=False)) == events[9::10]
    assert log.last("order") == 5000
    log.close()


def _check_values(make_log: Callable[[], EventLog]) -> None:
    log = make_log()
    data = {
        "numbers": [0.1, 1e-300, 2.0**-1074, 1 / 3, -0.0, 2**53, float("inf")],
        "text": _ODD,
        "nothing": None,
        "truth": [True, False],
    }
    event = Event(1, "answered", 1 / 3, _ODD, 2**31 - 1, _ODD, False, data)
    log.append("values", [event]).result()
    (found,) = log.read("values")
    assert found == event
    assert repr(found.data) == repr(dict(event.data)), "numbers keep their bits"
    log.close()


def _check_all_or_nothing(make_log: Callable[[], EventLog]) -> None:
    log = make_log()
    log.append("whole", [_event(1)]).result()
    refused = log.append("whole", [_event(2), _event(1)])
    assert refused.exception() is not None, "a position that is taken must be refused"
    assert log.last("whole") == 1
    log.close()


def _check_after_a_failure(make_log: Callable[[], EventLog]) -> None:
    log = make_log()
    log.append("failed", [_event(1, key="a")]).result()
    assert log.append("failed", [_event(2, key="a")]).exception() is not None
    later = log.append("failed", [_event(3)])
    assert later.exception() is not None, "what follows a failure must not be written"
    log.append("another", [_event(1)]).result()
    log.mend("failed")
    log.append("failed", [_event(2)]).result()
    assert [event.position for event in log.read("failed")] == [1, 2]
    log.close()


def _check_keys(make_log: Callable[[], EventLog]) -> None:
    log = make_log()
    keys = [f"k{i}" for i in range(1500)]
    log.append("keys", [_event(i, key=key) for i, key in enumerate(keys, start=1)]).result()
    found = log.find("keys", [*keys, "none"])
    assert {key: event.position for key, event in found.items()} == {
        key: i for i, key in enumerate(keys, start=1)
    }
    assert log.append("keys", [_event(1501, key="k7")]).exception() is not None
    log.mend("keys")
    log.append("others", [_event(1, key="k7")]).result()
    log.close()


def _check_contents(make_log: Callable[[], EventLog]) -> None:
    log = make_log()
    row = Row(np.array([0, 7, 2**18]), np.array([0.5, -3.25, 1e-3], np.float32))
    held = {
        0: ExampleContent(_ODD, row),
        1: ExampleContent("{}", Row(np.array([], np.int64), np.zeros(0))),
    }
    log.append("contents", [_event(1, number=0), _event(2, number=1)], held).result()
    log.append("contents", [_event(3, kind="erased", number=1)]).result()
    log.close()
    log = make_log()
    found = log.contents("contents", [0, 1, 2])
    assert found.keys() == {0, 1}
    assert found[0].record == _ODD
    assert found[0].row is not None
    assert found[0].row.indices.tolist() == row.indices.tolist()
    assert found[0].row.values.tobytes() == row.values.tobytes()
    assert found[1] == ExampleContent(None, None), "what was erased is gone"
    assert [event.position for event in log.read("contents")] == [1, 2, 3], "its events stay"
    log.close()


def _check_streams_are_apart(make_log: Callable[[], EventLog]) -> None:
    log = make_log()
    log.append("one", [_event(1)], {0: ExampleContent("1", None)}).result()
    log.append("two", [_event(1)], {0: ExampleContent("2", None)}).result()
    assert log.contents("one", [0])[0].record == "1"
    assert {"one", "two"} <= set(log.streams())
    log.close()


def _check_many_writers(make_log: Callable[[], EventLog]) -> None:
    log = make_log()

    def write(writer: int) -> None:
        for position in range(1, 31):
            log.append(f"writer{writer}", [_event(position)]).result()

    with ThreadPoolExecutor(8) as writers:
        list(writers.map(write, range(8)))
    log.close()
    log = make_log()
    for writer in range(8):
        assert [event.position for event in log.read(f"writer{writer}")] == list(range(1, 31))
    log.close()
