"""askance: learn a binary classifier from a stream, asking for few labels."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askance.adapters.sklearn import ActiveClassifier
    from askance.errors import AskanceError
    from askance.live import ActiveLearner, Budget
    from askance.presets import ALGORITHMS, make_learner
    from askance.sparse import as_row
    from askance.types import Decision, Question, Row, Stats, WeightedSample

__all__ = [
    "ALGORITHMS",
    "ActiveClassifier",
    "ActiveLearner",
    "AskanceError",
    "Budget",
    "Decision",
    "Question",
    "Row",
    "Stats",
    "WeightedSample",
    "__version__",
    "as_row",
    "make_learner",
]

__version__ = "0.2.0.dev0"

# Loaded when first used: numba alone takes longer to import than most commands take to answer.
_HOMES = {
    "ALGORITHMS": "askance.presets",
    "ActiveClassifier": "askance.adapters.sklearn",
    "ActiveLearner": "askance.live",
    "AskanceError": "askance.errors",
    "Budget": "askance.live",
    "Decision": "askance.types",
    "Question": "askance.types",
    "Row": "askance.types",
    "Stats": "askance.types",
    "WeightedSample": "askance.types",
    "as_row": "askance.sparse",
    "make_learner": "askance.presets",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
