"""The contract suites, one for each protocol: run them on your own learner or oracle.

>>> import askance
>>> from askance.checks import check_learner
>>> check_learner(lambda: askance.make_learner("passive", n_features=5), n_features=5)
"""

from askance.checks.event_log import check_event_log
from askance.checks.learner import check_learner, learner_checks
from askance.checks.oracle import check_online_oracle, online_oracle_checks

__all__ = [
    "check_event_log",
    "check_learner",
    "check_online_oracle",
    "learner_checks",
    "online_oracle_checks",
]
