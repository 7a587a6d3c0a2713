"""How a labelling began: all that is needed to rebuild its learner."""

import dataclasses
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from askance.data.features import FeatureMap
from askance.data.features.indexers import Hashing
from askance.data.reading.intake import Intake, Reading
from askance.errors import FileUnreadable, InvalidParameter
from askance.live import ActiveLearner, Until
from askance.protocols import PacedLearner
from askance.types import State
from askance.validation import require_whole

__all__ = ["LAG", "Settings", "plain_scales", "scales_from"]

LAG = 5
"""Labels that a person may give while a classifier is fitted: it serves that many later, always."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The learner of a labelling and how its file is read.

    Parameters
    ----------
    algorithm, parameters
        As :func:`askance.make_learner` takes them.
    seed
        Of the coins.
    classes
        The names of the answers no and yes, or of three classes or more.
    keys
        Their keys, if somebody chose them.
    reading
        Which columns are what.
    scales
        What the first records taught the feature map, as plain values; None if it was not to learn.
        It is kept, so that a file may grow or change where it was not read.
    horizon
        How many records the file had, where the learner spreads its questions over them.
    judging
        Which labels only judge, and what is aimed at: ``hold_out``, ``audit`` and ``until`` of
        :class:`~askance.live.active_learner.ActiveLearner`, as plain values.
    """

    algorithm: str = "online_active_cover"
    parameters: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    classes: tuple[str, ...] = ("no", "yes")
    keys: tuple[str, ...] = ()
    reading: Reading = field(default_factory=Reading)
    scales: State | None = None
    horizon: int | None = None
    judging: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.horizon is not None:
            require_whole(1, horizon=self.horizon)
        # Else the first answer could not be written to a file.
        for name in self.classes:
            if not _is_text(name):
                raise InvalidParameter(
                    f"the name of a class must be valid Unicode text, got {name!a}"
                )

    def settled(self, source: str | Path) -> "Settings":
        """Look at a file's first records: name its text columns, learn its scales, check both."""
        features = Intake(source, self.reading).features
        reading = replace(self.reading, text=tuple(sorted(features.text)))
        scales = None if features.scales is None else plain_scales(features.scales.get_state())
        settled = replace(self, reading=reading, scales=scales)
        return replace(settled, horizon=settled.counted(source))

    def counted(self, source: str | Path) -> int | None:
        """How many records a file has, if the learner wants to know."""
        if not isinstance(self.learner().learner, PacedLearner):
            return None
        batches = Intake(source, self.reading, self._features()).batches()
        return sum(len(batch.ids) for batch in batches)

    def learner(self) -> ActiveLearner:
        """The learner before the first example.

        >>> Settings(algorithm="iwal1", classes=("ham", "spam")).learner().classes
        ('ham', 'spam')
        """
        return ActiveLearner(
            self.algorithm,
            random_state=self.seed,
            horizon=self.horizon,
            features=self._features(),
            classes=self.classes,
            reading=self.reading.as_state(),
            **{name: given for name, given in self.judging.items() if name != "until"},
            until=Until(**self.judging["until"]) if "until" in self.judging else None,
            **self.parameters,
        )

    def _features(self) -> FeatureMap:
        reading = self.reading
        features = FeatureMap(Hashing(reading.bits), reading.text or (), reading.ngrams)
        features.set_scales(None if self.scales is None else scales_from(self.scales))
        return features

    @property
    def has_costs(self) -> bool:
        """Whether mistakes have costs, which are those of the classes it began with."""
        return "cost_matrix" in self.parameters

    def by_name(self) -> dict[str, Any]:
        """Each setting under the name of its option.

        >>> Settings(parameters={"c0": 0.5}).by_name()["c0"]
        0.5
        """
        reading = {
            name: sorted(value) if isinstance(value, tuple) else value
            for name, value in dataclasses.asdict(self.reading).items()
        }
        two = dict(zip(("negative", "positive"), self.classes, strict=False))
        keys = [f"={key}" for key in self.keys] or [""] * len(self.classes)
        named = [name + key for name, key in zip(self.classes, keys, strict=True)]
        return {
            **reading,
            # A column of labels is one of those that are left out.
            "label": reading["ignore"],
            "algorithm": self.algorithm,
            "seed": self.seed,
            **self.parameters,
            "costs": self.parameters.get("cost_matrix"),
            "classes": named,
            **(two if len(self.classes) == 2 else {}),
        }

    def as_state(self) -> State:
        """As plain values, for a journal.

        >>> Settings.from_state(Settings(seed=3).as_state()) == Settings(seed=3)
        True
        """
        state = dataclasses.asdict(self)
        # A labelling of two classes is kept as it was before there were more.
        for part, name in ((state, "keys"), (state["reading"], "classes")):
            if not part[name]:
                del part[name]
        return state

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Bring back what :meth:`as_state` gave.

        >>> Settings.from_state({"classes": 3})
        Traceback (most recent call last):
        askance.errors.FileUnreadable: the settings of a labelling are damaged: {'classes': 3}
        """
        try:
            given: dict[str, Any] = {
                name: tuple(value) if isinstance(value, list) else value
                for name, value in state["reading"].items()
            }
            # Those of earlier versions did not know of it.
            given.setdefault("scale", False)
            classes, keys = (tuple(map(str, state.get(name, ()))) for name in ("classes", "keys"))
            if len(classes) < 2 or len(keys) not in (0, len(classes)):
                raise ValueError
            changed = {
                "classes": classes,
                "keys": keys,
                "reading": Reading(**given),
                "parameters": dict(state["parameters"]),
            }
            settings = cls(**{**state, **changed})
            settings._features()
            return settings
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FileUnreadable(
                f"the settings of a labelling are damaged: {str(state)[:100]}"
            ) from error


_ARRAYS = ("columns", "spreads")


def plain_scales(scales: State) -> State:
    """Scales as JSON can write them."""
    return scales | {name: scales[name].tolist() for name in _ARRAYS}


def scales_from(scales: State) -> State:
    """Scales as a map takes them, from what :func:`plain_scales` gave."""
    return scales | {name: np.array(scales[name]) for name in _ARRAYS}


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
