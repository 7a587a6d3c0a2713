r"""The disagreement test: how much weight would flip the prediction on x.

With an online oracle, the error difference between the ERM and the best classifier that disagrees
with it on x is estimated by i/k, i being the weight of an opposite-label example that brings the
margin to zero (``sec:optimization``, after Karampatziakis and Langford, 2011, Appendix F). There
are three ways to find i:

- ``"sensitivity"``, the default: :math:`(|f| + 1 - e^{-|f|}) / s(1)`, where s(w) is the rate times
  the movement of the margin as an update of weight w finds them. Adaptive rates depend on the
  weight that is learned, so this is the weight that flips only where it is 1.
- ``"exact"``: the weight that really flips, the root of :math:`w\, s(w) = |f| + 1 - e^{-|f|}`. No
  compiled pass stands in for it, so it runs by the readable loop, and more slowly.
- ``"margin"``: the rule of the paper's time, with plain decaying rates and without the features'
  norm, :math:`(|f| + 1 - e^{-|f|}) \sqrt{k} / \eta`.

``docs/results/disagreement`` has the three side by side.
"""

import math
from typing import Literal, cast, get_args

from askance.errors import InvalidParameter
from askance.kernels.linear import flip_weight
from askance.protocols import ExactFlipOracle, OnlineOracle
from askance.types import Row

__all__ = ["Disagreement", "check_disagreement", "error_gap"]

Disagreement = Literal["sensitivity", "margin", "exact"]


def check_disagreement(disagreement: str, erm: OnlineOracle) -> None:
    """Raise unless the test's name is known and the oracle has what it asks for.

    >>> from askance.oracles.linear import LinearOracle, LinearState
    >>> check_disagreement("entropy", LinearOracle(LinearState(n_features=1)))
    Traceback (most recent call last):
    askance.errors.InvalidParameter: disagreement must be sensitivity, margin or exact, got \
'entropy'
    """
    if disagreement not in get_args(Disagreement):
        raise InvalidParameter(
            f"disagreement must be sensitivity, margin or exact, got {disagreement!r}"
        )
    if disagreement == "exact" and not isinstance(erm, ExactFlipOracle):
        raise InvalidParameter(
            "disagreement='exact' needs an oracle with an exact_flip_weight, "
            f"got {type(erm).__name__}"
        )


def error_gap(erm: OnlineOracle, x: Row, f: float, k: int, disagreement: Disagreement) -> float:
    """G: what flipping the prediction f on x would cost in error, after k examples."""
    if disagreement == "sensitivity":
        return erm.flip_weight(x) / k
    if disagreement == "exact":
        return cast(ExactFlipOracle, erm).exact_flip_weight(x) / k
    return flip_weight(f, erm.learning_rate / math.sqrt(k)) / k
