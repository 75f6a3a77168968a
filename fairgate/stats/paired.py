"""The exact test of a difference of paired proportions against a margin.

Of n pairs, b are discordant one way and c the other way: bases in which level A got the positive outcome and level B
did not, cases that are newly bad and newly good. (b, c) is trinomial with probabilities p_b and p_c. The test of

    H0: p_b − p_c ≥ margin

orders the tables by Tango's score and takes the largest probability, anywhere in H0, of a table at least as far on the
near side as the one observed. That largest probability is bounded, never sampled (``fairgate.stats.supremum``):

- Moving a pair from b to the ties, or from the ties to c, keeps a table within the region of rejection. So its
  probability falls in p_b and grows in p_c, the supremum over H0 lies on p_b = p_c + margin, and on a piece of that
  line with p_c in [low, high] it is at most the probability at p_b = low + margin, p_c = high.
- A looser margin must not hurt, and the order depends on the margin. To be below a margin is therefore claimed only
  where every looser margin allows it too. For margins in [d, e] the region lies within {tables whose score at e is at
  most the observed score at d}, because a score falls as the margin grows; this encloses a whole interval of margins.

Sources: Tango (1998), Statistics in Medicine 17, 891–908, for the score; Hsueh, Liu & Chen (2001), Biometrics 57,
478–483, for the unconditional test built on it.
"""

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, gammaln, ndtri, xlog1py, xlogy

from fairgate.stats.supremum import TOLERANCE, Array, envelope, supremum

Counts = npt.NDArray[np.int64]

_TIE = 1e-9
"""Scores this near to each other are the same: the last bits of a floating-point number decide nothing."""
_FAR = 8.0
"""Rows further than so many standard deviations, and so many rows, from their mean weigh less than 1e-14."""
_PER_PAIR = 2.5e-9
"""What a p-value may exceed the supremum by, for every pair; half of ``TOLERANCE`` at least."""
_ROWS = 20_000
"""Probabilities computed at once."""
_NEAR = 1e-4
"""How near a bound, which is for display, comes to its exact end."""


@dataclass(frozen=True)
class Pairs:
    """n pairs, of which b are discordant one way and c the other way; the rest are ties.

    A missing pair is counted in by the caller, at its worst.
    """

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

    :param margin: in [−1, 1]
    :returns: the supremum over H0 and over every looser margin, never less and hardly more; 1 without pairs
    """
    return _over_looser_margins(pairs, margin, inf)


def is_below(pairs: Pairs, margin: float, alpha: float) -> bool:
    """Whether ``p_below`` is at most ``alpha``, as soon as that is certain; not where it cannot be told."""
    return _over_looser_margins(pairs, margin, alpha) <= alpha


def p_above(pairs: Pairs, margin: float) -> float:
    """The p-value of H0: p_b − p_c ≤ margin; a small one shows that the difference is above the margin.

    At this one margin: a failure is claimed of the limit that was written, and of no other.
    """
    return _at_one_margin(pairs.swapped, -margin, inf)


def is_above(pairs: Pairs, margin: float, alpha: float) -> bool:
    """Whether ``p_above`` is at most ``alpha``, as soon as that is certain; not where it cannot be told."""
    return _at_one_margin(pairs.swapped, -margin, alpha) <= alpha


def upper_bound(pairs: Pairs, alpha: float) -> float:
    """The one-sided upper confidence bound of p_b − p_c, for display: a margin from which on the difference is below.

    Each margin is looked at by itself, which is quick; what is decided looks at the looser ones too.

    :returns: in [−1, 1], at most 1e-4 above the exact end; 1 when there is no such margin
    """
    low, high = (pairs.b - pairs.c) / max(pairs.n, 1), 1.0
    while high - low > _NEAR:
        middle = (low + high) / 2
        if _at_one_margin(pairs, middle, alpha) <= alpha:
            high = middle
        else:
            low = middle
    return high


def lower_bound(pairs: Pairs, alpha: float) -> float:
    """The one-sided lower confidence bound of p_b − p_c."""
    return -upper_bound(pairs.swapped, alpha)


def boundary(n: int, margin: float, alpha: float, rows: range | None = None) -> Counts:
    """The rejection region of ``is_below`` for n pairs, for planning and simulation.

    :param n: pairs, > 0
    :param margin: in (−1, 1]
    :param rows: the c that matter; each costs a few tests. An empty range: only the test at this very margin, whose
        region is a little larger; it is that of ``is_above`` for the pairs swapped and the margin negated
    :returns: for every c in 0 … n the most b with ``is_below``, −1 where there is none; exact in ``rows`` only
    """
    low, high = -float(n), 0.0  # scores
    most = np.full(n + 1, -1)
    while high - low > _TIE:
        middle = (low + high) / 2
        tried = _at_most(middle, n, margin)
        if _worst(tried, n, margin, alpha, alpha) <= alpha:
            low, most = middle, tried
        else:
            high = middle
    for c in range(n + 1) if rows is None else rows:
        while most[c] >= 0 and not is_below(Pairs(int(most[c]), c, n), margin, alpha):
            most[c] -= 1
    return most


def score(b: Array, c: Array, n: int, margin: float) -> Array:
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


def _at_one_margin(pairs: Pairs, margin: float, refuted: float) -> float:
    if pairs.n == 0 or margin <= -1:
        return 1.0
    return min(1.0, _largest(pairs, margin, margin, refuted if refuted < inf else 0.0, refuted))


def _over_looser_margins(pairs: Pairs, margin: float, refuted: float) -> float:
    if pairs.n == 0 or margin <= -1:
        return 1.0
    within = max(TOLERANCE / 2, pairs.n * _PER_PAIR)
    difference = (pairs.b - pairs.c) / pairs.n
    deviation = sqrt(((pairs.b + pairs.c + 1) / (pairs.n + 1)) / pairs.n)
    slack = 3 * within * deviation
    if refuted < inf:
        slack = max(slack, margin - difference + float(ndtri(refuted)) * deviation)
    found = envelope(
        lambda low, high, best, enough: _largest(pairs, low, high, best, enough),
        margin, 1.0, slack=slack, narrowest=within / 2 * deviation, refuted=refuted, within=within,
    )  # fmt: skip
    return min(1.0, found)


def _largest(pairs: Pairs, low: float, high: float, best: float, refuted: float) -> float:
    """At least the p-value at every margin in [low, high], or ``best`` if that is larger."""
    observed = score(np.array([pairs.b], dtype=float), np.array([pairs.c], dtype=float), pairs.n, low)
    return _worst(_at_most(float(observed[0]) + _TIE, pairs.n, high), pairs.n, low, best, refuted)


def _worst(limits: Counts, n: int, margin: float, best: float, refuted: float) -> float:
    """The largest probability of a region where p_b − p_c = margin; see ``supremum``."""

    def probability(first: Array, last: Array) -> Array:
        return _probability(limits, n, np.clip(first + margin, 0, 1), np.clip(last, 0, 1))

    ends = max(0.0, -margin), (1 - margin) / 2
    return supremum(probability, 2 * n, *ends, best=best, refuted=refuted, batch=_ROWS // n + 1)


def _probability(limits: Counts, n: int, p_b: Array, p_c: Array) -> Array:
    """P(the region), summed over the rows c that weigh anything: P(c) · P(b ≤ limit | c)."""
    reach = _FAR * np.sqrt(n * p_c * (1 - p_c)) + 2 * _FAR
    first = np.maximum(0, np.floor(n * p_c - reach)).astype(np.int64)
    last = np.minimum(n, np.ceil(n * p_c + reach)).astype(np.int64)
    lengths = last - first + 1
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    c = np.arange(int(lengths.sum())) - np.repeat(starts - first, lengths)
    p = np.repeat(p_c, lengths)
    weight = np.exp(gammaln(n + 1) - gammaln(c + 1) - gammaln(n - c + 1) + xlogy(c, p) + xlog1py(n - c, -p))
    rest = np.maximum(1 - p, np.finfo(float).tiny)
    given = np.clip(np.repeat(p_b, lengths) / rest, 0, 1)
    limit = limits[c]
    inside = np.where(limit < 0, 0.0, np.where(limit >= n - c, 1.0, bdtr(np.maximum(limit, 0), n - c, given)))
    return np.add.reduceat(weight * inside, starts)


def _at_most(threshold: float, n: int, margin: float) -> Counts:
    """For every row c the largest b with a score of at most ``threshold``, −1 where there is none.

    The score grows with b, so each row is searched by halving; it falls with c, so no row reaches less far than the
    one before, as long as there are pairs left for it.
    """
    rows = np.arange(n + 1)
    inside, outside = np.full(n + 1, -1), n - rows + 1
    while np.any(outside - inside > 1):
        middle = (inside + outside) // 2
        within = (middle <= n - rows) & (
            score(np.maximum(middle, 0).astype(float), rows.astype(float), n, margin) <= threshold
        )
        within |= middle < 0
        inside, outside = np.where(within, middle, inside), np.where(within, outside, middle)
    return np.minimum(np.maximum.accumulate(inside), n - rows)
