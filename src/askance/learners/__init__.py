"""The algorithms of the paper; each is handed its oracles."""

from askance.learners.active_cover import ActiveCover, Audit
from askance.learners.batch_iwal import BatchIWAL
from askance.learners.coal import Coal, CostRanges
from askance.learners.constants import Constants, PracticalConstants, TheoryConstants
from askance.learners.epoch_records import EpochRecord
from askance.learners.epochs import EpochLearner
from askance.learners.iwal import IWAL0, IWAL1, OracularIWAL0, OracularIWAL1
from askance.learners.margin import MarginSampling
from askance.learners.online_active_cover import OnlineActiveCover
from askance.learners.passive import Passive
from askance.learners.streaming import StreamingLearner

__all__ = [
    "IWAL0",
    "IWAL1",
    "ActiveCover",
    "Audit",
    "BatchIWAL",
    "Coal",
    "Constants",
    "CostRanges",
    "EpochLearner",
    "EpochRecord",
    "MarginSampling",
    "OnlineActiveCover",
    "OracularIWAL0",
    "OracularIWAL1",
    "Passive",
    "PracticalConstants",
    "StreamingLearner",
    "TheoryConstants",
]
