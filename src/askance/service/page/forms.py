"""The form for a new stream, as people fill it in."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Self

from askance.errors import InvalidParameter
from askance.service.settings import StreamSettings
from askance.validation import shown

__all__ = ["StreamForm", "listed"]


def listed(text: str, separator: str | None = ",") -> tuple[str, ...]:
    """The parts of a text, without blanks around them.

    >>> listed(" a, b,,c ")
    ('a', 'b', 'c')
    """
    parts = text.splitlines() if separator is None else text.split(separator)
    return tuple(part.strip() for part in parts if part.strip())


@dataclass(frozen=True, slots=True)
class StreamForm:
    r"""The fields of the form, all text.

    >>> form = StreamForm(name="mail", classes="ham\nspam", plan="rate", rate="0.05")
    >>> form.settings().classes, form.settings().rate
    (('ham', 'spam'), 0.05)
    """

    name: str = ""
    classes: str = ""
    guidelines: str = ""
    plan: str = "total"
    total: str = ""
    horizon: str = ""
    rate: str = ""
    per_hour: str = ""
    per_day: str = ""
    stop_error: str = ""
    overlap: str = ""
    opinion: str = ""
    pictures: str = ""
    learner: str = "auto"

    @classmethod
    def of(cls, form: Mapping[str, object]) -> Self:
        """The fields of a form that was sent."""
        sent = {field.name: form.get(field.name, "") for field in fields(cls)}
        return cls(**{name: value for name, value in sent.items() if isinstance(value, str)})

    def settings(self) -> StreamSettings:
        """What they ask for, or a sentence on what is wrong."""
        by_rate = self.plan == "rate"
        if by_rate and not self.rate.strip():
            raise InvalidParameter("a stream by share needs the share to ask about, such as 0.05")
        if not by_rate and not (self.total.strip() and self.horizon.strip()):
            raise InvalidParameter(
                "a stream by total needs the labels in all and the examples in all"
            )
        return StreamSettings(
            name=self.name.strip(),
            classes=listed(self.classes, None),
            guidelines=self.guidelines.replace("\r\n", "\n").strip(),
            total=None if by_rate else _whole("labels in all", self.total),
            horizon=None if by_rate else _whole("examples in all", self.horizon),
            rate=_number("share to ask about", self.rate) if by_rate else None,
            per_hour=_whole("labels in an hour", self.per_hour),
            per_day=_whole("labels in a day", self.per_day),
            stop=self._stop(),
            overlap=_whole("people for each question", self.overlap) or 1,
            opinion=bool(self.opinion),
            learner=self.learner or "auto",
            pictures=tuple(host.lower() for host in listed(self.pictures)),
        )

    def _stop(self) -> dict[str, float]:
        error = _number("error to stop at", self.stop_error)
        return {} if error is None else {"error": error}


def _whole(name: str, text: str) -> int | None:
    found = _number(name, text.replace(",", ""))
    if found is not None and not found.is_integer():
        raise InvalidParameter(f"{name} must be a whole number, got {shown(text)}")
    return None if found is None else int(found)


def _number(name: str, text: str) -> float | None:
    if not text.strip():
        return None
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise InvalidParameter(f"{name} must be a number, got {shown(text)}")
    return found
