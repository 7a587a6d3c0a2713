"""Questions out: a round over a fresh part of the pool, its questions in the model file."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from askance.data.reading.files import Piece, find_files
from askance.data.reading.intake import Intake, Reading
from askance.data.reading.labels import label_text
from askance.data.reading.readers import pieces_of
from askance.errors import InvalidParameter, LabelConflict
from askance.exports.sample_table import record_columns
from askance.learners.auto import KEPT
from askance.live import CLASSES, ActiveLearner, Budget
from askance.live.rounds import asked_of, enter_round, in_rounds
from askance.live.saving import checked_classes, read_saved
from askance.scale.book import Book, PoolQuestion
from askance.scale.deciding import Found, RoundJob, decide_piece, merged
from askance.scale.workers import Team, Workers
from askance.storage.locks import held
from askance.validation import require_whole

__all__ = ["PoolPlan", "Round", "ask_pool", "opened_model", "pending_questions"]

Pool = str | Path | Sequence[str | Path]
_Start = tuple[ActiveLearner, Book, list[Piece]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolPlan:
    """How a pool is asked about; all but the first round take it from the model file.

    Parameters
    ----------
    budget, questions
        About how many labels to ask for in all, and in each round.
    reading
        Which columns are what.
    classes
        Their names, if they are known beforehand; of two the second is the positive one.
    parameters
        Of ``auto``.
    seed
        Of the draws.
    """

    budget: int
    questions: int
    reading: Reading = field(default_factory=Reading)
    classes: Sequence[str] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        require_whole(1, budget=self.budget, questions=self.questions)
        self.names()

    def names(self) -> tuple[str, ...] | None:
        """The names of the classes as answers have them."""
        if self.classes is None:
            return None
        return checked_classes([label_text(name) for name in self.classes])


class Round(NamedTuple):
    """What a round has asked: ``number`` of ``rounds``, its ``examples`` and its questions.

    ``pending`` counts the questions of all rounds whose label is still wanted.
    """

    number: int
    rounds: int
    examples: int
    questions: list[PoolQuestion]
    pending: int


@contextlib.contextmanager
def opened_model(model: str | Path) -> Iterator[Path]:
    """Hold a model file of a pool, so that no other process asks or tells meanwhile."""
    path = Path(model)
    if path.exists() and read_saved(path).state.get("pool") is None:
        # Before there is a lock: what is refused leaves nothing behind.
        raise InvalidParameter(f"{path} was not made by askance ask: it knows no pool")
    lock = path.with_name(f".{path.name}.lock")
    with held(lock, f"{path} is in use: another process asks or tells"):
        yield path


def ask_pool(
    pool: Pool, model: str | Path, plan: PoolPlan | None = None, *, workers: Team | None = None
) -> Round:
    r"""Decide over a fresh part of a pool, and open its questions in a model file.

    Every row of the pool is decided in exactly one round, which its draws say, and is asked about
    with a known probability. Rows are told apart by their ids, or by their numbers in the sorted
    files. A round that fails, or is killed, leaves the model file as it was.

    Parameters
    ----------
    pool
        Files, patterns or addresses: the same rows each time.
    model
        The model file, which the first round makes.
    plan
        Needed in the first round.
    workers
        Who decides; this process by default.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "pool.csv").write_text("size\n" + "".join(f"{i}\n" for i in range(1000)))
    >>> plan = PoolPlan(budget=100, questions=20)
    >>> round = ask_pool(folder / "pool.csv", folder / "model.askance", plan)
    >>> round.number, round.rounds, round.examples, len(round.questions)
    (1, 5, 187, 14)
    """
    files, path = find_files(pool), Path(model)
    begun = None if path.exists() else _begun(files, path, plan)
    with opened_model(path), (workers or Workers()).running() as each:
        if begun is None or path.exists():
            # Another process may have begun meanwhile.
            begun = _continued(files, path, plan)
        live, book, pieces = begun
        learner = in_rounds(live)
        job = RoundJob(
            rule=learner.turn(),
            features=_features(live),
            reading=_reading(live, plan),
            seed=book.seed,
            number=book.done,
            rounds=book.rounds,
            # More than are kept, so that chance never leaves too few.
            picked=min(1.5 * KEPT * book.rounds / book.rows, 1.0),
        )
        found = merged(each(decide_piece, job, pieces))
        numbers = _entered(live, found)
        fields = record_columns(found.records)
        columns = [
            dict(zip(fields, row, strict=True)) for row in zip(*fields.values(), strict=True)
        ]
        ids = [record.id for record in found.records]
        asked = zip(ids, columns or [{}] * len(ids), strict=True)
        book.enter(dict(zip(numbers, asked, strict=True)))
        live.pool = book.as_state()
        live.save(path)
    return _round(live, book, found.examples)


def pending_questions(model: str | Path) -> list[PoolQuestion]:
    """The questions of a model file whose label is still wanted, of all rounds."""
    live = ActiveLearner.load(model)
    return Book.of(live, model).pending(live)


def _round(live: ActiveLearner, book: Book, examples: int) -> Round:
    pending = book.pending(live)
    questions = [question for question in pending if question.round == book.done]
    return Round(book.done, book.rounds, examples, questions, len(pending))


def _continued(files: Sequence[str], path: Path, plan: PoolPlan | None) -> _Start:
    """The learner before a round, and the pieces of the pool."""
    live = ActiveLearner.load(path)
    book = Book.of(live, path)
    _check_next(live, book, path)
    _check_plan(book, plan, path)
    pieces = _pieces(files, _reading(live, plan))
    rows = sum(piece.rows for piece in pieces)
    if rows != book.rows:
        raise InvalidParameter(
            f"the pool of {path} has {book.rows:,} rows, got {rows:,}: each round needs the same"
        )
    return live, book, pieces


def _begun(files: Sequence[str], path: Path, plan: PoolPlan | None) -> _Start:
    """The same before the first round."""
    if plan is None:
        raise InvalidParameter(f"{path} does not exist: the first round needs a plan")
    reading = _unlabelled(plan.reading)
    intake = Intake(files, reading, every_id=True)
    # So that the map knows the columns, which every piece must have.
    next(iter(intake))
    pieces = _pieces(files, reading)
    rows = sum(piece.rows for piece in pieces)
    book = Book(plan.budget, plan.questions, plan.seed, rows)
    names = plan.names()
    live = ActiveLearner(
        "auto",
        classes=names or CLASSES,
        budget=Budget(total=plan.budget),
        horizon=rows,
        features=intake.features,
        reading=plan.reading.as_state(),
        rounds=True,
        **plan.parameters,
    )
    book.classes = list(names or (None, None))
    return live, book, pieces


def _pieces(files: Sequence[str], reading: Reading) -> list[Piece]:
    pieces = pieces_of(files, reading.format)
    return [piece for piece in pieces if piece.rows]


def _check_next(live: ActiveLearner, book: Book, path: Path) -> None:
    """Refuse a round that is not there, and one that no answer could have changed."""
    if book.done == book.rounds:
        raise InvalidParameter(f"all {book.rounds} rounds of {path} were asked")
    last = {number for number, (_, turn) in book.asked.items() if turn == book.done}
    if last and last <= asked_of(live).pending.keys():
        raise LabelConflict(
            f"none of the {len(last)} questions of round {book.done} has an answer yet: write them "
            "again (--again), or close them (tell --close)"
        )


def _check_plan(book: Book, plan: PoolPlan | None, path: Path) -> None:
    ours = book.budget, book.questions, book.seed
    if plan is not None and (plan.budget, plan.questions, plan.seed) != ours:
        raise InvalidParameter(
            "{} began with budget {}, questions {} and seed {}: leave them out to go on".format(
                path, *ours
            )
        )


def _features(live: ActiveLearner) -> Any:
    if live.features is None:
        raise InvalidParameter("a pool needs the features of its model, which has none")
    return live.features


def _reading(live: ActiveLearner, plan: PoolPlan | None) -> Reading:
    kept = _unlabelled(Reading.from_state(live.reading))
    return replace(kept, format=None if plan is None else plan.reading.format)


def _unlabelled(reading: Reading) -> Reading:
    # The labels of LIBSVM and VW text cannot be left out, so they must not surprise.
    return replace(reading.unlabelled(), classes=())


def _entered(live: ActiveLearner, found: Found) -> list[int]:
    """Enter a round into the learner's books, and keep rows for the next one."""
    learner, features = in_rounds(live), _features(live)
    decisions = learner.decisions(found.positions, found.verdicts)
    numbers = enter_round(live, features.encode_many(found.records), decisions, found.passed)
    kept = sorted(found.kept, key=lambda pair: pair[0])[:KEPT]
    if kept:
        learner.keep(features.encode_many([record for _, record in kept]))
    return numbers
