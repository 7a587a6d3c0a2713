"""The disagreement test: how much weight would flip the prediction on x.

With an online oracle, the error difference between the ERM and the best classifier that disagrees
with it on x is estimated by i/k, i being the weight of an opposite-label example that brings the
margin to zero (``sec:optimization``, after Karampatziakis and Langford, 2011, Appendix F).
"""

import math
from typing import Literal

from askance.errors import InvalidParameter
from askance.kernels.linear import flip_weight
from askance.protocols import OnlineOracle
from askance.types import Row

__all__ = ["Disagreement", "check_disagreement", "error_gap"]

Disagreement = Literal["sensitivity", "margin"]


def check_disagreement(disagreement: str) -> None:
    """Raise unless the test's name is known.

    >>> check_disagreement("entropy")
    Traceback (most recent call last):
    askance.errors.InvalidParameter: disagreement must be sensitivity or margin, got 'entropy'
    """
    if disagreement not in ("sensitivity", "margin"):
        raise InvalidParameter(f"disagreement must be sensitivity or margin, got {disagreement!r}")


def error_gap(erm: OnlineOracle, x: Row, f: float, k: int, disagreement: Disagreement) -> float:
    r"""G: what flipping the prediction f on x would cost in error, after k examples.

    ``"sensitivity"`` asks the oracle, whose rates depend on x. ``"margin"`` is the rule of the
    paper's time, the flip weight of plain decaying rates without the features' norm,
    :math:`(|f| + 1 - e^{-|f|}) \sqrt{k} / \eta`.
    """
    if disagreement == "sensitivity":
        return erm.flip_weight(x) / k
    return flip_weight(f, erm.learning_rate / math.sqrt(k)) / k
