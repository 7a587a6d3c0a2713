"""askance: learn a binary classifier from a stream, asking for few labels."""

from askance.budget import Budget
from askance.data.rows import as_row
from askance.errors import AskanceError
from askance.live import ActiveLearner, Question, Stats
from askance.presets import ALGORITHMS, make_learner
from askance.types import Decision, Row, WeightedSample

__all__ = [
    "ALGORITHMS",
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

__version__ = "0.1.0"
