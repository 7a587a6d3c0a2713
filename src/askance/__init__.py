"""askance: learn a binary classifier from a stream, asking for few labels."""

from typing import TYPE_CHECKING, Any

from askance.errors import AskanceError
from askance.live import ActiveLearner, Question, Stats
from askance.live.budget import Budget
from askance.presets import ALGORITHMS, make_learner
from askance.sparse import as_row
from askance.types import Decision, Row, WeightedSample

if TYPE_CHECKING:
    from askance.adapters.sklearn import ActiveClassifier

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


def __getattr__(name: str) -> Any:
    """Import the scikit-learn adapter when it is first asked for: scikit-learn takes its time."""
    if name != "ActiveClassifier":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from askance.adapters.sklearn import ActiveClassifier

    return ActiveClassifier
