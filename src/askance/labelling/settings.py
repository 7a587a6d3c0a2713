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
from askance.live import ActiveLearner
from askance.protocols import PacedLearner
from askance.types import State
from askance.validation import require_whole

__all__ = ["LAG", "Settings"]

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
        The names of the answers no and yes.
    reading
        Which columns are what.
    scales
        What the first records taught the feature map, as plain values; None if it was not to learn.
        It is kept, so that a file may grow or change where it was not read.
    horizon
        How many records the file had, where the learner spreads its questions over them.
    """

    algorithm: str = "online_active_cover"
    parameters: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    classes: tuple[str, str] = ("no", "yes")
    reading: Reading = field(default_factory=Reading)
    scales: State | None = None
    horizon: int | None = None

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
        scales = None if features.scales is None else _plain(features.scales.get_state())
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
            **self.parameters,
        )

    def _features(self) -> FeatureMap:
        reading = self.reading
        features = FeatureMap(Hashing(reading.bits), reading.text or (), reading.ngrams)
        features.set_scales(None if self.scales is None else _with_arrays(self.scales))
        return features

    def by_name(self) -> dict[str, Any]:
        """Each setting under the name of its option.

        >>> Settings(parameters={"c0": 0.5}).by_name()["c0"]
        0.5
        """
        reading = {
            name: sorted(value) if isinstance(value, tuple) else value
            for name, value in dataclasses.asdict(self.reading).items()
        }
        negative, positive = self.classes
        return {
            **reading,
            # A column of labels is one of those that are left out.
            "label": reading["ignore"],
            "algorithm": self.algorithm,
            "seed": self.seed,
            **self.parameters,
            "positive": positive,
            "negative": negative,
        }

    def as_state(self) -> State:
        """As plain values, for a journal.

        >>> Settings.from_state(Settings(seed=3).as_state()) == Settings(seed=3)
        True
        """
        return dataclasses.asdict(self)

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
            negative, positive = state["classes"]
            classes = (str(negative), str(positive))
            parameters = dict(state["parameters"])
            changed = {"classes": classes, "reading": Reading(**given), "parameters": parameters}
            settings = cls(**{**state, **changed})
            settings._features()
            return settings
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FileUnreadable(
                f"the settings of a labelling are damaged: {str(state)[:100]}"
            ) from error


_ARRAYS = ("columns", "spreads")


def _plain(scales: State) -> State:
    """Scales as JSON can write them."""
    return scales | {name: scales[name].tolist() for name in _ARRAYS}


def _with_arrays(scales: State) -> State:
    return scales | {name: np.array(scales[name]) for name in _ARRAYS}


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
