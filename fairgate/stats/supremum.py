"""The supremum of a rejection probability over a null hypothesis: bounded from above, never sampled.

An exact unconditional p-value is the largest probability of a region of outcomes over every truth that the null
hypothesis allows. A grid of truths can miss that maximum; here it is bounded twice.

*Along the nuisance parameter* (``supremum``). f(p) is the probability of the region at the truth p of the null's edge.

1. The region grows in one rate and shrinks in the other, so on a cell [a, b] f is at most the probability at the
   cell's worst corner. Cells whose corner is harmless are dropped, the others split in eight, as long as that is
   cheaper than step 2.
2. What is left is interpolated in Chebyshev nodes. f is a polynomial in p: the probability of a set of outcomes of
   independent trials, each of whose outcome probabilities is linear in p. On the ellipse of the complex plane with foci
   a and b whose semi-axes add up to ρ (b − a) / 2 and for a trial whose distributions at a and b differ by t in total
   variation, Σ |π_i(z)| ≤ 1 − t + t (|z − a| + |z − b|) / (b − a) = 1 + t (cosh ln ρ − 1): of every outcome the
   smaller of its two probabilities stays, the rest grows linearly from one end. With V = Σ t over all trials, |f| is at
   most exp(V (cosh ln ρ − 1)) there, which tells how many nodes bring the interpolant within ``_INTERPOLATION`` of f
   everywhere (Trefethen 2013, *Approximation Theory and Approximation Practice*, theorem 8.2): about √(50 V).
3. That polynomial is Σ c_k cos kθ. Between the points of a grid of θ with step s it exceeds the largest grid value by
   at most s²/8 · Σ k² |c_k|: at a maximum the slope is zero, and the nearest grid point is at most s/2 away.

*Along the margin* (``envelope``): the same idea, cell by cell, with a bound that holds for every margin of a cell.
"""

from collections.abc import Callable
from functools import lru_cache
from math import asinh, cosh, exp, expm1, inf, pi, sqrt

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

TOLERANCE = 1e-6
"""A supremum is reported at most this much above the truth."""

_INTERPOLATION = 1e-8
_SPLIT = 8
_COARSE = 16
_POINT = 1e-12
"""A null hypothesis narrower than this is one cell: its corner is as near to every point of it as rounding allows."""
_RESOLVED = 3e-8
_FINEST = 2**21
"""No grid has more points than this; what it leaves open is added to the bound."""


def supremum(  # noqa: PLR0913 (three of them are options, by name)
    probability: Callable[[Array, Array], Array],
    variation: float,
    low: float,
    high: float,
    *,
    best: float = 0.0,
    refuted: float = inf,
    batch: int = 64,
) -> float:
    """The largest probability of a region along the edge of a null hypothesis, or ``best`` if that is larger.

    :param probability: of two arrays a ≤ b: a bound, for each pair, of f on [a, b]; f itself where a = b. f must be the
        probability of a set of outcomes of independent trials with probabilities linear in the nuisance parameter,
        accurate to 1e-8
    :param variation: by how much, in total variation and over all trials together, the distributions of single trials
        change per unit of the nuisance parameter: n for a binomial of n trials with that probability
    :param low: the smallest value of the nuisance parameter
    :param high: the largest value
    :param best: what is no more than this need not be told apart from it
    :param refuted: return as soon as f is seen above this
    :param batch: truths per call of ``probability``
    :returns: at least the supremum and at most 1e-6 more; with ``refuted`` possibly only some value above that
    """
    if high - low <= _POINT:
        return max(best, float(probability(np.array([low]), np.array([max(low, high)]))[0]))
    most = nodes(variation * (high - low)) / 4
    cells, width = np.array([0.0]), pi
    while best > 0 and _SPLIT * len(cells) <= most:
        cells = np.add.outer(_SPLIT * cells, np.arange(float(_SPLIT))).ravel()
        width /= _SPLIT
        ends = _places(low, high, width * cells), _places(low, high, width * (cells + 1))
        parts = range(0, len(cells), batch)
        corners = np.concatenate([probability(*(end[i : i + batch] for end in ends)) for i in parts])
        cells = cells[corners > best]
        if not len(cells):
            return best
    low, high = _places(low, high, width * np.array([cells[0], cells[-1] + 1])).tolist()
    return _largest(probability, low, high, nodes(variation * (high - low)), best, refuted, batch)


def _places(low: float, high: float, angles: Array) -> Array:
    """The points of [low, high] at angles from 0, the low end, to π: as dense towards the ends as the nodes are."""
    return np.asarray(np.clip(low + (high - low) * np.sin(angles / 2) ** 2, low, high))


@lru_cache(maxsize=256)
def nodes(variation: float) -> int:
    """How many Chebyshev nodes bring the interpolant within ``_INTERPOLATION``, for a whole interval's variation."""

    def error(count: int) -> float:
        eta = asinh(count / variation)
        return 4 * exp(variation * (cosh(eta) - 1) - (count - 1) * eta) / expm1(eta)

    count = max(8, int(sqrt(36 * variation)))
    while error(count) > _INTERPOLATION:
        count += max(1, count // 50)
    return count


def _largest(  # noqa: PLR0913, PLR0917 - as ``supremum`` has them
    probability: Callable[[Array, Array], Array],
    low: float,
    high: float,
    count: int,
    best: float,
    refuted: float,
    batch: int,
) -> float:
    """The largest value on [low, high], exact to the tolerance if it exceeds ``best``."""
    points = _places(low, high, pi * (np.arange(count) + 0.5) / count)
    values = np.empty(count)
    order = np.argsort(np.arange(count) % _COARSE > 0, kind="stable")  # what is refuted often shows at a coarse look
    for i in range(0, count, batch):
        part = order[i : i + batch]
        values[part] = probability(points[part], points[part])
        if (seen := float(np.max(values[part]))) > refuted:
            return seen
    coefficients = _cosine_coefficients(values)
    curvature = float(np.abs(coefficients) @ np.arange(count) ** 2.0)
    steps = 1 << (8 * count).bit_length()
    finest = min(_FINEST, max(steps, int(pi * sqrt(curvature / (8 * _RESOLVED)))))
    while True:
        slack = (pi / steps) ** 2 / 8 * curvature + _INTERPOLATION
        bound = float(np.max(_on_grid(coefficients, steps))) + slack
        if bound <= best or steps >= finest:
            return max(best, bound)
        steps = finest


def _cosine_coefficients(values: Array) -> Array:
    """The c_k of Σ c_k cos kθ through these values at θ = π (j + ½) / count, j = 0, 1, …"""
    count = len(values)
    spectrum = np.fft.rfft(np.concatenate([values, values[::-1]]))[:count]
    coefficients = np.real(spectrum * np.exp(-0.5j * pi * np.arange(count) / count)) / count
    coefficients[0] /= 2
    return np.asarray(coefficients)


def _on_grid(coefficients: Array, steps: int) -> Array:
    """Σ c_k cos kθ at θ = π m / steps, m = 0 … steps."""
    spectrum = coefficients * steps
    spectrum[0] *= 2
    return np.asarray(np.fft.irfft(spectrum, 2 * steps)[: steps + 1])


def envelope(  # noqa: PLR0913 (all but three are by name)
    bound: Callable[[float, float, float, float], float],
    low: float,
    high: float,
    *,
    slack: float,
    narrowest: float,
    refuted: float = inf,
    within: float = TOLERANCE / 2,
) -> float:
    """The supremum over margins of p-values, so that a looser margin never has the larger one.

    From ``low`` on, cell by cell: a cell may be about as wide as the p-value has already fallen.

    :param bound: of a, b, best and refuted, both as ``supremum`` takes them: at least the p-value at every margin in
        [a, b]; the p-value itself where a = b. It must tighten as b − a shrinks
    :param low: the margin asked about
    :param high: the loosest margin that matters, ≤ 1; no cell but a last tiny one ends at 1, where bounds are of no use
    :param slack: about how far the margin may move before the p-value reaches ``refuted``, or changes by ``within``
    :param narrowest: the width of a cell that is not split further: its bound is taken for its p-value
    :param refuted: stop as soon as a p-value above this is found, or cannot be told from one
    :param within: how much more than the supremum may be reported
    :returns: the supremum, never less; with ``refuted`` this very value means "not above", a larger one "above"
    """
    floor = refuted if refuted < inf else 0.0
    best = reported = bound(low, low, floor, refuted)
    start, anchor, share = low, low, 0.5
    while start < high and best <= min(refuted, 1 - within):
        enough = refuted if refuted < inf else best + within
        width = max(share * (slack + start - anchor), narrowest)
        end = min(start + width, high, (start + 1) / 2) if high - start > narrowest else high
        narrow = end - start <= 1.01 * narrowest
        found = bound(start, end, best, inf if narrow else enough)
        if found <= enough:
            start, share, reported = end, min(1.0, 1.5 * share), max(reported, found)
        elif narrow:  # the p-value jumps up here
            start, anchor, share, best = end, end, 0.5, found
        else:
            share /= 3
    return max(reported, best) if best <= 1 - within else 1.0
