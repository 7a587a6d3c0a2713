"""From the replies to one question to its label: the majority, a tie, or nothing yet."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

__all__ = ["GivenVote", "QuestionOutcome", "Undecided", "decided", "is_given_up"]

Undecided = Literal["open", "tie"]
"""Why a question has no outcome: more replies are wanted, or an admin's word."""


class GivenVote(NamedTuple):
    """What one person said, at a position of the log; a label of None is a skip.

    A vote that does not count came when the question had its answers already: it is kept and shown.
    ``final`` is the word of an admin on a tie.
    """

    position: int
    actor: str
    label: str | None
    counts: bool = True
    final: bool = False


class QuestionOutcome(NamedTuple):
    """What came of a question, from a position of the log on; without a label it was given up."""

    position: int
    label: str | None


def is_given_up(outcome: QuestionOutcome | Undecided) -> bool:
    """Whether a question has an outcome without a label, so that its label is refunded.

    >>> is_given_up(QuestionOutcome(3, None)), is_given_up(QuestionOutcome(3, "no"))
    (True, False)
    >>> is_given_up("open")
    False
    """
    return isinstance(outcome, QuestionOutcome) and outcome.label is None


def decided(votes: Sequence[GivenVote], overlap: int, skips: int) -> QuestionOutcome | Undecided:
    """The outcome of votes, which are in the order of their positions.

    So many people answer (``overlap``), and the most frequent label wins. Where two are as
    frequent, the word of an admin decides. After some ``skips`` the question is given up.

    >>> decided([GivenVote(3, "ann", "yes")], 1, 1)
    QuestionOutcome(position=3, label='yes')
    >>> votes = [GivenVote(3, "ann", "yes"), GivenVote(5, "bob", "no")]
    >>> decided(votes, 3, 1), decided(votes, 2, 1)
    ('open', 'tie')
    >>> decided([*votes, GivenVote(8, "eve", "no", final=True)], 2, 1)
    QuestionOutcome(position=8, label='no')
    >>> decided([GivenVote(3, "ann", None)], 1, 1)
    QuestionOutcome(position=3, label=None)
    """
    labels: list[str] = []
    skipped = 0
    for vote in votes:
        if not vote.counts:
            continue
        if vote.final:
            return QuestionOutcome(vote.position, vote.label)
        if vote.label is None:
            skipped += 1
            if skipped == skips:
                return QuestionOutcome(vote.position, None)
        elif len(labels) < overlap:
            labels.append(vote.label)
            if len(labels) == overlap and (winner := _most_frequent(labels)) is not None:
                return QuestionOutcome(vote.position, winner)
    return "tie" if len(labels) == overlap else "open"


def _most_frequent(labels: Sequence[str]) -> str | None:
    (first, most), *others = Counter(labels).most_common(2)
    return None if others and others[0][1] == most else first
