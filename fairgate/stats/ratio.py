"""The exact unconditional test of a ratio of two independent proportions against a limit.

H0: p1 ≤ ratio · p2 is tested as a difference is (``fairgate.stats.difference``): outcomes are ordered by the score of
p1 − ratio · p2 (Miettinen & Nurminen 1985, Statistics in Medicine 4, 213–226, section 4; its constrained estimate
solves a quadratic), the p-value is the largest over every truth that H0 allows, bounded and never sampled, and then
the largest over all smaller ratios, so that a looser limit never hurts.
"""

from collections.abc import Callable
from math import inf, sqrt

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from fairgate.stats.difference import Sample
from fairgate.stats.inversion import smallest
from fairgate.stats.score import Array, Counts, staircase
from fairgate.stats.supremum import TOLERANCE, envelope, supremum
from fairgate.stats.table import batch, below_stairs

_LARGE = 4_000
_WITHIN_LARGE = 5e-5
"""From ``_LARGE`` cases on a p-value may be reported this much above the truth; a decision is as sharp as ever."""

_TIE = 1e-8
"""Scores closer than this, relative to their size, count as equal, as for a difference."""


def p_value(one: Sample, other: Sample, ratio: float) -> float:
    """The p-value of H0: p1 ≤ ratio · p2; small values show that the first rate is more than that part of the second.

    For H0: p1 ≥ ratio · p2 swap the samples and turn the ratio over.

    :param ratio: > 0
    :returns: never below sup over ratio′ ≤ ratio of the exact p-value, and at most 1e-6 above
        (5e-5 from 4,000 cases on); 1 where a sample has no case
    :raises ValueError: unless the ratio is positive
    """
    return _test(one, other, ratio, inf)


def significant(one: Sample, other: Sample, ratio: float, alpha: float) -> bool:
    """Whether ``p_value(one, other, ratio) <= alpha``, as soon as that is certain; not where it cannot be told.

    :raises ValueError: unless the ratio is positive
    """
    return _test(one, other, ratio, alpha) <= alpha


def lower_bound(one: Sample, other: Sample, alpha: float, most: float = 1000.0) -> float:
    """The one-sided lower confidence bound of p1 / p2: the largest ratio up to ``most`` that is rejected.

    :returns: never more than that ratio; 0 where none is rejected
    """
    if not one.events or not one.cases or not other.cases:
        return 0.0
    rate = one.events / one.cases / ((other.events + 1) / (other.cases + 1))
    spread = rate * sqrt(1 / one.events + 1 / (other.events + 1))
    return -smallest(
        lambda margin: _bound(one, other, -margin, -margin, 0.0, alpha) <= alpha,
        lambda margin: significant(one, other, -margin, alpha),
        -most,
        0.0,
        guess=-rate * 0.8,
        spread=spread,
        cases=one.cases + other.cases,
    )


def _test(one: Sample, other: Sample, ratio: float, refuted: float) -> float:
    if ratio <= 0:
        raise ValueError(f"a ratio of {ratio}: expected more than 0")
    if not one.events or not one.cases or not other.cases:
        return 1.0
    rate1, rate2 = (one.events + 1) / (one.cases + 2), (other.events + 1) / (other.cases + 2)
    deviation = sqrt(rate1 * (1 - rate1) / one.cases + ratio**2 * rate2 * (1 - rate2) / other.cases) / rate2
    within = TOLERANCE / 2 if one.cases + other.cases <= _LARGE else _WITHIN_LARGE
    slack = 3 * within * deviation
    if refuted < inf:
        slack = max(slack, rate1 / rate2 - ratio + float(ndtri(refuted)) * deviation)
    found = envelope(
        lambda low, high, best, above: _bound(one, other, -high, -low, best, above),  # margins grow as H0 gets smaller
        -ratio,
        0.0,
        slack=slack,
        narrowest=within / 2 * deviation,
        refuted=refuted,
        within=within,
    )
    return min(1.0, found)


def _bound(  # noqa: PLR0913, PLR0917 - a cell of ratios and two levels, as ``envelope`` gives them
    one: Sample, other: Sample, low: float, high: float, best: float, refuted: float
) -> float:
    """At least the p-value at every ratio in [low, high], or ``best`` if that is larger: the probability of all
    outcomes that are as extreme as the data at some of these ratios, where the truth's ratio is ``high``."""
    if high <= 0:
        return best
    crude = _beyond(one, other, high)
    if crude <= best or crude <= refuted < inf:
        return max(best, crude) if crude > best else best
    scale = min(1.0, 1 / high)
    return supremum(
        _probability(_region(one, other, low, high), one.cases, other.cases, high),
        scale * (one.cases * high + other.cases),
        0.0,
        1.0,
        best=best,
        refuted=refuted,
        batch=batch(one.cases, other.cases),
    )


def _beyond(one: Sample, other: Sample, ratio: float) -> float:
    """A crude bound of the p-values at all ratios up to this one, of use near 0: no outcome without an event in the
    first sample is as extreme as one whose rate is above that ratio of the second."""
    if one.events / one.cases <= ratio * other.events / other.cases:
        return 1.0
    return float(1 - (1 - min(ratio, 1.0)) ** one.cases)


# --- the region ------------------------------------------------------------------------------------------------------


def _region(one: Sample, other: Sample, low: float, high: float) -> Counts:
    """The outcomes that are at least as extreme as the observed one at some ratio in [low, high], as a staircase.

    Exact where low = high; otherwise possibly a little larger, never smaller. An outcome's score (ratio · r2 − r1) /
    √V is a growing function of the ratio. Where the observed score is negative, "at most the observed score" reads
    (r1 − ratio · r2) / (the same, observed) ≥ √(V / V_observed): the left side is monotone in the ratio, and the
    constrained p1 grows and p2 falls with it, which bounds the right side by the ends.

    :returns: for every x1 in 0 … n1 the largest x2 of the region, −1 where there is none
    """
    n1, n2 = one.cases, other.cases
    x1, x2 = np.array([one.events]), np.array([other.events])
    behind_low, behind_high = (float(_behind(x2, n2, x1, n1, ratio)[0]) for ratio in (low, high))
    if behind_high > 0:
        most = float(_variances(x2, n2, x1, n1, low, high)[1][0])

        def within(second: Array, first: Counts) -> npt.NDArray[np.bool_]:
            share = np.maximum(
                _behind(second, n2, first, n1, low) / behind_low, _behind(second, n2, first, n1, high) / behind_high
            )
            least = _variances(second, n2, first, n1, low, high)[0]
            return np.asarray((share > 0) & (share >= np.sqrt(least / most) * (1 - _TIE)))
    else:
        threshold = float(score(x2, n2, x1, n1, high)[0])
        limit = threshold + _TIE * max(1.0, threshold) if np.isfinite(threshold) else threshold

        def within(second: Array, first: Counts) -> npt.NDArray[np.bool_]:
            return np.asarray(score(second, n2, first, n1, low) <= limit)

    return staircase(within, n2, n1)


def _behind(x2: Array | Counts, n2: int, x1: Counts, n1: int, ratio: float) -> Array:
    """How far the second rate, times the ratio, is behind the first."""
    return np.asarray(x1 / n1 - ratio * (x2 / n2))


def score(x2: Array | Counts, n2: int, x1: Counts, n1: int, ratio: float) -> Array:
    """(ratio · x2/n2 − x1/n1) over its standard error at the likeliest truth with p1 = ratio · p2.

    It grows in ``x2`` and in the ratio and falls in ``x1``. 0 where distance and standard error both vanish, ±inf where
    only the standard error does.
    """
    variance = _variances(x2, n2, x1, n1, ratio, ratio)[0]
    distance = -_behind(x2, n2, x1, n1, ratio)
    with np.errstate(divide="ignore", invalid="ignore"):
        result = distance / np.sqrt(variance)
    extreme = np.where(np.abs(distance) < 1e-12, 0.0, np.copysign(np.inf, distance))
    return np.asarray(np.where(variance <= 1e-300, extreme, result), dtype=float)


def _constrained(x2: Array | Counts, n2: int, x1: Counts, n1: int, ratio: float) -> tuple[Array, Array]:
    """The likeliest (p1, p2) under p1 = ratio · p2: the smaller root of a quadratic, written so that nothing
    cancels."""
    linear = ratio * (n1 + x2) + x1 + n2
    root = np.sqrt(np.maximum(linear**2 - 4 * ratio * (n1 + n2) * (x1 + x2), 0))
    p2 = np.clip(2 * (x1 + x2) / (linear + root), 0, min(1.0, 1 / ratio) if ratio else 1.0)
    return np.clip(ratio * p2, 0, 1), p2


def _variances(  # noqa: PLR0913, PLR0917 - two samples and a cell of ratios
    x2: Array | Counts, n2: int, x1: Counts, n1: int, low: float, high: float
) -> tuple[Array, Array]:
    """The least and the largest variance of ratio · r2 − r1 that the constrained estimates can have in [low, high]."""
    start = _constrained(x2, n2, x1, n1, low)
    end = start if low == high else _constrained(x2, n2, x1, n1, high)
    least, most = np.zeros_like(start[0]), np.zeros_like(start[0])
    for a, b, smallest_, largest in (
        (start[0], end[0], 1 / n1, 1 / n1),
        (start[1], end[1], low**2 / n2, high**2 / n2),
    ):
        at_a, at_b = a * (1 - a), b * (1 - b)
        least += np.minimum(at_a, at_b) * smallest_
        most += np.where((a - 0.5) * (b - 0.5) < 0, 0.25, np.maximum(at_a, at_b)) * largest
    return least, most


# --- the edge of the null hypothesis ---------------------------------------------------------------------------------


def _edge(p: Array, ratio: float) -> tuple[Array, Array]:
    """The truths with p1 = ratio · p2, from both at 0 to the first of them at 1."""
    scale = min(1.0, 1 / ratio)
    return np.clip(p * scale * ratio, 0, 1), np.clip(p * scale, 0, 1)


def _probability(stairs: Counts, n1: int, n2: int, ratio: float) -> Callable[[Array, Array], Array]:
    """P(x2 ≤ stairs[x1]) at the p1 of b and the p2 of a: growing in p1, falling in p2, hence a bound on [a, b]."""

    def probability(low: Array, high: Array) -> Array:
        return below_stairs(stairs, n2, _edge(low, ratio)[1], n1, _edge(high, ratio)[0])

    return probability
