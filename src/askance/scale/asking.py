"""Questions out: a round over a fresh part of the pool, its questions in the model file."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from askance.data.features import FeatureMap
from askance.data.features.records import Record, batch_of
from askance.data.features.scales import SCALE_ROWS
from askance.data.reading.files import Piece, find_files, require_rereadable_files
from askance.data.reading.intake import Intake, Reading, new_map
from askance.data.reading.labels import label_text
from askance.data.reading.readers import digest_of, pieces_of
from askance.errors import FileUnreadable, InvalidParameter, LabelConflict
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
Report = Callable[[int, int], None]
_Start = tuple[ActiveLearner, Book, list[Piece]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolPlan:
    """How a pool is asked about; all but the first round take it from the model file.

    What is given in a later round must be as it was in the first.

    Parameters
    ----------
    budget, questions
        About how many labels to ask for in all, and in each round; the first round needs both.
    reading
        Which columns are what.
    classes
        Their names, if they are known beforehand; of two the second is the positive one.
    parameters
        Of ``auto``.
    seed
        Of the draws, 0 if it is not given.
    """

    budget: int | None = None
    questions: int | None = None
    reading: Reading = field(default_factory=Reading)
    classes: Sequence[str] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None

    def __post_init__(self) -> None:
        given = {"budget": self.budget, "questions": self.questions}
        require_whole(1, **{name: value for name, value in given.items() if value is not None})
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
    # Whoever has another name for it waits for the same lock.
    path = Path(model).resolve()
    if not path.parent.is_dir():
        raise FileUnreadable(f"the folder of {model} does not exist")
    if path.exists() and read_saved(path).state.get("pool") is None:
        # Before there is a lock: what is refused leaves nothing behind.
        raise InvalidParameter(f"{model} was not made by askance ask: it knows no pool")
    lock = path.with_name(f".{path.name}.lock")
    with held(lock, f"{model} is in use: another process asks or tells"):
        yield path


def ask_pool(
    pool: Pool,
    model: str | Path,
    plan: PoolPlan | None = None,
    *,
    workers: Team | None = None,
    report: Report | None = None,
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
    report
        Called with how many rows have been read, and how many there are.

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
    require_rereadable_files(files, "each round reads the pool: save it as a file")
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
            reading=_reading(live, book),
            seed=book.seed,
            number=book.done,
            rounds=book.rounds,
            # More than are kept, so that chance never leaves too few.
            picked=min(1.5 * KEPT * book.rounds / book.rows, 1.0),
            taught=0.0 if book.done else min(1.5 * SCALE_ROWS / book.rows, 1.0),
        )
        found = merged(_reported(each(decide_piece, job, pieces), pieces, report))
        if found.lessons:
            live.features = _taught(found.lessons, plan)
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


def _reported(
    parts: Iterable[Found], pieces: Sequence[Piece], report: Report | None
) -> Iterator[Found]:
    for part, piece in zip(parts, pieces, strict=True):
        if report is not None:
            report(piece.first + piece.rows, pieces[-1].first + pieces[-1].rows)
        yield part


def _taught(lessons: Sequence[tuple[float, Record]], plan: PoolPlan | None) -> FeatureMap:
    """The map that the first round leaves: taught by fixed rows, wherever in the pool they stand.

    In the first round all rows are alike, so nothing has depended on a map so far.
    """
    assert plan is not None, "the first round has one"
    reading = plan.reading
    first = [record for _, record in sorted(lessons, key=lambda pair: pair[0])[:SCALE_ROWS]]
    batch = batch_of(first)
    features = new_map(batch, reading)
    if reading.scale:
        features.learn_scales([batch])
    features.encode_batch(batch)
    return features


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
    _check_plan(live, book, plan, path)
    if plan is not None and book.format is None:
        book.format = plan.reading.format
    reading = _reading(live, book)
    pieces = _pieces(files, reading)
    rows = sum(piece.rows for piece in pieces)
    if rows != book.rows:
        raise InvalidParameter(
            f"the pool of {path} has {book.rows:,} rows, got {rows:,}: each round needs the same"
        )
    if book.digest not in (None, _digest(pieces, reading)):
        raise InvalidParameter(
            f"the pool of {path} had other files, or the same in another order: each round needs "
            "the same, where rows have no ids"
        )
    return live, book, pieces


def _begun(files: Sequence[str], path: Path, plan: PoolPlan | None) -> _Start:
    """The same before the first round."""
    if plan is None or plan.budget is None or plan.questions is None:
        raise InvalidParameter(
            f"{path} does not exist: the first round needs a plan (--budget and --questions)"
        )
    reading = _unlabelled(plan.reading)
    intake = Intake(files, replace(reading, scale=False), every_id=True)
    # So that the map knows the columns, which every piece must have.
    next(iter(intake))
    pieces = _pieces(files, reading)
    rows = sum(piece.rows for piece in pieces)
    book = Book(plan.budget, plan.questions, plan.seed or 0, rows)
    book.format, book.digest = reading.format or "", _digest(pieces, reading)
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


def _digest(pieces: Sequence[Piece], reading: Reading) -> str | None:
    """With ids, rows may be divided and ordered in any way."""
    return digest_of(pieces, reading.format) if reading.id is None else None


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


def _check_plan(live: ActiveLearner, book: Book, plan: PoolPlan | None, path: Path) -> None:
    """Refuse what is given anew and differs: it would change nothing."""
    if plan is None:
        return
    kept, given = Reading.from_state(live.reading), plan.reading
    names = plan.names()
    for name, new, old in (
        ("budget", plan.budget, book.budget),
        ("questions", plan.questions, book.questions),
        ("seed", plan.seed, book.seed),
        ("classes", names and list(names), book.classes),
        # An old file does not know it.
        ("format", given.format, given.format if book.format is None else book.format or None),
        ("label", given.label, kept.label),
        ("id", given.id, kept.id),
        ("strings", given.strings or None, kept.strings),
        ("ignore", given.ignore or None, kept.ignore),
    ):
        if new is not None and new != old:
            raise InvalidParameter(
                f"{path} began with {name} {old!r}, got {new!r}: leave it out to go on"
            )


def _features(live: ActiveLearner) -> Any:
    if live.features is None:
        raise InvalidParameter("a pool needs the features of its model, which has none")
    return live.features


def _reading(live: ActiveLearner, book: Book) -> Reading:
    return replace(_unlabelled(Reading.from_state(live.reading)), format=book.format or None)


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
