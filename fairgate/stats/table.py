"""Exact p-values of one two-by-two table, at one margin or at all margins from one on."""

from collections.abc import Callable
from functools import lru_cache
from math import inf, sqrt

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.special import bdtr, bdtrc, gammaln, ndtri

from fairgate.stats.score import Array, Counts, at_most, region
from fairgate.stats.supremum import TOLERANCE, envelope, supremum

_BATCH = 50_000
"""Probabilities computed at once: enough to hide the cost of a call, few enough to stay in the cache."""

_LARGE = 4_000
_WITHIN_LARGE = 5e-5
"""From ``_LARGE`` cases on a p-value may be reported this much above the truth; a decision is as sharp as ever."""

_NEGLIGIBLE = 1e-9

_STRIDES = 16
"""Rows looked at within the width of a cell of margins."""


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
        found = envelope(
            self._bound,
            margin,
            last,
            slack=slack,
            narrowest=self._within / 2 * self._deviation,
            refuted=refuted,
            within=self._within,
        )
        return min(1.0, found)

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
        """At least the p-value at every margin in [low, high]: the probability, where the difference is ``low``, of all
        outcomes that are as extreme as the data at some of these margins. See ``supremum`` for the rest."""
        stride = max(1, int((high - low) * self.n2 / _STRIDES))  # next to the width of the cell it is no matter
        stairs = region((self.x1, self.x2), (self.n1, self.n2), low, high, stride)
        return _worst(stairs, self.n1, low, best, refuted)

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


def largest_region(n1: int, n2: int, margin: float, alpha: float) -> Counts:
    """The rejection region of the test at this very margin, as the staircase of ``score.region``.

    :returns: all outcomes whose score is at most the largest value at which the worst probability is within alpha
    """
    low, high = -sqrt((n1 + n2) * (n1 + n2 + 1.0)), 0.0
    stairs = np.full(n2 + 1, -1)
    while high - low > 1e-9:
        middle = (low + high) / 2
        tried = at_most(middle, n1, n2, margin)
        if _worst(tried, n1, margin, alpha, alpha) <= alpha:
            low, stairs = middle, tried
        else:
            high = middle
    return stairs


def _worst(stairs: Counts, n1: int, margin: float, best: float, refuted: float) -> float:
    """The largest probability of a region where p1 − p2 = margin; see ``supremum``."""
    n2 = len(stairs) - 1
    return supremum(
        _probability(stairs, n1, n2, margin),
        n1 + n2,
        max(0.0, -margin),
        min(1.0, 1 - margin),
        best=best,
        refuted=refuted,
        batch=batch(n1, n2),
    )


def _probability(stairs: Counts, n1: int, n2: int, margin: float) -> Callable[[Array, Array], Array]:
    """P(x1 ≤ stairs[x2]) at p1 = a + margin, p2 = b: falling in p1, growing in p2, hence a bound on [a, b]."""

    def probability(low: Array, high: Array) -> Array:
        return below_stairs(stairs, n1, np.clip(low + margin, 0, 1), n2, np.clip(high, 0, 1))

    return probability


def below_stairs(stairs: Counts, n1: int, p1: Array, n2: int, p2: Array) -> Array:
    """P(x1 ≤ stairs[x2]) of two independent binomial counts, at every pair of rates; what is left out of it counts.

    :param stairs: one limit for every x2 in 0 … n2, from −1 to n1
    :returns: never below the truth but for rounding, and at most 1e-8 above
    """
    first, mass1, left1 = _pmf(n1, p1)
    second, mass2, left2 = _pmf(n2, p2)
    width = mass1.shape[1] + 1
    cumulated = np.zeros((len(p1), width))
    np.cumsum(mass1, axis=1, out=cumulated[:, 1:])
    steps = np.clip(sliding_window_view(stairs, mass2.shape[1])[second] - (first - 1)[:, np.newaxis], 0, width - 1)
    steps += width * np.arange(len(p1))[:, np.newaxis]
    return np.asarray(np.einsum("ij,ij->i", mass2, cumulated.ravel()[steps]) + left1 + left2)


def batch(n1: int, n2: int) -> int:
    """How many pairs of rates to give ``below_stairs`` at once."""
    return max(4, int(_BATCH / (min(n1 + 1, 6 * sqrt(n1) + 24) + min(n2 + 1, 6 * sqrt(n2) + 24))))


def _pmf(n: int, p: Array) -> tuple[Counts, Array, Array]:
    """Binomial probabilities (one row per p) of a window of counts, the windows' first counts, the mass outside."""
    deviation = np.sqrt(n * p * (1 - p))
    first = np.maximum(0, (n * p - 6 * deviation).astype(np.int64) - 12)
    length = int(np.max(np.minimum(n, (n * p + 6 * deviation).astype(np.int64) + 12) - first)) + 1
    first = np.minimum(first, n + 1 - length)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_q = np.log1p(-p)
        logit = np.log(p) - log_q
        logs = sliding_window_view(_log_choose(n), length)[first]
        logs += np.multiply.outer(logit, np.arange(length))
        logs += (n * log_q + first * logit)[:, np.newaxis]
        mass = np.exp(logs, out=logs)
    for edge, count in ((0.0, 0), (1.0, n)):
        if (at := p == edge).any():
            mass[at] = first[at, np.newaxis] + np.arange(length) == count
    return first, mass, np.maximum(0.0, 1 - mass.sum(axis=1))


@lru_cache(maxsize=16)
def _log_choose(n: int) -> Array:
    x = np.arange(n + 1)
    return np.asarray(gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1))
