"""Which question is being looked at by whom, and until when; nothing waits for people who left."""

from collections.abc import Iterable

from askance.service.books import AskedQuestion

__all__ = ["Leases"]


class Leases:
    """Leases on questions, by their number; ``seconds`` is how long a silent person keeps one.

    >>> leases = Leases(60.0)
    >>> leases.give(4, "ann", now=0.0)
    >>> leases.of("ann", 59.0), leases.of("ann", 61.0)
    ([4], [])
    >>> leases.renew("ann", [4], now=50.0), leases.of("ann", 61.0)
    ([4], [4])
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._until: dict[int, dict[str, float]] = {}
        # What each person was given, in that order: the current question stays the current one.
        self._given: dict[str, dict[int, None]] = {}

    def give(self, number: int, person: str, now: float, *, first: bool = False) -> None:
        """Keep a question for a person for a while; the ``first`` comes before all others."""
        self._until.setdefault(number, {})[person] = now + self.seconds
        given = self._given.get(person, {})
        self._given[person] = {number: None} | given if first else given | {number: None}

    def end(self, number: int, person: str | None = None) -> None:
        """Keep a question no longer, for a person or for anybody."""
        holders = self._until.get(number, {})
        for who in list(holders) if person is None else [person]:
            holders.pop(who, None)
            self._given.get(who, {}).pop(number, None)
        if not holders:
            self._until.pop(number, None)

    def of(self, person: str, now: float) -> list[int]:
        """What is kept for a person, oldest first."""
        given = self._given.get(person, {})
        return [n for n in given if self._until.get(n, {}).get(person, 0.0) > now]

    def renew(self, person: str, numbers: Iterable[int], now: float) -> list[int]:
        """Keep questions longer for a person who still has them; which those are."""
        still = [n for n in numbers if self._until.get(n, {}).get(person, 0.0) > now]
        for number in still:
            self.give(number, person, now)
        return still

    def holders(self, number: int, now: float) -> set[str]:
        """For whom a question is kept now."""
        return {who for who, until in self._until.get(number, {}).items() if until > now}

    def is_free(self, question: AskedQuestion, person: str, overlap: int, now: float) -> bool:
        """Whether a person may be shown a question: a reply more is wanted, and theirs is."""
        said = {vote.actor for vote in question.votes.values() if vote.counts}
        if person in said:
            return False
        answered = {v.actor for v in question.votes.values() if v.counts and v.label is not None}
        others = self.holders(question.number, now) - answered - {person}
        return len(answered) + len(others) < overlap
