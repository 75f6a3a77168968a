"""With what chance a number of cases decides, if the rate stays as it is."""

from bisect import bisect_left

from scipy.special import bdtr, bdtrc

POWER = 0.8
"""The chance with which a number of cases that is named for planning decides."""


def chance_to_decide(rate: float, limit: float, cases: int, tail: float) -> float:
    """The probability that exact bounds of a proportion decide on a limit: all of them within, or all beyond it.

    The upper bound of k events is within the limit where P(X ≤ k | limit) ≤ tail, the lower one beyond it where
    P(X ≥ k | limit) < tail (Clopper & Pearson 1934, the test that they invert).

    :param rate: the true proportion of events
    :param limit: 0 < limit < 1
    :param cases: n > 0
    :param tail: error probability of each side
    """
    counts = range(cases + 1)
    within = bisect_left(counts, True, key=lambda k: bool(bdtr(k, cases, limit) > tail)) - 1
    beyond = bisect_left(counts, True, lo=1, key=lambda k: bool(bdtrc(k - 1, cases, limit) < tail))
    passes = float(bdtr(within, cases, rate)) if within >= 0 else 0.0
    fails = float(bdtrc(beyond - 1, cases, rate)) if beyond <= cases else 0.0
    return passes + fails
