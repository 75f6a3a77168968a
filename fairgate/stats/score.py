"""The Miettinen–Nurminen score of a difference of two proportions, and the outcomes it calls at least as extreme.

Source: Miettinen & Nurminen (1985), Statistics in Medicine 4, 213–226; the constrained estimate in the closed form of
Farrington & Manning (1990), Statistics in Medicine 9, 1447–1454.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Within = Callable[[Array, Counts], npt.NDArray[np.bool_]]
"""Which of some (x1, x2) are in a region; the x1 may be fractions."""

_TIE = 1e-8
"""Scores closer than this, relative to their size, count as equal: rounding takes no outcome out of a region."""


def score(x1: Array | Counts, n1: int, x2: Counts, n2: int, margin: float) -> Array:
    """(x1/n1 − x2/n2 − margin) over its standard error at the likeliest truth with that difference.

    :param x1: events in the first sample, elementwise with ``x2``
    :param n1: its cases, > 0
    :param x2: events in the second sample
    :param n2: its cases, > 0
    :param margin: in [−1, 1]
    :returns: the scores, decreasing in the margin; 0 where difference and standard error both vanish, ±inf where only
        the standard error does. The factor √((N − 1)/N) of the published statistic changes no order and is included
    """
    rates = x1 / n1, x2 / n2
    return _score(rates, (n1, n2), margin, _constrained(*rates, n2 / n1, margin))


def _score(rates: tuple[Array, Array], cases: tuple[int, int], margin: float, p1: Array) -> Array:
    """The score, given the constrained estimate of the first rate."""
    (rate1, rate2), (n1, n2) = rates, cases
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
    return np.asarray(np.clip(2 * u * np.cos(angle) - shift, max(0.0, margin), min(1.0, 1 + margin)))


def region(events: tuple[int, int], cases: tuple[int, int], low: float, high: float, stride: int = 1) -> Counts:
    """The outcomes that are at least as extreme as the observed one at some margin in [low, high], as a staircase.

    Exact where low = high; otherwise possibly a little larger, never smaller. Two things are true of every outcome as
    extreme as the data at some margin between. A score falls as the margin grows, so its score at ``high`` is at most
    that of the data at ``low``. And where the observed score is negative, "at most the observed score" reads
    (margin − d) / (margin − d_observed) ≥ √(V / V_observed): the left side is monotone in the margin, and the
    constrained p1 grows and p2 falls with it (the likelihoods are concave), which bounds the right side by the ends.

    :param events: observed in the first and in the second sample
    :param cases: of the first and of the second sample
    :param stride: look only at so many rows; those between get the limit of the next one looked at, which is no smaller
    :returns: for every x2 in 0 … n2 the largest x1 of the region, −1 where there is none. Fewer events in the first
        sample or more in the second are never less extreme, so that every smaller x1 and every later row include it
    """
    n1, n2 = cases
    difference = events[0] / n1 - events[1] / n2
    x1, x2 = (np.array([count]) for count in events)
    threshold = float(score(x1, n1, x2, n2, low)[0])
    limit = threshold + _TIE * max(1.0, abs(threshold)) if np.isfinite(threshold) else threshold
    observed = [_constrained(x1 / n1, x2 / n2, n2 / n1, margin) for margin in (low, high)]
    most = float(_variances(observed[0], observed[1], cases, low, high)[1][0])

    def within(row1: Array, row2: Counts) -> npt.NDArray[np.bool_]:
        rates = row1 / n1, row2 / n2
        end = _constrained(*rates, n2 / n1, high)
        inner = _score(rates, cases, high, end) <= limit
        if low == high or difference >= low:
            return np.asarray(inner)
        own = rates[0] - rates[1]
        ratio = np.maximum((low - own) / (low - difference), (high - own) / (high - difference))
        least = _variances(_constrained(*rates, n2 / n1, low), end, cases, low, high)[0]
        return np.asarray(inner & (ratio >= np.sqrt(least / most) * (1 - _TIE)))

    return staircase(within, n1, n2, stride)


def at_most(threshold: float, n1: int, n2: int, margin: float) -> Counts:
    """The outcomes with a score of at most ``threshold``, as the staircase that ``region`` returns."""
    return staircase(lambda row1, row2: np.asarray(score(row1, n1, row2, n2, margin) <= threshold), n1, n2)


def _variances(start: Array, end: Array, cases: tuple[int, int], low: float, high: float) -> tuple[Array, Array]:
    """The least and the largest p1 q1 / n1 + p2 q2 / n2 of the constrained estimates at margins in [low, high], given
    p1 at either end."""
    n1, n2 = cases
    least, most = np.zeros_like(start), np.zeros_like(start)
    for a, b, n in ((start, end, n1), (np.clip(start - low, 0, 1), np.clip(end - high, 0, 1), n2)):
        at_a, at_b = a * (1 - a), b * (1 - b)
        least += np.minimum(at_a, at_b) / n
        most += np.where((a - 0.5) * (b - 0.5) < 0, 0.25, np.maximum(at_a, at_b)) / n
    return least, most


def staircase(within: Within, n1: int, n2: int, stride: int = 1) -> Counts:
    """For every row x2 in 0 … n2 the largest x1 in 0 … n1 within, −1 where there is none.

    Some rows are searched by halving, to a fraction of a step. The limit runs almost straight between them, so that
    two looks at each other row usually find its step: one inside and one outside.

    :param within: elementwise; whoever is within stays so with a smaller x1 and with a larger x2. Fractions of x1 too
    :param stride: search only so many rows; those between get the limit of the next one, which is no smaller
    """
    knots = np.unique((n2 * np.sin(np.linspace(0, np.pi / 2, int(3 * np.sqrt(n2)) + 2)) ** 2).round()).astype(np.int64)
    knots[-1] = n2
    lower, upper = _halved(within, knots, np.full(len(knots), -1), np.full(len(knots), n1 + 1))
    rows = np.arange(n2 % stride, n2 + 1, stride)
    guess = np.floor(np.interp(rows, knots, _fraction(within, knots, lower, n1))).astype(np.int64)
    after = np.searchsorted(knots, rows)
    before = np.where(knots[after] == rows, after, after - 1)
    inside, outside = lower[before], upper[after]
    for _ in range(2):
        _look(within, rows, np.clip(guess, inside + 1, outside - 1), inside, outside)
        guess = np.where(inside == guess, guess + 1, guess - 1)
    inside, outside = _halved(within, rows, inside, outside)
    return np.repeat(np.maximum.accumulate(inside), np.diff(rows, prepend=-1))


def _halved(within: Within, rows: Counts, inside: Counts, outside: Counts) -> tuple[Counts, Counts]:
    """The last step inside and the first outside, row by row; both arrays are written to."""
    while (outside - inside > 1).any():
        _look(within, rows, (inside + outside) // 2, inside, outside)
    return inside, outside


def _look(within: Within, rows: Counts, x1: Counts, inside: Counts, outside: Counts) -> None:
    """Look at one x1 in each row that is still open."""
    at = np.flatnonzero(outside - inside > 1)
    found = within(x1[at].astype(float), rows[at])
    inside[at], outside[at] = np.where(found, x1[at], inside[at]), np.where(found, outside[at], x1[at])


def _fraction(within: Within, rows: Counts, inside: Counts, n1: int) -> Array:
    """Where between the last step inside and the next one the limit lies, to a sixteenth."""
    limit = inside.astype(float)
    at = np.flatnonzero((inside >= 0) & (inside < n1))
    for part in (1 / 2, 1 / 4, 1 / 8, 1 / 16):
        limit[at] += np.where(within(limit[at] + part, rows[at]), part, 0.0)
    return limit
