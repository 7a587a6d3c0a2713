"""Twenty people at once: no question twice, counts add up, and who leaves blocks nobody."""

import threading
import time

import pytest
from tests.service.conftest import made_records, truth
from tests.service.serving import served

from askance.client import Client
from askance.service.throttle import RateLimit

PEOPLE = 20


class Crowd:
    """People who answer until the time is over; the last one takes questions and leaves."""

    def __init__(self, address: str, service, stream: str, seconds: float) -> None:
        self.address, self.stream, self.seconds = address, stream, seconds
        accounts = [service.people.add(f"p{i}", "annotator") for i in range(PEOPLE)]
        self.tokens = [service.people.make_token(account.id) for account in accounts]
        self.seen: list[tuple[int, int]] = []
        self.answered: list[int] = []

    def work(self, person: int, ends: float) -> None:
        with Client(self.address, self.tokens[person]) as client:
            held: set[int] = set()
            while time.monotonic() < ends:
                questions = client.questions(self.stream).questions
                self.seen += [(q.number, person) for q in questions if q.number not in held]
                held |= {q.number for q in questions}
                if person == PEOPLE - 1 or not questions:
                    return
                for question in questions:
                    client.answer(self.stream, question.number, truth(question.record))
                    self.answered.append(question.number)

    def run(self) -> None:
        ends = time.monotonic() + self.seconds
        threads = [threading.Thread(target=self.work, args=(i, ends)) for i in range(PEOPLE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def check_crowd(service, clock, seconds: float, examples: int) -> None:
    account = service.people.add("root", "admin")
    token = service.people.make_token(account.id)
    # The clock of the leases stands still; what each may send a second goes by a real one.
    service.rate = RateLimit(time.monotonic, service.limits.per_second, service.limits.burst)
    with served(service) as address, Client(address, token, timeout=60) as admin:
        stream = admin.create_stream("crowd", ["ham", "spam"], learner="passive", bits=6)
        admin.offer(stream, made_records(examples))
        crowd = Crowd(address, service, stream, seconds)
        crowd.run()
        numbers = [number for number, _ in crowd.seen]
        assert len(set(numbers)) == len(numbers), "nobody else got the same question"
        assert len(set(crowd.answered)) == len(crowd.answered)
        status = admin.status(stream)
        assert status.answered == len(crowd.answered) > PEOPLE
        assert status.answered + status.waiting == status.asked == examples
        # The one who left held two: when the lease is over, others get them.
        left = {number for number, person in crowd.seen if person == PEOPLE - 1}
        assert len(left) == 2
        assert left.isdisjoint(crowd.answered)
        clock.turn(121)
        with Client(address, crowd.tokens[0]) as client:
            assert left & {question.number for question in client.questions(stream).questions}


def test_twenty_people_for_a_while(service, clock):
    check_crowd(service, clock, 10.0, 20_000)


@pytest.mark.slow
def test_twenty_people_for_a_minute(service, clock):
    check_crowd(service, clock, 60.0, 60_000)
