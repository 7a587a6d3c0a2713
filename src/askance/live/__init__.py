"""Ask and tell: questions, coins, budgets and answers over the three verbs of a learner."""

from askance.live.active_learner import CLASSES, ActiveLearner
from askance.live.budget import Budget
from askance.live.stopping import Until
from askance.types import Question, Stats, WeightedSample

__all__ = ["CLASSES", "ActiveLearner", "Budget", "Question", "Stats", "Until", "WeightedSample"]
