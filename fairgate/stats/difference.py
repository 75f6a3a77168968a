"""The exact unconditional test of a difference of two independent proportions against a margin.

H0: p1 − p2 ≥ margin is tested by P(score ≤ the score observed), the Miettinen–Nurminen score ordering the outcomes, at
the worst truth that H0 allows (Chan & Zhang 1999, Biometrics 55, 1202–1209). That p-value may rise when the margin is
loosened (Röhmel 2005, Biometrical Journal 47, 37–47), so what is reported is the largest over all margins from the one
asked about: valid all the same, and a looser margin never hurts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import inf, sqrt

import numpy as np
from scipy.special import bdtr, bdtrc, gammaln

from fairgate.stats.score import Array, Counts, region
from fairgate.stats.supremum import TOLERANCE, envelope, supremum

_TABLE = 200_000
"""Probabilities computed at once: enough to hide the cost of a call, few enough to stay in the cache."""

_COARSENESS = 2.5e-9


@dataclass(frozen=True, slots=True)
class Sample:
    """Events among the cases of one group. A missing prediction is counted in by the caller, at its worst.

    :raises ValueError: unless 0 ≤ events ≤ cases
    """

    events: int
    cases: int

    def __post_init__(self) -> None:
        if not 0 <= self.events <= self.cases:
            raise ValueError(f"{self.events} events of {self.cases} cases: expected 0 ≤ events ≤ cases")


def p_value(one: Sample, other: Sample, margin: float) -> float:
    """The p-value of H0: p1 − p2 ≥ margin; small values show that the difference is below the margin.

    For H0: p1 − p2 ≤ margin swap the samples and negate the margin.

    :param margin: in [−1, 1]
    :returns: never below sup over margin′ ≥ margin of the exact p-value, and at most 1e-6 above; 1 where a sample has
        no case
    :raises ValueError: for a margin outside [−1, 1]
    """
    return _test(one, other, margin, inf)


def significant(one: Sample, other: Sample, margin: float, alpha: float) -> bool:
    """Whether ``p_value(one, other, margin) <= alpha``, as soon as that is certain; not where it cannot be told.

    :raises ValueError: for a margin outside [−1, 1]
    """
    return _test(one, other, margin, alpha) <= alpha


def _test(one: Sample, other: Sample, margin: float, refuted: float) -> float:
    if not -1 <= margin <= 1:
        raise ValueError(f"a margin of {margin}: expected a difference in [-1, 1]")
    if not one.cases or not other.cases:
        return 1.0
    if one.cases < other.cases:  # p1 − p2 = (1 − p2) − (1 − p1): the table has a row per case of the smaller sample
        one, other = Sample(other.cases - other.events, other.cases), Sample(one.cases - one.events, one.cases)
    margins = _Margins(one, other)
    cases = one.cases + other.cases
    found = envelope(
        lambda a, b, best: margins.bound(a, b, best, refuted),
        margin,
        1.0,
        scale=margins.deviation(margin),
        refuted=refuted,
        within=max(TOLERANCE / 2, cases * _COARSENESS),
    )
    return min(1.0, found)


class _Margins:
    """Bounds of the p-values of one table at all margins between two."""

    def __init__(self, one: Sample, other: Sample) -> None:
        self.x1, self.n1, self.x2, self.n2 = one.events, one.cases, other.events, other.cases

    def deviation(self, margin: float) -> float:
        """About the standard deviation of the difference of the two rates."""
        p1, p2 = (self.x1 + 1) / (self.n1 + 2), (self.x2 + 1) / (self.n2 + 2)
        return sqrt(p1 * (1 - p1) / self.n1 + p2 * (1 - p2) / self.n2)

    def bound(self, low: float, high: float, best: float, refuted: float) -> float:
        """At least the p-value at every margin in [low, high], or ``best`` if that is larger: the probability of all
        outcomes that are as extreme as the data at some of these margins, where the truth's difference is ``low``."""
        if self.beyond(low) <= best:
            return best
        return supremum(
            _probability(region(self.x1, self.n1, self.x2, self.n2, low, high), self.n1, self.n2, low),
            lambda p: self.n1 / ((p + low) * (1 - p - low)) + self.n2 / (p * (1 - p)),
            max(0.0, -low),
            min(1.0, 1 - low),
            best=best,
            refuted=refuted,
            batch=_TABLE // (24 * (self.n1 + self.n2)),
        )

    def beyond(self, margin: float) -> float:
        """A crude bound of the p-values at all margins from this one on, of use far from the data.

        What has more events in the first sample and no more in the second is less extreme than the data, at any
        margin. The truth has p1 ≥ margin and p2 ≤ 1 − margin.
        """
        if self.x1 == self.n1:
            return 1.0
        return float(bdtr(self.x1, self.n1, margin) + bdtrc(self.x2, self.n2, 1 - margin)) if margin > 0 else 1.0


def _probability(stairs: Counts, n1: int, n2: int, margin: float) -> Callable[[Array, Array], Array]:
    """P(x1 ≤ stairs[x2]) at p1 = a + margin, p2 = b: falling in p1, growing in p2, hence a bound on [a, b]."""

    def probability(low: Array, high: Array) -> Array:
        first, mass1, left1 = _pmf(n1, np.clip(low + margin, 0, 1))
        second, mass2, left2 = _pmf(n2, np.clip(high, 0, 1))
        cumulated = np.zeros((len(low), mass1.shape[1] + 1))
        np.cumsum(mass1, axis=1, out=cumulated[:, 1:])
        steps = np.clip(stairs[second : second + mass2.shape[1]] - first + 1, 0, mass1.shape[1])
        return np.einsum("ij,ij->i", mass2, cumulated[:, steps]) + left1 + left2

    return probability


def _pmf(n: int, p: Array) -> tuple[int, Array, Array]:
    """Binomial probabilities (one row per p) of a window of counts, its first count, and the mass outside it."""
    deviation = np.sqrt(n * p * (1 - p))
    first = max(0, int(np.min(n * p - 6 * deviation)) - 12)
    last = min(n, int(np.max(n * p + 6 * deviation)) + 12)
    x = np.arange(first, last + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_q = np.log1p(-p)
        logs = np.multiply.outer(np.log(p) - log_q, x)
        logs += (n * log_q)[:, np.newaxis]
        logs += _log_choose(n)[first : last + 1]
        mass = np.exp(logs, out=logs)
    for edge, count in ((0.0, 0), (1.0, n)):
        if (at := p == edge).any():
            mass[at] = x == count
    return first, mass, np.maximum(0.0, 1 - mass.sum(axis=1))


@lru_cache(maxsize=16)
def _log_choose(n: int) -> Array:
    x = np.arange(n + 1)
    return np.asarray(gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1))
