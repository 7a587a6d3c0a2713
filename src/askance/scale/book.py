"""What a model file keeps of its pool: the plan, the rounds so far, and who is asked about."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from askance.errors import FileUnreadable, InvalidParameter, LabelConflict
from askance.live import ActiveLearner
from askance.live.rounds import asked_of
from askance.storage.tables import neutral
from askance.types import State
from askance.validation import require_whole, saved_part, saved_whole

__all__ = ["Book", "PoolQuestion"]


class PoolQuestion(NamedTuple):
    """A row of a pool whose label is wanted.

    ``round`` counts from 1, and ``fields`` are the row's columns.
    """

    id: str
    round: int
    probability: float
    fields: Mapping[str, Any]


@dataclass
class Book:
    """The plan of a pool and its questions.

    Parameters
    ----------
    budget, questions
        Labels in all, and in each round.
    seed
        Of the draws.
    rows
        How many rows the pool has.
    done
        Rounds that were asked.
    classes
        Names of the classes in their order, None where one is not known yet.
    asked
        The id of each question's row and its round, by the question's number.
    shown
        The columns, as JSON, of the rows whose label is still wanted.
    format
        Of the pool's files; empty if their names tell, and None if that was not kept.
    digest
        Of the pool, if its rows have no ids: then their order says which is which.

    Examples
    --------
    >>> Book(budget=1000, questions=200, seed=0, rows=10**6).rounds
    5
    """

    budget: int
    questions: int
    seed: int
    rows: int
    done: int = 0
    classes: list[str | None] = field(default_factory=lambda: [None, None])
    asked: dict[int, tuple[str, int]] = field(default_factory=dict)
    shown: dict[int, str] = field(default_factory=dict)
    format: str | None = None
    digest: str | None = None

    def __post_init__(self) -> None:
        require_whole(1, budget=self.budget, questions=self.questions, rows=self.rows)
        require_whole(0, 2**128 - 1, seed=self.seed)

    @property
    def rounds(self) -> int:
        """How many rounds there are."""
        return -(-self.budget // self.questions)

    @classmethod
    def of(cls, live: ActiveLearner, model: object) -> Self:
        """The book that a learner was saved with."""
        if live.pool is None:
            raise InvalidParameter(f"{model} was not made by askance ask: it knows no pool")
        try:
            return cls._from_state(live.pool)
        except (KeyError, TypeError, ValueError) as error:
            raise FileUnreadable(f"{model} keeps a pool that is damaged or forged") from error

    @classmethod
    def _from_state(cls, state: State) -> Self:
        names = "budget", "questions", "seed", "rows", "done"
        plan = (saved_whole(state, name, most=2**128 - 1) for name in names)
        classes = [None if one is None else str(one) for one in saved_part(state, "classes", list)]
        budget, questions, seed, rows, done = plan
        book = cls(budget, questions, seed, rows, done, classes)
        for number, id, turn in saved_part(state, "asked", list):
            book.asked[number] = str(id), saved_whole({"round": turn}, "round", most=book.done)
        shown = saved_part(state, "shown", list)
        book.shown = {number: str(text) for number, text in shown}
        # Files of earlier versions have neither.
        book.format, book.digest = (
            None if state.get(name) is None else saved_part(state, name, str)
            for name in ("format", "digest")
        )
        if (
            len(classes) < 2
            or book.done > book.rounds
            or not book.shown.keys() <= book.asked.keys()
        ):
            raise InvalidParameter("saved rounds and questions must agree, got some that do not")
        return book

    def as_state(self) -> State:
        """As plain values, for a file."""
        return {
            "budget": self.budget,
            "questions": self.questions,
            "seed": self.seed,
            "rows": self.rows,
            "done": self.done,
            "classes": list(self.classes),
            "asked": [[number, *known] for number, known in self.asked.items()],
            "shown": [[number, text] for number, text in self.shown.items()],
            "format": self.format,
            "digest": self.digest,
        }

    def enter(self, questions: Mapping[int, tuple[str, Mapping[str, Any]]]) -> None:
        """Write the questions of the next round down, by their numbers."""
        self.done += 1
        known = {id for id, _ in self.asked.values()}
        for number, (id, fields) in questions.items():
            if id in known:
                raise InvalidParameter(
                    f"the id {id!r} belongs to two rows that are asked about: ids must differ"
                )
            known.add(id)
            self.asked[number] = id, self.done
            self.shown[number] = json.dumps(fields)

    def pending(self, live: ActiveLearner) -> list[PoolQuestion]:
        """The questions whose label is still wanted."""
        waiting = asked_of(live).pending
        return [
            PoolQuestion(*self.asked[number], waiting[number], json.loads(text))
            for number, text in self.shown.items()
        ]

    def close(self, numbers: Iterable[int]) -> None:
        """Forget what need not be shown any more."""
        for number in list(numbers):
            del self.shown[number]

    def numbers(self) -> dict[str, list[int]]:
        """The questions that an id in a file may mean: as it is, or as CSV has it.

        >>> book = Book(1, 1, 0, 1, asked={7: ("=a", 1)})
        >>> book.numbers()
        {'=a': [7], "'=a": [7]}
        """
        found: dict[str, list[int]] = {}
        for number, (id, _) in self.asked.items():
            for text in dict.fromkeys((id, str(neutral(id)))):
                found.setdefault(text, []).append(number)
        return found

    def number_of(self, id: str, known: Mapping[str, list[int]]) -> int:
        """The question that an id means."""
        numbers = known.get(id, [])
        if not numbers:
            raise LabelConflict(f"no question was asked about the id {id!r}")
        if len(numbers) > 1:
            ids = " and ".join(repr(self.asked[number][0]) for number in numbers)
            raise LabelConflict(f"the id {id!r} may mean {ids}: write it as the pool has it")
        return numbers[0]
