"""The supremum of a rejection probability over a null hypothesis: bounded from above, never sampled.

An exact unconditional p-value is the largest probability of a region of outcomes over every truth that the null
hypothesis allows. A grid of truths can miss that maximum; here it is bounded twice.

*Along the nuisance parameter* (``supremum``). f(p) is the probability of the region at the truth p of the null's edge.

1. The region grows in one rate and shrinks in the other, so on a cell [a, b] f is at most the probability at the
   cell's worst corner. Cells whose corner is harmless are dropped eight at a time.
2. On what is left f is interpolated. f is a polynomial in p, and on the ellipse of the complex plane with the cell's
   ends as foci, centre c and semi-major axis A it is at most exp(A² I(c) / 2), I being the Fisher information
   of p: |z| ≤ (|z|²/s + s) / 2 for every s > 0, taken at s = the cell's centre for each outcome's probability, makes
   the linear terms cancel. Hence the polynomial through ``NODES`` Chebyshev nodes is within ``_INTERPOLATION`` of f
   everywhere on the cell (Trefethen 2013, *Approximation Theory and Approximation Practice*, theorems 8.1 and 8.2).
3. That polynomial is Σ c_k cos kθ. Between the points of a grid of θ with step s it exceeds the largest grid value by
   at most s²/8 · Σ k² |c_k|: at a maximum the slope is zero, and the nearest grid point is at most s/2 away.

*Along the margin* (``envelope``): the same idea, cell by cell, with a bound that holds for every margin of a cell.
"""

from collections.abc import Callable
from math import exp, inf, pi

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

TOLERANCE = 1e-6
"""A supremum is reported at most this much above the truth."""

NODES = 24
_SPREAD = 2.4
"""A cell's half-width h keeps h² I(c) ≤ _SPREAD²: about five nodes per standard deviation of an estimate."""

_RHO = 4.08
_INTERPOLATION = 4 * exp(_SPREAD**2 * (_RHO + 1 / _RHO) ** 2 / 8) * _RHO ** (1 - NODES) / (_RHO - 1)
"""4 M ρ^(1 − nodes) / (ρ − 1) with M = exp(A² I / 2), A = h (ρ + 1/ρ) / 2: 1e-8."""

_GROUPS = 8
_POINT = 1e-12
"""A null hypothesis narrower than this is one cell: its corner is as near to every point of it as rounding allows."""
_RESOLVED = 3e-8
_COARSE, _FINE = 32, 2048


def _cosines(angles: Array) -> Array:
    """cos(k θ) for every angle (rows) and every k < NODES (columns)."""
    return np.asarray(np.cos(np.outer(angles, np.arange(NODES))))


_NODE_ANGLES = pi * (np.arange(NODES) + 0.5) / NODES
_OFFSETS = -np.cos(_NODE_ANGLES)
"""The nodes of [−1, 1] in ascending order, so that θ runs from the right end to the left."""

_TO_COEFFICIENTS = 2 / NODES * _cosines(pi - _NODE_ANGLES)
_TO_COEFFICIENTS[:, 0] /= 2
_SQUARES = np.arange(NODES, dtype=float) ** 2
_GRIDS = {steps: _cosines(np.linspace(0, pi, steps + 1)).T for steps in (_COARSE, _FINE)}


def supremum(  # noqa: PLR0913 (three of them are options, by name)
    probability: Callable[[Array, Array], Array],
    information: Callable[[Array], Array],
    low: float,
    high: float,
    *,
    best: float = 0.0,
    refuted: float = inf,
    batch: int = 1,
) -> float:
    """The largest probability of a region along the edge of a null hypothesis, or ``best`` if that is larger.

    :param probability: of two ascending arrays a ≤ b: a bound, for each pair, of f on [a, b]; f itself where a = b.
        f must be a polynomial with |f(z)| ≤ (Σ |π_i(z)|)^n over outcome probabilities π_i linear in z, as the
        probability of any set of binomial or multinomial outcomes is. Accurate to 1e-8
    :param information: Fisher information of the nuisance parameter, Σ n (dπ_i/dp)² / π_i, elementwise
    :param low: the smallest value of the nuisance parameter
    :param high: the largest value
    :param best: what is no more than this need not be told apart from it
    :param refuted: return as soon as f is seen above this
    :param batch: cells per call of ``probability``: more where a call's overhead outweighs its work
    :returns: at least the supremum and at most 1e-6 more; with ``refuted`` possibly only some value above that
    """
    if high - low <= _POINT:
        return max(best, float(probability(np.array([low]), np.array([max(low, high)]))[0]))
    edges = _cell_edges(information, low, high)
    pending = [(0, len(edges) - 1)]
    while pending:
        first, last = pending.pop()
        if last - first > max(batch, 1):
            cuts = np.unique(np.linspace(first, last, _GROUPS + 1).astype(int))
            corners = probability(edges[cuts[:-1]], edges[cuts[1:]])
            pending += [(int(cuts[i]), int(cuts[i + 1])) for i in np.argsort(corners) if corners[i] > best]
            continue
        best = max(best, _largest(probability, edges[first : last + 1], best, refuted))
        if best > refuted:
            break
    return best


def _cell_edges(information: Callable[[Array], Array], low: float, high: float) -> Array:
    """Ends of cells narrow enough to interpolate on: even in the angle φ of p = low + (high − low) sin² φ, because the
    information grows like 1/distance towards the ends."""
    count = 2
    while True:
        edges = low + (high - low) * np.sin(np.linspace(0, pi / 2, count + 1)) ** 2
        edges[-1] = high
        half, centre = np.diff(edges) / 2, (edges[1:] + edges[:-1]) / 2
        excess = float(np.max(half * np.sqrt(information(centre)))) / _SPREAD
        if excess <= 1:
            return edges
        count = max(count + 1, int(count * excess * 1.01))


def _largest(probability: Callable[[Array, Array], Array], edges: Array, best: float, refuted: float) -> float:
    """The largest value on some neighbouring cells, exact to the tolerance if it exceeds ``best``."""
    half, centre = np.diff(edges) / 2, (edges[1:] + edges[:-1]) / 2
    points = (centre[:, np.newaxis] + half[:, np.newaxis] * _OFFSETS).ravel()
    values = probability(points, points)
    seen = float(np.max(values))
    if seen > refuted:
        return seen
    coefficients = _product(values.reshape(-1, NODES), _TO_COEFFICIENTS)
    for steps in (_COARSE, _FINE):
        slack = (pi / steps) ** 2 / 8 * (np.abs(coefficients) @ _SQUARES) + _INTERPOLATION
        bounds = np.max(_product(coefficients, _GRIDS[steps]), axis=1) + slack
        open_cells = (bounds > best) & (slack > _RESOLVED)
        if not open_cells.any():
            break
        if steps == _COARSE:
            closed = bounds[~open_cells]
            best = max(best, float(np.max(closed))) if closed.size else best
            coefficients = coefficients[open_cells]
    return max(best, float(np.max(bounds)))


def _product(left: Array, right: Array) -> Array:
    """Matrix product without the linear algebra library, whose threads cost more than these small products."""
    return np.asarray(np.einsum("ij,jk->ik", left, right))


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
