"""Replay a stream from its log alone, and check every decision that was written down."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from askance.errors import AskanceError
from askance.service.fold import Fold, decision_of, matrix_of
from askance.service.log import SqlEventLog
from askance.types import Event, Row

__all__ = ["ReplayReport", "check_stream"]

MOST_SHOWN = 10
"""Differences that are told one by one."""


@dataclass(slots=True)
class ReplayReport:
    """What a check has found.

    ``checked`` decisions were made anew and compared. ``unchecked`` ones, and refits, depended on
    the clock, or on a record that was erased since. ``refits`` were fitted again. ``differences``
    are sentences, the first few of so many ``wrong``.
    """

    stream: str
    events: int = 0
    checked: int = 0
    unchecked: int = 0
    refits: int = 0
    wrong: int = 0
    differences: list[str] = field(default_factory=list)

    def differ(self, sentence: str) -> None:
        """Note a difference."""
        self.wrong += 1
        if len(self.differences) < MOST_SHOWN:
            self.differences.append(sentence)


def check_stream(log: SqlEventLog, stream: str) -> ReplayReport:
    """Fold a stream from its first event on, deciding and fitting everything anew on the way.

    It takes as long as all the refits took.
    """
    fold, report = Fold(log, stream, cached=False), ReplayReport(stream, 1)
    blind = list(_blind_spans(log, stream))
    for event in log.read(stream, 1):
        report.events += 1
        try:
            _follow(fold, event, blind, report)
        except AskanceError as error:
            report.differ(f"event {event.position} cannot have happened: {error}")
            break
    return report


def _follow(fold: Fold, event: Event, blind: list[tuple[int, int]], report: ReplayReport) -> None:
    rows = fold.rows_of([event])
    if event.kind == "offered":
        _compare(fold, event, rows.get(event.number or 0), blind, report)
    unknown = _is_blind(event, blind)
    fold.apply(event, rows, passed=unknown)
    if event.kind == "refitted" and unknown:
        report.unchecked += 1
    elif event.kind == "refitted":
        _compare_refit(fold, event, report)


def _blind_spans(log: SqlEventLog, stream: str) -> Iterator[tuple[int, int]]:
    """Where what was decided depends on a record that is gone: up to the next refit after it."""
    people = list(log.read(stream, 1, all=False))
    for event in people:
        if event.kind == "erased":
            refits = (
                e.position
                for e in people
                if e.kind == "refitted" and e.data["used"] >= event.position
            )
            has_refits = any(e.kind == "refitted" for e in people)
            end = next(refits, 2**63) if has_refits else event.position
            yield event.data["since"], end


def _is_blind(event: Event, blind: list[tuple[int, int]]) -> bool:
    return any(since <= event.position < end for since, end in blind)


def _compare(
    fold: Fold, event: Event, row: Row | None, blind: list[tuple[int, int]], report: ReplayReport
) -> None:
    if row is None or event.data.get("reason") in ("hour", "day") or _is_blind(event, blind):
        report.unchecked += 1
        return
    assert fold.learner is not None
    ((coin, decision),) = fold.learner.foretell(matrix_of([row], fold.learner.n_features))
    report.checked += 1
    if coin != event.data["coin"]:
        report.differ(f"example {event.number} has the coin {event.data['coin']}, not {coin}")
    if decision != decision_of(event):
        report.differ(f"example {event.number} was decided as {decision_of(event)}, not {decision}")


def _compare_refit(fold: Fold, event: Event, report: ReplayReport) -> None:
    assert fold.refitting is not None
    report.refits += 1
    facts = fold.refitting.facts
    if not facts.items() <= event.data.items():
        report.differ(f"the refit at {event.position} has {event.data}, not {facts}")
