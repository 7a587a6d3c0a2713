"""A labelling without a terminal: the next question, an answer, an undo; all of it survives.

The journal is the truth. A learner that is offered the same and told the same does the same, so
everything in memory can be rebuilt from the file and the answers. That is how a labelling resumes
tomorrow, and how an answer is undone. Snapshots only save time.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from askance.data.features.records import Record
from askance.data.reading.intake import Intake
from askance.errors import FileUnreadable, InvalidParameter, UnknownQuestion
from askance.labelling.journal import GivenAnswer, Journal, Reply, class_of, label_of_reply
from askance.labelling.settings import Settings
from askance.labelling.snapshots import ANSWERS, Snapshots
from askance.labelling.walk import Walk
from askance.live import Budget, Question
from askance.protocols import PacedLearner
from askance.sparse import from_rows
from askance.types import Interval

__all__ = ["OpenQuestion", "Session", "Standing"]

RECENT = 100
"""Examples over which the share of questions is shown."""

CHUNK = 256
"""Examples between two checks of whether to keep searching."""

AHEAD = 512
"""Examples that are scored before they are offered, at most."""

_JOURNAL = "journal.jsonl"


class OpenQuestion(NamedTuple):
    """A question and the record that it is about."""

    question: Question
    record: Record


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a labelling stands.

    ``spent`` labels were given, and ``left`` may still be (None without a budget); ``skipped``
    records were skipped, and ``seen`` were read; ``asked`` are the numbers of the examples asked
    about; ``mean_error`` is the learner's estimate of its error, and ``warning`` a sentence if it
    learns only from itself. ``error`` is what its labels say of the error, of the classifier itself
    where some are held out, and ``reason`` why they are enough, if they are.
    """

    spent: int
    left: int | None
    skipped: int
    seen: int
    asked: tuple[int, ...]
    mean_error: float
    warning: str | None
    error: Interval | None = None
    reason: str | None = None

    @property
    def recent(self) -> tuple[int, int]:
        """How many of the last records were asked about, and of how many.

        >>> Standing(3, None, 0, 400, (0, 1, 350), 0.1, None).recent
        (1, 100)
        """
        of = min(self.seen, RECENT)
        return sum(example >= self.seen - of for example in self.asked), of


class Session:
    r"""A labelling of one file, kept in a folder that only one process may use.

    Parameters
    ----------
    folder
        Holds the journal and the snapshots.
    source
        The file: as it was when the labelling began, or longer.
    snapshot_every
        Answers between two snapshots.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> file = folder / "mail.csv"
    >>> _ = file.write_text("size\n" + "3\n5\n" * 20)
    >>> Session.begin(folder, Settings().settled(file))
    >>> session = Session(folder, file)
    >>> session.next().record.fields
    {'size': 3.0}
    >>> session.answer("yes")
    >>> session.undo().answer
    'yes'
    >>> session.next().record.id
    '1'
    >>> session.answer("no")
    >>> Session(folder, file).standing().spent
    1
    """

    def __init__(
        self, folder: str | Path, source: str | Path, snapshot_every: int = ANSWERS
    ) -> None:
        self.folder, self.source = Path(folder), source
        self.journal = Journal(self.folder / _JOURNAL)
        self.settings = Settings.from_state(self.journal.settings)
        self.records: list[Record] = []
        self._snapshots = Snapshots(self.folder, snapshot_every)
        # After each answer, so that an undo need not read the whole file for it.
        self._checksums: list[Any] = []
        self._current: OpenQuestion | None = None
        # One thread fits while a person reads, and one looks for what comes next.
        self._fitting, self._reading = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
        self._ahead: Future[None] | None = None
        self._restore()

    def close(self) -> None:
        """Begin nothing more in the background; all that was answered is on the disk."""
        for executor in (self._fitting, self._reading):
            executor.shutdown(wait=False, cancel_futures=True)

    @classmethod
    def begin(cls, folder: str | Path, settings: Settings) -> None:
        """Write the journal of a labelling that has no answers yet."""
        Journal.begin(Path(folder) / _JOURNAL, settings.as_state())

    @classmethod
    def exists(cls, folder: str | Path) -> bool:
        """Tell whether a labelling was begun in a folder."""
        return (Path(folder) / _JOURNAL).exists()

    @property
    def ended(self) -> Literal["budget", "target", "input"] | None:
        """Why nothing more is asked, be it the budget, the target or the end of the input.

        A question that is open stays open.
        """
        if self._left() == 0:
            return "budget"
        if self._current is None and self.learner.done():
            return "target"
        return "input" if self._exhausted else None

    def next(self, going_on: Callable[[int], bool] = lambda seen: True) -> OpenQuestion | None:
        """The open question, or the next one; None at the end.

        ``going_on`` is told now and then how many examples were read. If it says no, None is
        returned as well, and the next call resumes the search.
        """
        self._finish_reading()
        while self._current is None and self.ended is None:
            if self._walk.position % CHUNK == 0 and not going_on(self._walk.position):
                break
            self._advance(CHUNK - self._walk.position % CHUNK)
        return None if self._left() == 0 else self._current

    def read_ahead(self) -> None:
        """Prepare the next search in the background, while a person reads this question.

        Records are read and scored. Nothing is offered to the learner, so what it asks next depends
        on neither the time nor this.
        """
        if self._ahead is None:
            self._ahead = self._reading.submit(self._prepare)

    def _prepare(self) -> None:
        self.learner.look_ahead(self._walk.rows_at_hand(AHEAD))
        self._walk.fetch()

    def _finish_reading(self) -> None:
        """Wait until the walk and the learner are free again."""
        if self._ahead is not None:
            ahead, self._ahead = self._ahead, None
            ahead.result()

    def answer(self, answer: Reply) -> None:
        """Answer the open question; the answer is on the disk before it is learned."""
        self._finish_reading()
        if self._current is None:
            raise UnknownQuestion("there is no open question to answer")
        if class_of(answer) is not None and self.learner.n_classes is None:
            raise InvalidParameter(f"there are two classes, yes and no, got {answer!r}")
        question, record = self._current
        checksum = self._walk.checksum.copy()
        checksum.update(answer.encode())
        given = GivenAnswer(
            question.id, record.id, answer, question.probability, checksum.hexdigest()
        )
        self.journal.answer(given)
        self._take(given)
        self._snapshots.offer(self.learner, self.journal.answers)

    def undo(self) -> GivenAnswer | None:
        """Take the last answer back, as if it had never been given; None if there is none."""
        self._finish_reading()
        if not self.journal.answers:
            return None
        undone = self.journal.answers[-1]
        self.journal.undo()
        self._restore()
        return undone

    def set_budget(self, budget: int) -> None:
        """Change the label budget, which counts the labels already given."""
        self._finish_reading()
        spent = self.learner.stats().answered
        if budget < spent:
            raise InvalidParameter(
                f"budget must be at least the {spent} labels already given, got {budget}"
            )
        if budget == self.journal.budget:
            return
        example, horizon = self._walk.position, self.settings.horizon
        if example:
            # The file may have grown.
            horizon = self.settings.counted(self.source)
        self.journal.set_budget(budget, example, horizon)
        self._budgets = [self.journal.budgets[-1]]
        self._apply_budgets()

    def likely_ids(self) -> list[str]:
        """Columns that are learned from although they look like ids."""
        return Intake(self.source, self.settings.reading).likely_ids()

    def ranked(self) -> list[int]:
        """The codes of the classes, those first that the learner holds most possible here."""
        codes = range(len(self.learner.classes))
        if self._current is None or self.learner.n_classes is None:
            return list(codes)
        assert self.learner.features is not None
        row = self.learner.features.encode(self._current.record)
        scores = self.learner.margins(from_rows([row]))[0]
        return sorted(codes, key=lambda code: -scores[code])

    def standing(self) -> Standing:
        """Counts and rates, as they are now."""
        stats = self.learner.stats()
        answered = [given.example for given in self.journal.answers]
        return Standing(
            spent=stats.answered,
            left=self._left(),
            skipped=stats.withdrawn,
            seen=stats.seen,
            asked=(*answered, *self.learner.pending()),
            mean_error=stats.mean_error,
            warning=stats.warning,
            error=stats.error if stats.current is None else stats.current,
            reason=self.learner.done(),
        )

    def _left(self) -> int | None:
        budget = self.journal.budget
        return None if budget is None else max(0, budget - self.learner.stats().answered)

    def _advance(self, most: int) -> None:
        """Offer so many records at most, up to one that is asked about."""
        if self._budgets and self._budgets[0].answers == len(self._checksums):
            most = min(most, self._budgets[0].example - self._walk.position)
        rows = self._walk.rows(most)
        if not rows.shape[0]:
            self._exhausted = True
            return
        for question in self.learner.ask_many(rows):
            record = self._walk.read()
            if question.wanted and record is not None:
                self._current = OpenQuestion(question, record)
        self._apply_budgets()

    def _restore(self) -> None:
        """Rebuild everything from the file and the answers that hold."""
        answers = self.journal.answers
        learner, done = self._snapshots.latest(answers) or (self.settings.learner(), 0)
        self.learner = learner
        learner.work_in(self._fitting)
        assert learner.features is not None
        self._walk = Walk(self.source, self.settings.reading, learner.features)
        self._exhausted = False
        self._current = None
        del self._checksums[done:], self.records[done:]
        if done and len(self._checksums) == done:
            self._walk.skip(answers[done - 1].example + 1)
            self._walk.checksum = self._checksums[-1].copy()
        remembered = len(self._checksums)
        self._budgets = [one for one in self.journal.budgets if one.answers >= remembered]
        for given in answers[remembered:done]:
            self._pass(given)
        self._apply_budgets()
        for given in answers[done:]:
            self._replay(given)

    def _apply_budgets(self, *, known: bool = False) -> None:
        """Tell a learner that spreads its questions of the budgets that are due here.

        ``known`` is said of those that a snapshot has taken in already.
        """
        given, position = len(self._checksums), self._walk.position
        while self._budgets and (self._budgets[0].answers, self._budgets[0].example) <= (
            given,
            position,
        ):
            budget, example, horizon, _ = self._budgets.pop(0)
            if isinstance(self.learner.learner, PacedLearner):
                # With another budget the same answers lead elsewhere.
                self._walk.checksum.update(repr((budget, example, horizon)).encode())
                if not known:
                    self.learner.set_budget(Budget(total=budget), horizon)

    def _pass(self, given: GivenAnswer) -> None:
        """Read up to an answer that a snapshot has taken in already."""
        record = None
        self._apply_budgets(known=True)
        while self._walk.position <= given.example:
            record = self._walk.read()
            if record is None:
                raise self._changed(given)
            self._apply_budgets(known=True)
        if record is None:
            raise FileUnreadable(f"{self.journal.path} has its answers in an impossible order")
        self._remember(record, given)

    def _replay(self, given: GivenAnswer) -> None:
        """Come to a question again, and answer it again."""
        while self._current is None and not self._exhausted:
            self._advance(CHUNK)
        if self._current is None or self._current.question.id != given.example:
            raise self._changed(given)
        self._take(given)

    def _take(self, given: GivenAnswer) -> None:
        """Teach the learner an answer to the open question."""
        assert self._current is not None
        question, record = self._current
        self._remember(record, given)
        if question.probability != given.probability:
            raise self._damaged(given)
        name = class_of(given.answer)
        if name is not None and name not in self.learner.classes:
            self.learner.add_class(name)
        label = label_of_reply(given.answer, self.learner.classes)
        if label is None:
            self.learner.withdraw(question)
        else:
            self.learner.tell(question, label)
        self._current = None
        self._apply_budgets()

    def _remember(self, record: Record, given: GivenAnswer) -> None:
        checksum = self._walk.checksum
        checksum.update(given.answer.encode())
        if checksum.hexdigest() != given.check:
            raise self._changed(given)
        if record.id != given.id:
            raise self._damaged(given)
        self._checksums.append(checksum.copy())
        self.records.append(record)

    def _damaged(self, given: GivenAnswer) -> FileUnreadable:
        return FileUnreadable(
            f"{self.journal.path} is damaged: its answer about record {given.id[:60]} has an id or "
            "a probability that the question did not have"
        )

    def _changed(self, given: GivenAnswer) -> FileUnreadable:
        return FileUnreadable(
            f"{self.source} has changed since its record {given.id[:60]} was answered: restore the "
            f"old file, or start again in a folder other than {self.folder}"
        )
