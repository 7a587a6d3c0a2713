"""The form for a new stream, as people fill it in."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

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
    overlap: str = "1"
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
        total, horizon, rate = self._plan()
        error = _share("Stop below an error of", self.stop_error)
        chosen: dict[str, Any] = {
            "name": self.name.strip(),
            "classes": listed(self.classes, None),
            "guidelines": self.guidelines.replace("\r\n", "\n").strip(),
            "per_hour": _whole("Labels in an hour", self.per_hour),
            "per_day": _whole("Labels in a day", self.per_day),
            "overlap": _whole("People for each question", self.overlap) or 1,
            "pictures": tuple(host.lower() for host in listed(self.pictures)),
        }
        try:
            return StreamSettings(
                total=total,
                horizon=horizon,
                rate=rate,
                stop={} if error is None else {"error": error},
                opinion=bool(self.opinion),
                learner=self.learner or "auto",
                **chosen,
            )
        except InvalidParameter as wrong:
            raise InvalidParameter(_as_labelled(str(wrong))) from None

    def _plan(self) -> tuple[int | None, int | None, float | None]:
        """Labels in all with examples in all, or the share to ask about."""
        if self.plan == "rate":
            rate = _share("Share to ask about", self.rate)
            if rate is None:
                raise InvalidParameter("Share to ask about must be filled in, such as 0.05 or 5%")
            if self.learner not in ("", "auto"):
                raise InvalidParameter(
                    f"a share of the examples is for the learner auto; {self.learner} takes a total"
                )
            return None, None, rate
        total = _whole("Labels in all", self.total)
        horizon = _whole("Examples in all", self.horizon)
        if total is None or horizon is None:
            raise InvalidParameter("Labels in all and Examples in all must be filled in")
        if total > horizon:
            raise InvalidParameter(
                f"Labels in all must not be more than Examples in all, got {total:,} of {horizon:,}"
            )
        return total, horizon, None


_LABELS = {"name": "Name", "classes": "Classes", "pictures": "Hosts of pictures"}
_LABELS |= {"guidelines": "Guidelines for annotators"}
"""What the form calls settings that are checked elsewhere."""


def _as_labelled(wrong: str) -> str:
    name, _, rest = wrong.partition(" ")
    return f"{_LABELS.get(name, name)} {rest}"


def _whole(name: str, text: str) -> int | None:
    found = _number(name, text.replace(",", ""))
    if found is None:
        return None
    if not found.is_integer() or found < 1:
        raise InvalidParameter(f"{name} must be a whole number from 1 on, got {shown(text)}")
    return int(found)


def _share(name: str, text: str) -> float | None:
    """A share, such as 0.05 or 5%."""
    percent = text.strip().removesuffix("%")
    found = _number(name, percent)
    if found is None:
        return None
    share = found / 100 if percent != text.strip() else found
    if not 0 < share < 1:
        raise InvalidParameter(
            f"{name} must lie between 0 and 1, such as 0.05 or 5%, got {shown(text)}"
        )
    return share


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
