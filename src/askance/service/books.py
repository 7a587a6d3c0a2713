"""The questions of a stream and what people said to them, as its events have it; no learner."""

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from askance.errors import LabelConflict, UnknownQuestion
from askance.service.resolution import GivenVote, QuestionOutcome, Undecided, decided
from askance.service.settings import StreamSettings
from askance.types import Event

__all__ = ["AskedQuestion", "Books"]

_HOUR, _DAY = 3600.0, 86400.0


@dataclass(slots=True)
class AskedQuestion:
    """A question and all that was said to it, by the position of the reply.

    ``outcome`` is what came of it. ``leased`` are those to whom it was shown while it was open.
    """

    number: int
    id: str
    asked: float
    probability: float
    votes: dict[int, GivenVote] = field(default_factory=dict)
    leased: tuple[str, ...] = ()
    outcome: QuestionOutcome | Undecided = "open"
    erased: bool = False

    @property
    def label(self) -> str | None:
        """Its label, if it has one."""
        return self.outcome.label if isinstance(self.outcome, QuestionOutcome) else None

    @property
    def is_decided(self) -> bool:
        return isinstance(self.outcome, QuestionOutcome)

    def vote_of(self, actor: str) -> GivenVote | None:
        """What somebody said to it last."""
        return next((v for v in reversed(self.votes.values()) if v.actor == actor), None)


class Books:
    """What happened to the questions of a stream.

    ``open`` are the numbers of those that want replies, ``ties`` of those that want an admin's
    word, in the order in which they were asked.
    """

    def __init__(self, settings: StreamSettings) -> None:
        self.settings = settings
        self.questions: dict[int, AskedQuestion] = {}
        self.open: dict[int, None] = {}
        self.ties: dict[int, None] = {}
        self.labels: Counter[str] = Counter()
        # The votes of each person, by position, with the number of the question.
        self.votes_of: dict[str, dict[int, int]] = {}
        # The hashes of the ids of all replies: 60 bytes for each, and no query for a new one.
        self._replies: set[int] = set()
        self.last_offer: float | None = None
        self.state = "running"
        self.ended: str | None = None
        most = max(settings.per_hour or 0, settings.per_day or 0)
        self._asked_at: deque[float] = deque(maxlen=most)

    def question(self, number: int) -> AskedQuestion:
        """The question about an example."""
        if number not in self.questions:
            raise UnknownQuestion(f"no question was asked about example {number}")
        return self.questions[number]

    def may_have(self, key: str) -> bool:
        """Whether a reply may have this key; if not, certainly none has."""
        return hash(key) in self._replies

    def apply(
        self, event: Event
    ) -> tuple[QuestionOutcome | Undecided, QuestionOutcome | Undecided]:
        """Take an event in; what its question was and what it has become."""
        if event.kind == "offered":
            self._take_offer(event)
            return "open", "open"
        if event.kind in ("paused", "resumed", "stopped"):
            self.state = {"resumed": "running"}.get(event.kind, event.kind)
            self.ended = event.data.get("reason")
            return "open", "open"
        if event.number is None or event.number not in self.questions:
            return "open", "open"
        question = self.questions[event.number]
        before = question.outcome
        self._reply(event, question)
        self._settle(question)
        return before, question.outcome

    def _take_offer(self, event: Event) -> None:
        self.last_offer = event.at
        decision = event.data["decision"]
        if event.wanted and event.number is not None:
            id = (event.key or "x:").removeprefix("x:")
            question = AskedQuestion(event.number, id, event.at, probability=decision[2])
            self.questions[event.number] = question
            self.open[event.number] = None
            self._asked_at.append(event.at)

    def _reply(self, event: Event, question: AskedQuestion) -> None:
        actor, data = event.actor or "", event.data
        if event.kind == "leased":
            question.leased = (*question.leased, actor)
        elif event.kind in ("answered", "skipped"):
            vote = GivenVote(
                event.position,
                actor,
                data.get("label"),
                data.get("counts", True),
                data.get("final", False),
            )
            question.votes[event.position] = vote
            self._replies.add(hash(event.key))
            self.votes_of.setdefault(actor, {})[event.position] = question.number
        elif event.kind == "changed":
            changed = question.votes[data["answer"]]
            question.votes[data["answer"]] = changed._replace(label=data["label"])
        elif event.kind == "undone":
            gone = question.votes.pop(data["answer"])
            del self.votes_of[gone.actor][gone.position]
        elif event.kind == "withdrawn":
            question.votes[event.position] = GivenVote(event.position, actor, None, final=True)
        elif event.kind == "erased":
            question.erased = True

    def _settle(self, question: AskedQuestion) -> None:
        """Keep the lists of what is open in step with a question."""
        before, number = question.outcome, question.number
        after = self.outcome_of(question.votes.values())
        if question.erased:
            after = QuestionOutcome(0, None)
        question.outcome = after
        if after != "open":
            # There are many of these: what is kept of each is what the memory of a stream grows by.
            question.leased = ()
        if isinstance(before, QuestionOutcome) and before.label is not None:
            self.labels[before.label] -= 1
        if isinstance(after, QuestionOutcome) and after.label is not None:
            self.labels[after.label] += 1
        for waiting, state in ((self.open, "open"), (self.ties, "tie")):
            if after == state:
                waiting.setdefault(number)
            else:
                waiting.pop(number, None)

    def outcome_of(self, votes: Iterable[GivenVote]) -> QuestionOutcome | Undecided:
        """What comes of a question with these votes."""
        return decided(list(votes), self.settings.overlap, self.settings.skips)

    # ------------------------------------------------------------------ what may be asked

    def refusal(self, now: float) -> str | None:
        """Why nothing may be asked now, by the clock: the labels of the hour or day are spent."""
        limits = (("hour", self.settings.per_hour, _HOUR), ("day", self.settings.per_day, _DAY))
        for name, most, span in limits:
            asked = self._asked_at
            if most is not None and len(asked) >= most and asked[-most] > now - span:
                return name
        return None

    def check_vote(self, number: int, position: int, actor: str, *, may_all: bool) -> GivenVote:
        """A vote that somebody may change: one of their own, or any for an admin."""
        vote = self.question(number).votes.get(position)
        if vote is None or not (may_all or vote.actor == actor):
            raise LabelConflict(f"there is no answer of yours at {position} to question {number}")
        if self.questions[number].erased:
            raise LabelConflict(f"the record of question {number} was erased")
        return vote
