"""The exact test of a difference of paired proportions against a margin.

Of n pairs, b are discordant one way and c the other way: bases in which level A got the positive outcome and level B
did not, cases that are newly bad and newly good. (b, c) is trinomial with probabilities p_b and p_c. The test of

    H0: p_b − p_c ≥ margin

orders the tables by Tango's score and takes the largest probability, anywhere in H0, of a table at least as far on the
near side as the one observed. That largest probability is bounded, never sampled:

- Moving a pair from b to the ties, or from the ties to c, keeps a table within the region of rejection. So its
  probability falls in p_b and grows in p_c, the supremum over H0 lies on p_b = p_c + margin, and on a piece of that
  line with p_c in [low, high] it is at most the probability at p_b = low + margin, p_c = high. Pieces are split until
  the bound is near enough.
- A looser margin must not hurt, and the order depends on the margin. The p-value is therefore the supremum over all
  margins from the asked one upwards. For margins in [d, e] the region lies within {tables whose score at e is at most
  the observed score at d}, because a score falls as the margin grows; this encloses a whole interval of margins.

Sources: Tango (1998), Statistics in Medicine 17, 891–908, for the score; Hsueh, Liu & Chen (2001), Biometrics 57,
478–483, for the unconditional test built on it.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, gammaln, xlog1py, xlogy

_Array = npt.NDArray[np.float64]
_Counts = npt.NDArray[np.int64]

TOLERANCE = 1e-7
"""How far a p-value of up to 200 pairs may stand above the true supremum, more pairs in proportion; never below."""

LOOSELY = 1e-3
"""The same for the part of a p-value that comes from looser margins, and for the bounds."""

_TIE = 1e-9
"""Scores this near to each other are the same: the last bits of a floating-point number decide nothing."""
_NARROWEST = 1e-9
"""Margins and pieces of the line narrower than this are not split any further: their bound is taken as it is."""
_PIECES = 16
_FAR = 10.0
"""Rows further than so many standard deviations, and so many rows, from their mean weigh less than 1e-20."""


@dataclass(frozen=True)
class Pairs:
    """n pairs, of which b are discordant one way and c the other way; the rest are ties."""

    b: int
    c: int
    n: int

    def __post_init__(self) -> None:
        if min(self.b, self.c) < 0 or self.b + self.c > self.n:
            raise ValueError(f"found b = {self.b}, c = {self.c} of n = {self.n} pairs, expected b + c at most n")

    @property
    def swapped(self) -> "Pairs":
        """The same pairs, seen from the other side."""
        return Pairs(self.c, self.b, self.n)


def p_below(pairs: Pairs, margin: float) -> float:
    """The p-value of H0: p_b − p_c ≥ margin; a small one shows that the difference is below the margin.

    :param pairs: missing pairs are counted in by the caller, at their worst
    :param margin: in [−1, 1]
    :returns: the supremum over H0, at most ``TOLERANCE`` above it; where a looser margin has a larger one by more than
        ``LOOSELY``, that, at most ``LOOSELY`` above it; 1 without pairs
    """
    plain = _plain(pairs, margin)
    looser = _over_looser_margins(pairs, margin, plain, 1.0, LOOSELY)
    return min(1.0, plain if looser <= plain else looser + LOOSELY)


def is_below(pairs: Pairs, margin: float, alpha: float) -> bool:
    """Whether H0: p_b − p_c ≥ margin, and that of every looser margin, is rejected at ``alpha``.

    What cannot be settled within ``TOLERANCE`` of alpha is not rejected.
    """
    return _is_below(pairs, margin, alpha, _tolerance(pairs))


def p_above(pairs: Pairs, margin: float) -> float:
    """The p-value of H0: p_b − p_c ≤ margin; a small one shows that the difference is above the margin.

    At this one margin: a failure is claimed of the limit that was written, and of no other.
    """
    return min(1.0, _plain(pairs.swapped, -margin))


def is_above(pairs: Pairs, margin: float, alpha: float) -> bool:
    """Whether H0: p_b − p_c ≤ margin is rejected at ``alpha``."""
    settled = alpha - _tolerance(pairs)
    return _at_one_margin(pairs.swapped, -margin, settled, settled) <= settled


def upper_bound(pairs: Pairs, alpha: float) -> float:
    """The one-sided upper confidence bound of p_b − p_c: the smallest margin that the difference is below.

    :returns: in [−1, 1]; for display: up to 1e-4 and what ``alpha − LOOSELY / 10`` makes of it above the exact end; 1
        when no margin is
    """
    low, high = (pairs.b - pairs.c) / max(pairs.n, 1), 1.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        if _is_below(pairs, middle, alpha, LOOSELY / 10):
            high = middle
        else:
            low = middle
    return high


def lower_bound(pairs: Pairs, alpha: float) -> float:
    """The one-sided lower confidence bound of p_b − p_c."""
    return -upper_bound(pairs.swapped, alpha)


def score(b: _Array, c: _Array, n: int, margin: float) -> _Array:
    """Tango's score of p_b − p_c = margin: below 0 where the observed difference is smaller than the margin.

    (b − c − n·margin) / √(n (2 q + margin (1 − margin))), q the maximum likelihood estimate of p_c under the null.
    Infinite where the null leaves no room for what was observed.
    """
    linear = (2 * n - b + c) * margin - b - c
    root = np.sqrt(np.maximum(linear**2 + 8 * n * c * margin * (1 - margin), 0))
    q = np.clip((root - linear) / (4 * n), max(0.0, -margin), (1 - margin) / 2)
    distance = b - c - n * margin
    spread = np.sqrt(np.maximum(n * (2 * q + margin * (1 - margin)), 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.abs(distance) < _TIE, 0.0, distance / spread)


# --- the supremum ----------------------------------------------------------------------------------------------------


def _tolerance(pairs: Pairs) -> float:
    return TOLERANCE * max(1.0, pairs.n / 200)


def _is_below(pairs: Pairs, margin: float, alpha: float, tolerance: float) -> bool:
    settled = alpha - tolerance
    if _at_one_margin(pairs, margin, settled, settled) > settled:
        return False
    return _over_looser_margins(pairs, margin, settled, settled, tolerance) <= settled


def _plain(pairs: Pairs, margin: float) -> float:
    return _at_one_margin(pairs, margin, 0.0, 1.0) + _tolerance(pairs)


def _at_one_margin(pairs: Pairs, margin: float, least: float, enough: float) -> float:
    """The supremum over H0, or ``least`` where that is larger; any value above ``enough`` may stand for it."""
    if pairs.n == 0 or margin <= -1:
        return 1.0
    return _raised(_Line(pairs, margin, margin), least, enough, _tolerance(pairs))


def _over_looser_margins(pairs: Pairs, margin: float, least: float, enough: float, tolerance: float) -> float:
    """The same over every margin above this one; values up to ``least + tolerance`` are not told apart from it.

    Goes through the margins in steps as wide as the bound over a step allows.
    """
    found, low, width = least, margin, TOLERANCE
    while low < 1 and found <= enough:
        high = min(1.0, low + width)
        line = _Line(pairs, low, high)
        if width < _NARROWEST:
            found = _raised(line, found, enough, tolerance)
        elif not _stays_within(line, found + tolerance):
            width /= 2
            continue
        low, width = high, 2 * width
    return found


def _stays_within(line: "_Line", limit: float) -> bool:
    """Whether no probability on the line exceeds ``limit``."""
    pieces = line.pieces()
    while pieces.size:
        if np.max(line.middle(pieces)) > limit:
            return False
        pieces = pieces[line.bound(pieces) > limit]
        if pieces.size and np.min(pieces[:, 1] - pieces[:, 0]) < _NARROWEST:
            return False
        pieces = _split(pieces)
    return True


def _raised(line: "_Line", found: float, enough: float, tolerance: float) -> float:
    """The supremum over the line, where it exceeds ``found`` by more than ``tolerance``."""
    pieces = line.pieces()
    while pieces.size and found <= enough:
        found = max(found, float(np.max(line.middle(pieces))))
        bounds = line.bound(pieces)
        narrow = pieces[:, 1] - pieces[:, 0] < _NARROWEST
        if np.any(narrow):
            found = max(found, float(np.max(bounds[narrow])))
        pieces = _split(pieces[(bounds > found + tolerance) & ~narrow])
    return found


def _split(pieces: _Array) -> _Array:
    middles = pieces.mean(axis=1)
    return np.column_stack([pieces[:, 0], middles, middles, pieces[:, 1]]).reshape(-1, 2)


class _Line:
    """The null p_b = p_c + margin for every margin in [low, high], and the tables at least as far as the observed."""

    def __init__(self, pairs: Pairs, low: float, high: float) -> None:
        self._n = pairs.n
        self._low = low
        self._ends = (max(0.0, -high), (1 - low) / 2)
        self._limits = _region(pairs, low, high)

    def pieces(self) -> _Array:
        """The line in pieces: rows of p_c from, p_c to; finer where p_c is small, as it mostly is."""
        first, last = self._ends
        cuts = first + (last - first) * np.linspace(0, 1, _PIECES + 1) ** 2
        return np.column_stack([cuts[:-1], cuts[1:]])

    def middle(self, pieces: _Array) -> _Array:
        """The probability in the middle of each piece, at the lowest margin."""
        q = pieces.mean(axis=1)
        return self._probability(np.maximum(q + self._low, 0), q)

    def bound(self, pieces: _Array) -> _Array:
        """What no probability on a piece exceeds."""
        return self._probability(np.maximum(pieces[:, 0] + self._low, 0), pieces[:, 1])

    def _probability(self, p_b: _Array, p_c: _Array) -> _Array:
        """P(the region), summed over the rows c that weigh anything: P(c) · P(b ≤ limit | c)."""
        n = self._n
        reach = _FAR * np.sqrt(n * p_c * (1 - p_c)) + _FAR
        first = np.maximum(0, np.floor(n * p_c - reach)).astype(np.int64)
        last = np.minimum(n, np.ceil(n * p_c + reach)).astype(np.int64)
        lengths = last - first + 1
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        c = np.arange(int(lengths.sum())) - np.repeat(starts - first, lengths)
        p = np.repeat(p_c, lengths)
        weight = np.exp(gammaln(n + 1) - gammaln(c + 1) - gammaln(n - c + 1) + xlogy(c, p) + xlog1py(n - c, -p))
        rest = np.maximum(1 - p, np.finfo(float).tiny)
        given = np.clip(np.repeat(p_b, lengths) / rest, 0, 1)
        limit = self._limits[c]
        inside = np.where(limit < 0, 0.0, np.where(limit >= n - c, 1.0, bdtr(np.maximum(limit, 0), n - c, given)))
        return np.add.reduceat(weight * inside, starts)


def _region(pairs: Pairs, low: float, high: float) -> _Counts:
    """For every row c the largest b within the region, −1 where there is none.

    The score grows with b, so each row is searched by halving; it falls with c, so no row reaches less far than the
    one before, as long as there are pairs left for it.
    """
    n = pairs.n
    observed = float(score(np.array([pairs.b], dtype=float), np.array([pairs.c], dtype=float), n, low)[0])
    rows = np.arange(n + 1)
    inside, outside = np.full(n + 1, -1), n - rows + 1
    while np.any(outside - inside > 1):
        middle = (inside + outside) // 2
        within = (middle <= n - rows) & (
            score(np.maximum(middle, 0).astype(float), rows.astype(float), n, high) <= observed + _TIE
        )
        within |= middle < 0
        inside, outside = np.where(within, middle, inside), np.where(within, outside, middle)
    return np.minimum(np.maximum.accumulate(inside), n - rows)
