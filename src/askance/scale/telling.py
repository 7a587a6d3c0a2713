"""Answers in: labels by the ids of a pool's rows, in any order, in part, as late as they come."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from askance.data.reading.labels import label_text, says_yes
from askance.errors import FileUnreadable, InvalidLabel, LabelConflict
from askance.live import ActiveLearner
from askance.live.rounds import asked_of
from askance.live.saving import checked_classes
from askance.scale.asking import opened_model
from askance.scale.book import Book
from askance.scale.draws import digest_of_id
from askance.types import Label

__all__ = ["Told", "tell_pool"]

_SIGNS: tuple[Label, Label] = (-1, 1)


class Told(NamedTuple):
    """What became of some answers.

    ``learned`` were new and ``repeated`` were known; ``closed`` questions were withdrawn, and
    ``pending`` still want a label. ``answered`` counts the labels of all rounds.
    """

    learned: int
    repeated: int
    closed: int
    pending: int
    answered: int


def tell_pool(
    model: str | Path,
    answers: Iterable[tuple[str, str]] | Mapping[str, str],
    *,
    new_classes: bool = False,
    close: bool = False,
) -> Told:
    r"""Learn the labels of rows that were asked about, all of them or none.

    Parameters
    ----------
    model
        The model file of :func:`askance.scale.asking.ask_pool`.
    answers
        Ids with labels. An id may be as a spreadsheet has it; an answer that was given before is
        passed over.
    new_classes
        Whether labels that were never heard of are classes. Else they are taken for typos.
    close
        Withdraw all questions that are still without an answer.

    Examples
    --------
    >>> import tempfile
    >>> from askance.scale import PoolPlan, ask_pool
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "pool.csv").write_text("size\n" + "".join(f"{i}\n" for i in range(1000)))
    >>> plan = PoolPlan(budget=100, questions=20, classes=("small", "large"))
    >>> round = ask_pool(folder / "pool.csv", folder / "model.askance", plan)
    >>> labels = {q.id: "large" if q.fields["size"] > 500 else "small" for q in round.questions}
    >>> tell_pool(folder / "model.askance", labels)
    Told(learned=14, repeated=0, closed=0, pending=0, answered=14)
    """
    pairs = list(answers.items() if isinstance(answers, Mapping) else answers)
    if not Path(model).exists():
        raise FileUnreadable(f"{model} does not exist, expected a model of askance ask")
    with opened_model(model) as path:
        live = ActiveLearner.load(path)
        book = Book.of(live, path)
        fresh, repeated = _checked(live, book, pairs, new_classes=new_classes)
        # Not in the order of the pool's rows, which may stand anywhere in it next time.
        numbers = sorted(fresh, key=lambda number: digest_of_id(book.asked[number][0]))
        live.tell_many([(number, fresh[number]) for number in numbers])
        book.close(fresh)
        left = live.pending()
        if close:
            for number in left:
                live.withdraw(number)
            book.close(left)
        live.pool = book.as_state()
        live.save(path)
        stats = live.stats()
    return Told(len(fresh), repeated, len(left) if close else 0, stats.pending, stats.answered)


def _checked(
    live: ActiveLearner, book: Book, pairs: Iterable[tuple[str, str]], *, new_classes: bool
) -> tuple[dict[int, Label], int]:
    """The labels that are new, and how many were known; an error for one is one for all."""
    known, asked = book.numbers(), asked_of(live)
    fresh: dict[int, Label] = {}
    repeated = 0
    for id, given_text in pairs:
        text = label_text(given_text)
        if text is None:
            raise InvalidLabel(
                f"the id {id!r} has the label {given_text!r}: an empty label or nan is no class"
            )
        number = book.number_of(id, known)
        label = _label(live, book, id, text, new_classes=new_classes)
        given = asked.answered.get(number, fresh.get(number))
        if given is not None:
            if given != label:
                raise LabelConflict(
                    f"the id {id!r} was answered {_name(live, given)!r}, cannot be {text!r}"
                )
            repeated += 1
        elif number in asked.withdrawn:
            raise LabelConflict(f"the question about the id {id!r} was closed before {text!r} came")
        else:
            fresh[number] = label
    return fresh, repeated


def _label(live: ActiveLearner, book: Book, id: str, text: str, *, new_classes: bool) -> Label:
    if text not in book.classes:
        _refuse_spelling(live, book, id, text)
        if not new_classes:
            known = ", ".join(repr(name) for name in book.classes if name is not None)
            raise InvalidLabel(
                f"the id {id!r} has the label {text!r}, known are {known or 'none yet'}: correct "
                "it, or allow it (--new-classes)"
            )
        _add_class(live, book, text)
    code = book.classes.index(text)
    return code if live.n_classes else _SIGNS[code]


def _refuse_spelling(live: ActiveLearner, book: Book, id: str, text: str) -> None:
    """Of two classes that speak for themselves there is one spelling each, as everywhere."""
    said = says_yes(text)
    for name in book.classes:
        if not live.n_classes and name and said is not None and says_yes(name) is said:
            raise InvalidLabel(
                f"the id {id!r} has the label {text!r}, a second spelling beside {name!r}"
            )


def _add_class(live: ActiveLearner, book: Book, text: str) -> None:
    """Of two classes the first is the negative one, unless its name speaks for itself."""
    free = [place for place, name in enumerate(book.classes) if name is None]
    if free:
        wanted = int(says_yes(text) or False)
        book.classes[wanted if wanted in free else free[0]] = text
        named = zip(book.classes, live.classes, strict=True)
        live.classes = checked_classes([name or unnamed for name, unnamed in named])
    elif live.n_classes:
        live.add_class(text)
        book.classes.append(text)
    else:
        raise InvalidLabel(
            f"the label {text!r} is a third class beside {book.classes[0]!r} and "
            f"{book.classes[1]!r}: three or more must be named in the first round (--classes)"
        )


def _name(live: ActiveLearner, label: Label) -> str:
    return live.classes[label if live.n_classes else _SIGNS.index(label)]
