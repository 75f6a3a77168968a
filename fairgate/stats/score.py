"""The Miettinen–Nurminen score of a difference of two proportions, and the outcomes it calls at least as extreme.

Source: Miettinen & Nurminen (1985), Statistics in Medicine 4, 213–226; the constrained estimate in the closed form of
Farrington & Manning (1990), Statistics in Medicine 9, 1447–1454.
"""

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


def region(threshold: float, n1: int, n2: int, margin: float) -> Counts:
    """The outcomes whose score is at most ``threshold``, as a staircase.

    :returns: for every x2 in 0 … n2 the largest x1 of the region, −1 where there is none. The score grows in x1, so
        every smaller x1 belongs to the region as well
    """
    limit = threshold + _TIE * max(1.0, abs(threshold)) if np.isfinite(threshold) else threshold
    x2 = np.arange(n2 + 1)
    inside, outside = np.full(n2 + 1, -1), np.full(n2 + 1, n1 + 1)
    while (gap := outside - inside).max() > 1:
        middle = np.where(gap > 1, inside + gap // 2, np.maximum(inside, 0))
        within = score(middle, n1, x2, n2, margin) <= limit
        inside = np.where(within & (gap > 1), middle, inside)
        outside = np.where(~within & (gap > 1), middle, outside)
    return np.maximum.accumulate(inside)
