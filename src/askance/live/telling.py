"""Labels come in, or never will: they are learned where they are to be, and entered."""

import operator

from askance.errors import UnknownQuestion
from askance.live.asking import Asker
from askance.types import Label, Question

__all__ = ["enter_label", "id_of", "take_label", "withdraw_question"]


def id_of(question: Question | int) -> int:
    """The id of a question, which may be given as such.

    >>> id_of(3)
    3
    """
    if isinstance(question, Question):
        return question.id
    if isinstance(question, bool):
        raise UnknownQuestion(f"no question has the id {question!r}, expected a whole number")
    try:
        return operator.index(question)
    except TypeError:
        message = f"no question has the id {question!r}, expected a whole number"
        raise UnknownQuestion(message) from None


def take_label(asker: Asker, id: int, label: Label) -> None:
    """Learn the label of a pending question, unless it only judges, and enter it."""
    row, decision = asker.questions.pending[id]
    if not asker.questions.is_apart(id, decision):
        asker.learn(row, decision, label)
    enter_label(asker, id, label, asker.learner.k)
    asker.follow()


def enter_label(asker: Asker, id: int, label: Label, learned: int) -> None:
    """Enter a label into the books, once it is learned where it is to be."""
    questions, judging = asker.questions, asker.judging
    row, decision = questions.pending[id]
    if judging is not None and questions.is_apart(id, decision):
        judging.answer(id, row, decision, label)
    else:
        questions.count(decision.in_disagreement, learned)
    del questions.pending[id]
    questions.bought[id] = label, row, decision.probability
    questions.unjudged.append((decision.probability, decision.predicted != label))


def withdraw_question(asker: Asker, id: int) -> None:
    """Learn a pending question as not queried, and refund its label."""
    questions, judging = asker.questions, asker.judging
    questions.check_pending(id, None, {})
    row, decision = questions.pending[id]
    if not questions.is_apart(id, decision):
        asker.learn(row, decision._replace(queried=False), None)
        questions.count(decision.in_disagreement, asker.learner.k)
    del questions.pending[id]
    questions.withdrawn.add(id)
    asker.ledger.refund(id)
    if judging is not None:
        judging.withdrawn += id in judging.asked
    asker.follow()
