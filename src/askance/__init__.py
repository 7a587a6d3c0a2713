"""askance: learn a binary classifier from a stream, asking for few labels."""

from askance.data.rows import as_row
from askance.presets import ALGORITHMS, make_learner
from askance.types import Decision, Row

__all__ = ["ALGORITHMS", "Decision", "Row", "__version__", "as_row", "make_learner"]

__version__ = "0.1.0"
