"""A pool beyond memory, decided in rounds: questions out, answers in."""

from askance.scale.asking import PoolPlan, Round, ask_pool, pending_questions
from askance.scale.book import PoolQuestion
from askance.scale.predicting import predict_pool
from askance.scale.telling import Told, tell_pool
from askance.scale.workers import Workers

__all__ = [
    "PoolPlan",
    "PoolQuestion",
    "Round",
    "Told",
    "Workers",
    "ask_pool",
    "pending_questions",
    "predict_pool",
    "tell_pool",
]
