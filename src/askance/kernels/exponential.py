r"""exp, expm1 and a rough logarithm in plain float64 arithmetic.

The C library's functions cannot be vectorised over lanes, and their last bits differ between
libraries; these few lines do both jobs. e^x is 2^n e^r with r in [-ln 2 / 2, ln 2 / 2]; adding
:math:`1.5 \cdot 2^{52}` rounds x / ln 2 to the integer n and leaves n in the low bits.
"""

import numpy as np

from askance.kernels._jit import inlined

__all__ = ["exp_negative", "expm1", "expm1_rough", "log_rough"]

LOG2_E = 1.4426950408889634
LN_2 = 0.6931471805599453
LN_2_HIGH = 6.93147180369123816490e-01  # so few bits that n times it is exact
LN_2_LOW = 1.90821492927058770002e-10
ROUND = 6755399441055744.0
EXPONENT = 52
ONE_BITS = 4607182418800017408
MANTISSA_BITS = 4503599627370495
TWO_52 = 4503599627370496.0
TWO_52_BITS = 4841369599423283200


@inlined
def expm1(x: float) -> float:
    """e^x - 1 for x in [-700, 700], to a few units in the last place.

    >>> expm1(1e-20), expm1(0.0)
    (1e-20, 0.0)
    >>> round(expm1(1.0), 14)
    1.71828182845905
    """
    shifted = x * LOG2_E + ROUND
    n = shifted - ROUND
    r = (x - n * LN_2_HIGH) - n * LN_2_LOW
    power = np.int64(
        (np.float64(shifted).view(np.int64) << np.int64(EXPONENT)) + np.int64(ONE_BITS)
    ).view(np.float64)
    return float(power * _expm1_reduced(r) + (power - 1.0))


@inlined
def exp_negative(x: float) -> float:
    """e^x for x <= 0; below -700 it stays at e^-700.

    >>> exp_negative(0.0), round(exp_negative(-1.0), 15)
    (1.0, 0.367879441171442)
    """
    x = max(x, -700.0)
    shifted = x * LOG2_E + ROUND
    n = shifted - ROUND
    r = (x - n * LN_2_HIGH) - n * LN_2_LOW
    power = np.int64(
        (np.float64(shifted).view(np.int64) << np.int64(EXPONENT)) + np.int64(ONE_BITS)
    ).view(np.float64)
    return float(power * _expm1_reduced(r) + power)


@inlined
def _expm1_reduced(r: float) -> float:
    """e^r - 1 for small r, by its series; summed in pairs, which do not wait for each other."""
    r2 = r * r
    r4 = r2 * r2
    low = (0.5 + r * (1.0 / 6.0)) + r2 * (1.0 / 24.0 + r * (1.0 / 120.0))
    middle = (1.0 / 720.0 + r * (1.0 / 5040.0)) + r2 * (1.0 / 40320.0 + r * (1.0 / 362880.0))
    high = (1.0 / 3628800.0 + r * (1.0 / 39916800.0)) + r2 * (1.0 / 479001600.0)
    return r + r2 * (low + r4 * (middle + r4 * high))


@inlined
def expm1_rough(x: float) -> float:
    """e^x - 1 for x in [-700, 700] to within a relative 1e-6: for all but the last Newton step.

    >>> abs(expm1_rough(1.0) - 1.718282) < 1e-6
    True
    """
    shifted = x * LOG2_E + ROUND
    r = x - (shifted - ROUND) * LN_2
    power = np.int64(
        (np.float64(shifted).view(np.int64) << np.int64(EXPONENT)) + np.int64(ONE_BITS)
    ).view(np.float64)
    r2 = r * r
    tail = (0.5 + r * (1.0 / 6.0)) + r2 * ((1.0 / 24.0 + r * (1.0 / 120.0)) + r2 * (1.0 / 720.0))
    return float(power * (r + r2 * tail) + (power - 1.0))


@inlined
def log_rough(x: float) -> float:
    """Natural logarithm of x >= 1 to within 1e-4: a start for Newton's method.

    >>> abs(log_rough(10.0) - 2.302585) < 1e-4
    True
    """
    bits = np.float64(x).view(np.int64)
    # Put into the low bits of 2^52, an integer becomes a float without a conversion.
    shifted = np.int64((bits >> np.int64(EXPONENT)) | np.int64(TWO_52_BITS)).view(np.float64)
    exponent = float(shifted) - (TWO_52 + 1023.0)
    mantissa = np.int64((bits & np.int64(MANTISSA_BITS)) | np.int64(ONE_BITS)).view(np.float64)
    f = float(mantissa) - 1.0
    tail = 0.1211609 + f * -0.0252058
    tail = 0.4575485 + f * (-0.2779043 + f * tail)
    return (exponent + f * (1.4425449 + f * (-0.7181452 + f * tail))) * LN_2
