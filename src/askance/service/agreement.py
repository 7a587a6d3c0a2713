"""How much people agree, beyond what chance would give."""

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from askance.service.books import AskedQuestion
from askance.types import Agreement

__all__ = ["agreement_of", "fleiss_kappa"]


def agreement_of(questions: Iterable[AskedQuestion], classes: Sequence[str]) -> Agreement:
    """The agreement of all who answered."""
    replies = [
        {v.actor: v.label for v in q.votes.values() if v.label is not None and not v.final}
        for q in questions
    ]
    several = [given for given in replies if len(given) > 1]
    people = sorted({person for given in several for person in given})
    pairs = {}
    for one, other in combinations(people, 2):
        both = [(given[one], given[other]) for given in several if {one, other} <= given.keys()]
        if both:
            pairs[one, other] = _cohen(both, classes)
    # Fleiss' takes as many replies to each question.
    size = max(map(len, several), default=0)
    whole = [given for given in several if len(given) == size]
    counts = [[list(given.values()).count(name) for name in classes] for given in whole]
    return Agreement(len(several), fleiss_kappa(counts), pairs)


def _cohen(both: Sequence[tuple[str, str]], classes: Sequence[str]) -> float | None:
    # Here, so that who needs no agreement does not wait for scikit-learn.
    from sklearn.metrics import cohen_kappa_score

    first, second = zip(*both, strict=True)
    if len(set(first) | set(second)) < 2:
        return None
    return float(cohen_kappa_score(first, second, labels=list(classes)))


def fleiss_kappa(counts: Sequence[Sequence[int]]) -> float | None:
    """Fleiss' kappa of questions: how many people gave each class, the same number for all.

    >>> round(fleiss_kappa([[2, 0], [0, 2], [1, 1]]), 4)
    0.3333
    """
    table = np.array(counts, np.float64)
    if not table.size:
        return None
    raters = table.sum(axis=1)[0]
    observed = ((table * (table - 1)).sum(axis=1) / (raters * (raters - 1))).mean()
    chance = ((table.sum(axis=0) / table.sum()) ** 2).sum()
    return None if chance == 1 else float((observed - chance) / (1 - chance))
