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
from scipy.special import gammaln

from fairgate.stats.score import Array, Counts, region, score
from fairgate.stats.supremum import envelope, supremum

_TABLE = 200_000
"""Probabilities computed at once: enough to hide the cost of a call, few enough to stay in the cache."""


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
    return min(1.0, envelope(lambda a, b, best: margins.bound(a, b, best, refuted), margin, 1.0, step=margins.step, refuted=refuted))


class _Margins:
    """Bounds of the p-values of one table at all margins between two."""

    def __init__(self, one: Sample, other: Sample) -> None:
        self.n1, self.n2 = one.cases, other.cases
        self._x1, self._x2 = np.array([one.events]), np.array([other.events])
        self._difference = one.events / one.cases - other.events / other.cases
        self.step = 1e-6 / sqrt(self.n1 + self.n2)

    def bound(self, low: float, high: float, best: float, refuted: float) -> float:
        """At least the p-value at every margin in [low, high], or ``best`` if that is larger.

        The score falls as the margin grows. So whatever is as extreme as the data at some margin of the cell has, at
        the upper end, a score no larger than that of the data at the lower end; and the truth's difference is at least
        the lower end.
        """
        if low > self._difference and (beyond := 1 - low ** (self.n1 + self.n2)) <= best:
            return best  # every event in the first sample and none in the second is less extreme than the data
        threshold = float(score(self._x1, self.n1, self._x2, self.n2, low)[0])
        stairs = region(threshold, self.n1, self.n2, high)
        return supremum(
            _probability(stairs, self.n1, self.n2, low),
            lambda p: self.n1 / ((p + low) * (1 - p - low)) + self.n2 / (p * (1 - p)),
            max(0.0, -low),
            min(1.0, 1 - low),
            best=best,
            refuted=refuted,
            batch=_TABLE // (24 * (self.n1 + self.n2)),
        )


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
    first = max(0, int(np.min(n * p - 6.5 * deviation)) - 20)
    last = min(n, int(np.max(n * p + 6.5 * deviation)) + 20)
    x = np.arange(first, last + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = _log_choose(n)[first : last + 1] + x * np.log(p)[:, np.newaxis] + (n - x) * np.log1p(-p)[:, np.newaxis]
    mass = np.exp(logs)
    for edge, count in ((0.0, 0), (1.0, n)):
        if (at := p == edge).any():
            mass[at] = x == count
    return first, mass, np.maximum(0.0, 1 - mass.sum(axis=1))


@lru_cache(maxsize=16)
def _log_choose(n: int) -> Array:
    x = np.arange(n + 1)
    return np.asarray(gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1))
