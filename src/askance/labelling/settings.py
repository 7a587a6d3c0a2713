"""How a labelling began: all that is needed to build its learner again."""

import dataclasses
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from askance.data.features import FeatureMap
from askance.data.features.indexers import Hashing
from askance.data.reading.intake import Intake, Reading
from askance.live import ActiveLearner
from askance.types import State

__all__ = ["Settings"]


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
    """

    algorithm: str = "online_active_cover"
    parameters: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    classes: tuple[str, str] = ("no", "yes")
    reading: Reading = field(default_factory=Reading)

    def settled(self, source: str | Path) -> "Settings":
        """Look at a file's first records: name its text columns, and check what was chosen."""
        intake = Intake(source, self.reading)
        settled = replace(
            self, reading=replace(self.reading, text=tuple(sorted(intake.features.text)))
        )
        settled.learner()
        return settled

    def learner(self) -> ActiveLearner:
        """The learner before the first example.

        >>> Settings(algorithm="iwal1", classes=("ham", "spam")).learner().classes
        ('ham', 'spam')
        """
        reading = self.reading
        return ActiveLearner(
            self.algorithm,
            random_state=self.seed,
            features=FeatureMap(Hashing(reading.bits), reading.text or (), reading.ngrams),
            classes=self.classes,
            reading=reading.as_state(),
            **self.parameters,
        )

    def as_state(self) -> State:
        """As plain values, for a journal.

        >>> Settings.from_state(Settings(seed=3).as_state()) == Settings(seed=3)
        True
        """
        return dataclasses.asdict(self)

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Bring back what :meth:`as_state` gave."""
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in state["reading"].items()
        }
        classes = tuple(state["classes"])
        return cls(**{**state, "classes": classes, "reading": Reading(**given)})
