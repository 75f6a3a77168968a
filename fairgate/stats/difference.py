"""The exact unconditional test of a difference of two independent proportions against a margin.

H0: p1 − p2 ≥ margin is tested by P(score ≤ the score observed), the Miettinen–Nurminen score ordering the outcomes, at
the worst truth that H0 allows (Chan & Zhang 1999, Biometrics 55, 1202–1209). That p-value may rise when the margin is
loosened (Röhmel 2005, Biometrical Journal 47, 37–47), so what decides is the largest over all margins from the one
asked about: valid all the same, and a looser margin never hurts.

Beyond ``MOST_CASES`` the difference of two Clopper–Pearson bounds takes its place, α/2 each: valid, monotone in
everything, and about 1.7 times as wide.
"""

from dataclasses import dataclass
from math import inf

import numpy as np

from fairgate.stats import binomial
from fairgate.stats.score import Array, Counts
from fairgate.stats.table import Table

MOST_CASES = 400_000
"""Two samples with more cases than this in all are compared by their Clopper–Pearson bounds."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Events among the cases of one group. A missing prediction is counted in by the caller, at its worst.

    :raises ValueError: unless 0 ≤ events ≤ cases
    """

    events: int
    cases: int

    def __post_init__(self) -> None:
        if not 0 <= self.events <= self.cases:
            raise ValueError(f"{self.events} events of {self.cases} cases: expected 0 <= events <= cases")


def p_value(one: Sample, other: Sample, margin: float) -> float:
    """The p-value of H0: p1 − p2 ≥ margin; a small one shows that the difference is below the margin.

    For H0: p1 − p2 ≤ margin swap the samples and negate the margin.

    :param margin: in [−1, 1]
    :returns: never below sup over margin′ ≥ margin of ``p_value_at``, and at most 1e-6 above (1e-4 with more than 4,000
        cases in all); 1 where a sample has no case
    :raises ValueError: for a margin outside [−1, 1]
    """
    return _table(one, other, margin).p_from(margin)


def significant(one: Sample, other: Sample, margin: float, alpha: float) -> bool:
    """Whether the exact p-value over all margins from ``margin`` on is at most alpha, as soon as that is certain.

    What cannot be told apart from alpha to 1e-6 is not significant. Sharper and faster than ``p_value(…) <= alpha``.

    :raises ValueError: for a margin outside [−1, 1]
    """
    return _table(one, other, margin).p_from(margin, alpha) <= alpha


def p_value_at(one: Sample, other: Sample, margin: float) -> float:
    """The p-value at this very margin, as published tables have it. A looser margin may have a larger one: to be
    shown, not decided on.

    :returns: never below the truth, and at most 1e-6 above; 1 where a sample has no case
    :raises ValueError: for a margin outside [−1, 1]
    """
    return _table(one, other, margin).p_at(margin)


def upper_bound(one: Sample, other: Sample, alpha: float) -> float:
    """The one-sided upper confidence bound of p1 − p2 at level 1 − alpha: the smallest margin that is rejected.

    The lower bound is ``-upper_bound(other, one, alpha)``.

    :returns: at most 1e-6 above the smallest margin with p-value ≤ alpha, never below; 1 where a sample has no case
    """
    return _table(one, other, 0.0).upper_bound(alpha)


def boundary(n1: int, n2: int, margin: float, alpha: float) -> Counts:
    """The rejection region of ``significant`` for samples of these sizes, for planning and simulation.

    :param n1: cases of the first sample, > 0
    :param n2: cases of the second sample, > 0
    :returns: for every x2 in 0 … n2 the most events x1 in the first sample with ``significant``, −1 where there is none.
        The p-value grows in x1 and falls in x2
    """
    most = np.full(n2 + 1, -1)
    x1 = -1
    for x2 in range(n2 + 1):
        while x1 < n1 and significant(Sample(x1 + 1, n1), Sample(x2, n2), margin, alpha):
            x1 += 1
        most[x2] = x1
    return most


class _Nothing:
    """A sample without a case: nothing is known."""

    def p_from(self, margin: float, refuted: float = inf, end: float = 1.0) -> float:
        return 1.0

    def p_at(self, margin: float) -> float:
        return 1.0

    def upper_bound(self, alpha: float) -> float:
        return 1.0


class _Bounds:
    """Two samples too large to enumerate: by their Clopper–Pearson bounds, half of alpha for each (Bonferroni)."""

    def __init__(self, one: Sample, other: Sample) -> None:
        self._one, self._other = one, other

    def p_from(self, margin: float, refuted: float = inf, end: float = 1.0) -> float:
        """The smallest alpha whose upper bound is within the margin, rounded up; the bound falls in alpha."""
        if refuted < 1:
            return refuted if self.upper_bound(refuted) <= margin else 1.0
        low, high = 0.0, 1.0
        if self.upper_bound(high) > margin:
            return 1.0
        while high - low > 1e-6 * high and high > 1e-300:
            middle = (low + high) / 2
            low, high = (low, middle) if self.upper_bound(middle) <= margin else (middle, high)
        return high

    def p_at(self, margin: float) -> float:
        return self.p_from(margin)

    def upper_bound(self, alpha: float) -> float:
        first = binomial.upper_bound(self._one.events, self._one.cases, alpha / 2)
        return first - binomial.lower_bound(self._other.events, self._other.cases, alpha / 2)


def _table(one: Sample, other: Sample, margin: float) -> Table | _Bounds | _Nothing:
    """What judges these samples."""
    if not -1 <= margin <= 1:
        raise ValueError(f"a margin of {margin}: expected a difference in [-1, 1]")
    if not one.cases or not other.cases:
        return _Nothing()
    if one.cases + other.cases > MOST_CASES:
        return _Bounds(one, other)
    if one.cases < other.cases:  # p1 − p2 = (1 − p2) − (1 − p1)
        return Table(other.cases - other.events, other.cases, one.cases - one.events, one.cases)
    return Table(one.events, one.cases, other.events, other.cases)
