"""Exact p-values of one two-by-two table, at one margin or at all margins from one on."""

from collections.abc import Callable
from functools import lru_cache
from math import inf, sqrt

import numpy as np
from scipy.special import bdtr, bdtrc, gammaln, ndtri

from fairgate.stats.score import Array, Counts, region
from fairgate.stats.supremum import NODES, TOLERANCE, envelope, supremum

_BATCH = 200_000
"""Probabilities computed at once: enough to hide the cost of a call, few enough to stay in the cache."""

_LARGE = 4_000
_WITHIN_LARGE = 5e-5
"""From ``_LARGE`` cases on a p-value may be reported this much above the truth; a decision is as sharp as ever."""

_NEGLIGIBLE = 1e-9


class Table:
    """``x1`` events of ``n1`` cases against ``x2`` of ``n2``: H0: p1 − p2 ≥ margin, small scores being extreme.

    It takes least when the second sample is the smaller one: the staircase has a row for each of its cases.
    """

    def __init__(self, x1: int, n1: int, x2: int, n2: int) -> None:
        self.x1, self.n1, self.x2, self.n2 = x1, n1, x2, n2
        self.difference = x1 / n1 - x2 / n2
        p1, p2 = (x1 + 1) / (n1 + 2), (x2 + 1) / (n2 + 2)
        self._deviation = sqrt(p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2)
        self._within = TOLERANCE / 2 if n1 + n2 <= _LARGE else _WITHIN_LARGE

    def p_at(self, margin: float) -> float:
        """The p-value at this very margin."""
        return min(1.0, self._bound(margin, margin, 0.0, inf))

    def p_from(self, margin: float, refuted: float = inf, end: float = 1.0) -> float:
        """The largest p-value at any margin in [margin, end].

        :param refuted: only tell whether it is above this: a larger value returned means that it is, or may be
        """
        slack = 3 * self._within * self._deviation
        if refuted < inf:
            slack = max(slack, margin - self.difference + float(ndtri(refuted)) * self._deviation)
        last = min(end, self._furthest(margin))
        return min(1.0, envelope(self._bound, margin, last, slack=slack, refuted=refuted, within=self._within))

    def upper_bound(self, alpha: float) -> float:
        """The smallest margin from which on every p-value is at most alpha, rounded up by less than 1e-6."""
        low, high, step = -1.0, 1.0, self._deviation
        while high == 1.0 and (margin := self.difference + step) < 1:
            if self.p_from(margin, alpha) <= alpha:
                high = margin
            else:
                low, step = margin, 1.5 * step
        while high - low > TOLERANCE:
            middle = (low + high) / 2
            low, high = (low, middle) if self.p_from(middle, alpha, high) <= alpha else (middle, high)
        return high

    def _bound(self, low: float, high: float, best: float, refuted: float) -> float:
        """At least the p-value at every margin in [low, high]: the probability, where the truth's difference is ``low``,
        of all outcomes that are as extreme as the data at some of these margins. See ``supremum`` for the rest."""
        n1, n2 = self.n1, self.n2
        return supremum(
            _probability(region(self.x1, n1, self.x2, n2, low, high), n1, n2, low),
            lambda p: n1 / ((p + low) * (1 - p - low)) + n2 / (p * (1 - p)),
            max(0.0, -low),
            min(1.0, 1 - low),
            best=best,
            refuted=refuted,
            batch=_BATCH // (NODES * (n1 + n2)),
        )

    def _furthest(self, margin: float) -> float:
        """A margin from which on no p-value exceeds ``_NEGLIGIBLE``.

        What has more events in the first sample and no more in the second, or as many and fewer, is less extreme than
        the data at any margin. The truth has p1 ≥ margin and p2 ≤ 1 − margin.
        """
        if (self.x1, self.x2) == (self.n1, 0):
            return 1.0
        x1, x2 = (self.x1, self.x2) if self.x1 < self.n1 else (self.x1 - 1, self.x2 - 1)
        low, high = max(margin, 0.0), 1.0
        while high - low > 1e-3 * (1 - low) and high - low > 1e-12:
            middle = (low + high) / 2
            small = bdtr(x1, self.n1, middle) + bdtrc(x2, self.n2, 1 - middle) <= _NEGLIGIBLE
            low, high = (low, middle) if small else (middle, high)
        return high


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
