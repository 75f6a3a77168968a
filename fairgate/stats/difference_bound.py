"""The confidence bound that inverts the exact test of a difference."""

from math import sqrt

from fairgate.stats.difference import Sample, _Margins, significant
from fairgate.stats.inversion import smallest


def upper_bound(one: Sample, other: Sample, alpha: float) -> float:
    """The one-sided upper confidence bound of p1 − p2: about the smallest margin that is rejected, itself rejected.

    :returns: 1 where none is
    """
    if not one.cases or not other.cases:
        return 1.0
    rate1, rate2 = (one.events + 1) / (one.cases + 2), (other.events + 1) / (other.cases + 2)
    spread = sqrt(rate1 * (1 - rate1) / one.cases + rate2 * (1 - rate2) / other.cases)
    margins = _Margins(one, other)
    return smallest(
        lambda margin: margins.bound(margin, margin, 0.0, alpha) <= alpha,
        lambda margin: significant(one, other, margin, alpha),
        -1.0,
        1.0,
        guess=rate1 - rate2 + 1.5 * spread,
        spread=spread,
        cases=one.cases + other.cases,
    )
