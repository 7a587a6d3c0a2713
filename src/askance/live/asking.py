"""Examples go in, questions come out, and all of it is entered into the books."""

import math

import numpy as np

from askance.engine import drive
from askance.errors import InvalidParameter
from askance.learners.streaming import StreamingLearner
from askance.live.budget import Budget, Ledger
from askance.live.coins import Coins
from askance.live.judging import Judging, has_no_label, learn_shown
from askance.live.questions import AT_ONCE, Questions
from askance.live.stopping import Stopping
from askance.protocols import BlockLearner, LateLearner, Learner, PacedLearner, refitting
from askance.sparse import row_at
from askance.types import Decision, Floats, Label, Matrix, Question, Reason, Row, State

__all__ = ["Asker"]


class Asker:
    """A learner, and the books that are kept of it; it has no state of its own.

    ``judging`` knows the labels that only judge, ``stopping`` whether they are enough, if that was
    wanted. The learner is driven by ``predict``, ``offer`` and ``learn``.

    >>> import askance
    >>> learner = askance.make_learner("passive", n_features=1)
    >>> asker = Asker(learner, Questions(), Ledger(Budget()), Coins(7), None, None)
    >>> asker.ask(askance.as_row([1.0])).wanted, list(asker.questions.pending)
    (True, [0])
    """

    def __init__(
        self,
        learner: Learner,
        questions: Questions,
        ledger: Ledger,
        coins: Coins,
        judging: Judging | None,
        stopping: Stopping | None,
    ) -> None:
        self.learner, self.questions, self.ledger, self.coins = learner, questions, ledger, coins
        self.judging, self.stopping = judging, stopping
        self.limited = ledger.budget != Budget()
        driver = drive(learner)
        self.predict, self.offer, self.learn = driver.predict, driver.offer, driver.learn
        self.defer = learner.defer if isinstance(learner, LateLearner) else None
        in_blocks = isinstance(learner, PacedLearner) or (
            judging is None and refitting(learner) is not None
        )
        self.blocks = learner if in_blocks and isinstance(learner, BlockLearner) else None

    def set_budget(self, budget: Budget, horizon: int | None) -> None:
        """Change the budget, and tell a learner that spreads it."""
        judging = self.judging
        if judging is not None and judging.hold_out and budget.labels is not None:
            # A window would show the learner how many labels were held out.
            raise InvalidParameter(
                f"hold_out goes with a budget in all, got {budget.labels} labels per "
                f"{budget.per} examples"
            )
        self.ledger.budget = budget
        self.limited = budget != Budget()
        if isinstance(self.learner, PacedLearner):
            known = self.learner.horizon
            if judging is None:
                self.learner.plan(*_plan(budget, horizon or known))
            else:
                labels, examples, rate = judging.plan(*_plan(budget, horizon))
                self.learner.plan(labels, examples or known, rate)
                judging.replan(self.questions.bought)

    # ------------------------------------------------------------------ asking

    def ask(self, row: Row) -> Question:
        """Offer an example, and learn it at once unless its label is wanted."""
        questions, coins = self.questions, self.coins.ahead
        id = questions.seen
        if self.limited and not self.ledger.is_open(id):
            return self.refuse(self.predict(row))
        if self.judging is not None:
            return self._ask_or_judge(self.judging, row)
        decision = self.offer(row, coins[-1])
        # What advance() does, without the time that a call takes.
        coins.pop()
        if not coins:
            self._refill()
        questions.seen = id + 1
        predicted, inside, probability, queried, *_ = decision
        reason: Reason | None = None
        weight = 0.0
        questions.unjudged.append(probability if queried else -probability)
        if queried:
            self._await(id, row, decision)
            if self.defer is not None:
                self.defer(decision)
            weight = 1.0 / probability
        else:
            questions.count(inside, self.learner.k)
            reason = "coin" if inside else "outside"
        return tuple.__new__(Question, (id, queried, reason, probability, weight, predicted))

    def _refill(self) -> None:
        """What is due now and then."""
        self.coins.draw()
        if len(self.questions.unjudged) >= AT_ONCE:
            self.questions.judge()

    def _ask_or_judge(self, judging: Judging, row: Row) -> Question:
        """:meth:`ask` where some labels only judge."""
        coin = self.coins.ahead[-1]
        held = bool(judging.takes(coin))
        if judging.left(held) <= 0:
            return self.refuse(self.predict(row))
        if held:
            return self.enter(judging.decide(row, coin), row, held=True)
        decision = judging.checked(self.offer(row, coin), coin)
        question = self.enter(decision, row)
        if decision.queried and decision.in_disagreement and self.defer is not None:
            self.defer(decision)
        self.follow()
        return question

    def ask_block(self, X: Matrix, start: int) -> list[Question]:
        """Offer some of the rows from there on, one of them at least."""
        learner, judging = self.blocks, self.judging
        if learner is not None and (not self.limited or self.ledger.is_open(self.questions.seen)):
            block = X[start : start + learner.remaining]
            coins = np.array(self.coins.next(block.shape[0]))
            decide_many = learner.decide_many if judging is None else judging.decide_block
            decisions = decide_many(block, coins)
            wanted = (i for i, decision in enumerate(decisions) if decision.queried)
            quiet = decisions[: next(wanted, len(decisions))]
            if quiet:
                return self.pass_over(learner, block[: len(quiet)], quiet, coins)
        return [self.ask(row_at(X, start))]

    def pass_over(
        self, learner: BlockLearner, X: Matrix, quiet: list[Decision], coins: Floats
    ) -> list[Question]:
        """Learn a block without a question, and enter it into the books."""
        judging = self.judging
        held = np.zeros(len(quiet), bool) if judging is None else judging.takes(coins[: len(quiet)])
        learned = learn_shown(learner, X, quiet, [None] * len(quiet), held)
        questions = [
            self.enter(decision, held=apart, learned=k)
            for decision, k, apart in zip(quiet, learned, held.tolist(), strict=True)
        ]
        if judging is not None:
            self.follow()
        return questions

    # ------------------------------------------------------------------ the books

    def refuse(self, predicted: Label) -> Question:
        """Leave an example out of everything, since there is no label for it."""
        books = self.questions
        self.coins.advance()
        books.seen += 1
        books.refused += 1
        return Question(books.seen - 1, False, "budget", 0.0, 0.0, predicted)

    def enter(
        self,
        decision: Decision,
        row: Row | None = None,
        *,
        held: bool = False,
        learned: int | None = None,
    ) -> Question:
        """Enter an example into the books; its ``row`` is kept where it is asked about."""
        books = self.questions
        predicted, inside, probability, queried, *_ = decision
        if has_no_label(decision):
            return self.refuse(predicted)
        self.coins.advance()
        books.keep(decision)
        id, books.seen = books.seen, books.seen + 1
        if self.limited:
            # A window moves on with every example.
            self.ledger.is_open(id)
        if held and self.judging is not None:
            self.judging.count(id, decision)
        elif not (queried and inside):
            books.count(inside, self.learner.k if learned is None else learned)
        if not queried or row is None:
            reason: Reason = "coin" if inside else "outside"
            return Question(id, False, reason, probability, 0.0, predicted)
        self._await(id, row, decision)
        return Question(id, True, None, probability, 1.0 / probability, predicted)

    def _await(self, id: int, row: Row, decision: Decision) -> None:
        """Enter into the books that a label is wanted."""
        indices, values = row
        # Row(...), like Question(...) in ask, would take more than twice as long.
        kept = tuple.__new__(Row, (np.array(indices), np.array(values)))
        self.questions.pending[id] = kept, decision
        self.ledger.buy(id)

    def follow(self) -> None:
        """Look whether another classifier decides now."""
        if self.judging is not None:
            self.judging.follow(self.questions.bought)
        if self.stopping is not None:
            self.stopping.follow()

    def get_state(self) -> State:
        """The books, for a file."""
        return {
            "ledger": self.ledger.get_state(),
            "stopping": None if self.stopping is None else self.stopping.get_state(),
            **self.coins.get_state(),
            **self.questions.get_state(),
        }

    def set_state(self, state: State, n_features: int | None) -> None:
        """Take over books that agree with each other, and with the learner."""
        questions = self.questions
        self.coins.set_state(state)
        questions.set_state(state, n_features)
        if self.stopping is not None:
            self.stopping.set_state(state["stopping"], n_features)
        self.ledger.set_state(state["ledger"], {*questions.pending, *questions.bought})
        # A streaming learner has learned what the books say, and more if driven by its verbs.
        learned, k = questions.learned, self.learner.k
        if isinstance(self.learner, StreamingLearner) and k < learned:
            raise InvalidParameter(f"a saved k must be at least {learned}, got {k}")


def _plan(budget: Budget, horizon: int | None) -> tuple[int | None, int | None, float | None]:
    """Labels that can be bought in all, examples, and the rate at which a window lets them.

    >>> _plan(Budget(total=500, labels=20, per=1000), 10_000)
    (200, 10000, 0.02)
    """
    total = budget.total
    if budget.labels is None or budget.per is None:
        return total, horizon, None
    rate = min(budget.labels / budget.per, 1.0)
    if total is not None and horizon is not None:
        total = min(total, math.ceil(rate * horizon))
    return total, horizon, rate
