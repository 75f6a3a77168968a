"""The Miettinen–Nurminen score of a difference of two proportions, and the outcomes it calls at least as extreme.

Source: Miettinen & Nurminen (1985), Statistics in Medicine 4, 213–226; the constrained estimate in the closed form of
Farrington & Manning (1990), Statistics in Medicine 9, 1447–1454.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

_TIE = 1e-8
"""Scores closer than this, relative to their size, count as equal: rounding must not take an outcome out of a region."""


def score(x1: Counts, n1: int, x2: Counts, n2: int, margin: float) -> Array:
    """(x1/n1 − x2/n2 − margin) over its standard error at the likeliest truth with that difference.

    :param x1: events in the first sample, elementwise with ``x2``
    :param n1: its cases, > 0
    :param x2: events in the second sample
    :param n2: its cases, > 0
    :param margin: in [−1, 1]
    :returns: the scores, decreasing in the margin; 0 where difference and standard error both vanish, ±inf where only
        the standard error does. The factor √((N − 1)/N) of the published statistic changes no order and is included
    """
    rate1, rate2 = x1 / n1, x2 / n2
    p1 = _constrained(rate1, rate2, n2 / n1, margin)
    p2 = np.clip(p1 - margin, 0, 1)
    variance = (p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2) * ((n1 + n2) / max(n1 + n2 - 1, 1))
    distance = rate1 - rate2 - margin
    with np.errstate(divide="ignore", invalid="ignore"):
        result = distance / np.sqrt(variance)
    degenerate = variance <= 1e-300
    if degenerate.any():
        result = np.where(degenerate, np.where(np.abs(distance) < 1e-12, 0.0, np.copysign(np.inf, distance)), result)
    return np.asarray(result, dtype=float)


def _constrained(rate1: Array, rate2: Array, ratio: float, margin: float) -> Array:
    """The likeliest p1 under p1 − p2 = margin: the middle root of a cubic, by its cosine form."""
    a = 1 + ratio
    b = -(a + rate1 + ratio * rate2 + margin * (ratio + 2))
    c = margin**2 + margin * (2 * rate1 + a) + rate1 + ratio * rate2
    d = -rate1 * margin * (1 + margin)
    shift = b / (3 * a)
    v = shift**3 - b * c / (6 * a**2) + d / (2 * a)
    u = np.copysign(np.sqrt(np.maximum(shift**2 - c / (3 * a), 0)), v)
    with np.errstate(divide="ignore", invalid="ignore"):
        cosine = np.where(u == 0, 1.0, v / u**3)
    angle = (np.pi + np.arccos(np.clip(cosine, -1, 1))) / 3
    return np.clip(2 * u * np.cos(angle) - shift, max(0.0, margin), min(1.0, 1 + margin))


def region(x1: int, n1: int, x2: int, n2: int, low: float, high: float) -> Counts:
    """The outcomes that are at least as extreme as the observed one at some margin in [low, high], as a staircase.

    Exact where low = high; otherwise possibly a little larger, never smaller. Two things are true of every outcome as
    extreme as the data at some margin between. A score falls as the margin grows, so its score at ``high`` is at most that
    of the data at ``low``. And where the observed score is negative, "at most the observed score" reads
    (margin − d) / (margin − d_observed) ≥ √(V / V_observed): the left side is monotone in the margin, and the
    constrained p1 grows and p2 falls with it (the likelihoods are concave), which bounds the right side by the ends.

    :returns: for every x2 in 0 … n2 the largest x1 of the region, −1 where there is none. Fewer events in the first
        sample or more in the second are never less extreme, so that every smaller x1 and every later row include it
    """
    difference = x1 / n1 - x2 / n2
    observed = np.array([x1]), n1, np.array([x2]), n2
    threshold = float(score(*observed, low)[0])
    limit = threshold + _TIE * max(1.0, abs(threshold)) if np.isfinite(threshold) else threshold
    most = float(_variances(*observed, low, high)[1][0])

    def within(row1: Counts, row2: Counts) -> npt.NDArray[np.bool_]:
        inner = score(row1, n1, row2, n2, high) <= limit
        if low == high or difference >= low:
            return np.asarray(inner)
        own = row1 / n1 - row2 / n2
        ratio = np.maximum((low - own) / (low - difference), (high - own) / (high - difference))
        least = _variances(row1, n1, row2, n2, low, high)[0]
        return np.asarray(inner & (ratio >= np.sqrt(least / most) * (1 - _TIE)))

    return _staircase(within, n1, n2)


def _variances(x1: Counts, n1: int, x2: Counts, n2: int, low: float, high: float) -> tuple[Array, Array]:
    """The least and the largest p1 q1 / n1 + p2 q2 / n2 that the constrained estimates can have at margins in [low, high]."""
    rate1, rate2 = x1 / n1, x2 / n2
    start = _constrained(rate1, rate2, n2 / n1, low)
    end = start if low == high else _constrained(rate1, rate2, n2 / n1, high)
    least, most = np.zeros_like(start), np.zeros_like(start)
    for a, b, n in ((start, end, n1), (np.clip(start - low, 0, 1), np.clip(end - high, 0, 1), n2)):
        at_a, at_b = a * (1 - a), b * (1 - b)
        least += np.minimum(at_a, at_b) / n
        most += np.where((a - 0.5) * (b - 0.5) < 0, 0.25, np.maximum(at_a, at_b)) / n
    return least, most


def _staircase(within: Callable[[Counts, Counts], npt.NDArray[np.bool_]], n1: int, n2: int) -> Counts:
    """The last x1 within, row by row: every eighth of the rows first, whose steps then bracket those between them."""
    inside, outside = np.full(n2 + 1, -1), np.full(n2 + 1, n1 + 1)
    stride = 8 ** max(0, int(np.log(n2 + 1) / np.log(8)))
    while stride:
        rows = np.unique(np.append(np.arange(0, n2 + 1, stride), n2))
        lower, upper = inside[rows], outside[rows]
        while (open_rows := upper - lower > 1).any():
            at = rows[open_rows]
            middle = (lower[open_rows] + upper[open_rows]) // 2
            inner = within(middle, at)
            lower[open_rows] = np.where(inner, middle, lower[open_rows])
            upper[open_rows] = np.where(inner, upper[open_rows], middle)
        lower = np.maximum.accumulate(lower)
        before = np.searchsorted(rows, np.arange(n2 + 1), side="right") - 1
        inside = lower[before]
        outside = lower[np.searchsorted(rows, np.arange(n2 + 1))] + 1
        stride //= 8
    return inside
