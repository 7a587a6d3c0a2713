"""Before its first example a learner is tried, so that no request compiles under a lock."""

import threading

import pytest
from tests.service.conftest import answer_all, made_records, quick_auto, quick_epochs, settings

from askance.errors import InvalidParameter
from askance.service import warming
from askance.service.refits import Refits
from askance.service.warming import Warmth


@pytest.fixture
def refits():
    refits = Refits(nice=0)
    yield refits
    refits.shutdown(wait=False, cancel_futures=True)


class Tried:
    """The learners that were tried, held back until they are let go."""

    def __init__(self, monkeypatch) -> None:
        self.go, self.made, make = threading.Event(), [], warming._tried
        self.threads: set[str] = set()

        def held(settings):
            assert self.go.wait(60)
            self.made.append(make(settings))
            self.threads.add(threading.current_thread().name)
            return self.made[-1]

        monkeypatch.setattr(warming, "_tried", held)


@pytest.mark.parametrize(
    "chosen", [settings(total=3), settings(learner="coal", classes=tuple("abc"))]
)
def test_a_learner_has_decided_and_learned_when_it_is_ready(chosen, refits, monkeypatch):
    tried = Tried(monkeypatch)
    tried.go.set()
    Warmth(refits).wait_for(chosen)
    (learner,) = tried.made
    # Without the limits of the stream: else the rest would be compiled later.
    assert learner.seen == warming.EXAMPLES
    assert learner.stats().answered > 3
    assert tried.threads != {threading.current_thread().name}


@pytest.mark.parametrize(
    ("chosen", "labels"),
    [
        (quick_auto(total=400, horizon=40_000), 20),
        (quick_epochs("active_cover", total=400), 3),
        (quick_epochs("oracular_cal"), 3),
    ],
)
def test_one_that_refits_is_fitted_once_where_refits_are(refits, monkeypatch, chosen, labels):
    tried = Tried(monkeypatch)
    tried.go.set()
    Warmth(refits).wait_for(chosen)
    (learner,) = tried.made
    for _ in range(600):
        if learner.learner.fitted:
            break
        threading.Event().wait(0.1)
    assert learner.learner.fitted == labels


def test_each_kind_is_tried_once(refits, monkeypatch):
    tried = Tried(monkeypatch)
    tried.go.set()
    warmth = Warmth(refits)
    kinds = [settings(), settings(name="other"), settings(parameters={"c0": 0.5})]
    futures = [warmth.prepare(kind) for kind in kinds]
    assert futures[0] is futures[1]
    for future in futures:
        future.result(60)
    assert len(tried.made) == 2


def test_while_it_is_tried_the_stream_can_be_looked_at(session, monkeypatch):
    tried = Tried(monkeypatch)
    session.warm_up()
    stream = session.create(settings())
    offered = threading.Event()

    def offer() -> None:
        session.offer(stream, made_records(4))
        offered.set()

    thread = threading.Thread(target=offer)
    thread.start()
    # Were the stream held, or the example taken, this would hang or tell of it.
    assert session.status(stream).seen == 0
    assert not offered.wait(0.2)
    tried.go.set()
    thread.join(60)
    assert offered.is_set()
    assert answer_all(session, stream) == 4


def test_what_fails_is_told_later(refits, monkeypatch):
    def broken(settings):
        raise InvalidParameter("no such learner")

    monkeypatch.setattr(warming, "_tried", broken)
    Warmth(refits).wait_for(settings())


def test_it_is_told_when_a_learner_was_tried_and_before_it_is_used(refits):
    told = threading.Event()
    warmth = Warmth(refits, told.set)
    warmth.wait_for(settings())
    assert told.is_set()
