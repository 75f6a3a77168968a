"""Gaps between the levels of an axis: paired, because the same base is behind both rates.

Per base the difference D between two groups is the difference of their shares of positive outcomes (or of
refusals). With one pair per
base D is −1, 0 or 1 and the exact paired test decides; with several the mixture bound holds for the mean of any values
in [−1, 1]. To treat the rates as independent would need ten times the bases for the same answer.

A missing outcome leaves D an interval: its upper end counts where the gap has to be small, its lower end where the gap
is to be shown to be large. Hiding an outcome can only widen it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations

from fairgate.results import Interval
from fairgate.stats import bounded_mean, paired
from fairgate.stats.paired import Pairs
from fairgate.swap.grid import Base, Grid
from fairgate.swap.selection import Counted, samples, selected
from fairgate.verdict import Verdict


@dataclass(frozen=True)
class Difference:
    """By how much one group gets the positive outcome (or whatever is counted) more often than another, base by base.

    :param first: index of the group that is subtracted from, in the order of ``samples``
    :param second: index of the other
    :param ends: (least, most) that D can be in a base, in [−1, 1]: in how many bases
    :param exact: one pair per base, so that the ends are −1, 0 and 1
    """

    first: int
    second: int
    ends: Mapping[tuple[float, float], float]
    exact: bool

    @cached_property
    def most(self) -> Counter[float]:
        """D at its largest: how often."""
        return _marginal(self.ends, 1)

    @cached_property
    def least(self) -> Counter[float]:
        """D at its smallest: how often."""
        return _marginal(self.ends, 0)

    def is_within(self, limit: float, tail: float) -> bool:
        """Whether the mean of D is shown to be at most ``limit``."""
        if self.exact:
            return paired.is_below(_pairs(self.most), limit, tail)
        return self.upper(tail) <= limit

    def is_beyond(self, limit: float, tail: float) -> bool:
        """Whether the mean of D is shown to be more than ``limit``."""
        if self.exact:
            return paired.is_above(_pairs(self.least), limit, tail)
        return self.lower(tail) > limit

    def upper(self, tail: float) -> float:
        """The one-sided upper confidence bound of the mean of D."""
        if self.exact:
            return paired.upper_bound(_pairs(self.most), tail)
        return 2 * bounded_mean.upper_bound(_from_zero_to_one(self.most), tail) - 1

    def lower(self, tail: float) -> float:
        """The one-sided lower confidence bound of the mean of D."""
        if self.exact:
            return paired.lower_bound(_pairs(self.least), tail)
        return 2 * bounded_mean.lower_bound(_from_zero_to_one(self.least), tail) - 1

    @cached_property
    def known(self) -> Counter[float]:
        """D in the bases in which every outcome of both groups was observed: how often."""
        found: Counter[float] = Counter()
        for (least, most), count in self.ends.items():
            if least == most:
                found[least] += int(count)
        return found

    @property
    def estimate(self) -> float | None:
        """The mean of D over those bases, below 0 where the second group is ahead; None where there is none.

        Paired as the bounds are: rates over all that was observed would compare one group on other cases.
        """
        total = self.known.total()
        return sum(value * count for value, count in self.known.items()) / total if total else None

    def at_size(self, bases: int) -> "Difference":
        """What was seen of D, scaled to another number of bases, nothing missing: for planning."""
        total = self.known.total()
        return replace(self, ends={(value, value): bases * count / total for value, count in self.known.items()})

    @property
    def largest(self) -> float:
        """The mean of D were every missing outcome at its worst; −1 without bases."""
        total = self.most.total()
        return sum(value * count for value, count in self.most.items()) / total if total else -1.0


@dataclass(frozen=True)
class GapJudgement:
    """What the differences between all groups come to.

    :param worst: the difference nearest to the limit, or furthest beyond it
    :param interval: of its absolute value, one-sided bounds
    :param beyond: the differences that are beyond the limit
    """

    verdict: Verdict
    worst: Difference
    interval: Interval
    beyond: Sequence[Difference]


def differences(grid: Grid, attribute: Sequence[str], counted: Counted = selected) -> list[Difference]:
    """The difference of every ordered pair of groups, in the order of ``samples``.

    :param counted: what the rates are of
    """
    found = samples(grid, attribute, counted)
    inside = [grid.inside(sample.group) for sample in found]
    exact = all(sample.variants == 1 for sample in found)
    return [
        Difference(
            first,
            second,
            Counter(_ends(base, inside[first], inside[second], counted) for base in grid.bases),
            exact,
        )
        for first, second in permutations(range(len(found)), 2)
    ]


def judge_gap(found: Sequence[Difference], limit: float, tail: float) -> GapJudgement:
    """PASS when every difference is within the limit, FAIL when some is beyond it.

    Every one has to be within for a PASS, so each may spend the whole tail (intersection–union); one beyond is a FAIL,
    so that side divides it over the ordered pairs.
    """
    share = tail / len(found)
    beyond = [one for one in found if one.is_beyond(limit, share)]
    if beyond:
        verdict = Verdict.FAIL
    elif all(one.is_within(limit, tail) for one in found):
        verdict = Verdict.PASS
    else:
        verdict = Verdict.INSUFFICIENT_EVIDENCE
    worst = max(beyond or found, key=lambda one: (one.largest, -one.first))
    reverse = next(one for one in found if (one.first, one.second) == (worst.second, worst.first))
    upper = max(worst.upper(tail), reverse.upper(tail))
    # The bounds look at one margin at a time and the decision at several: what is shown agrees with what is decided.
    upper = min(upper, limit) if verdict is Verdict.PASS else max(upper, limit)
    lower = max(0.0, worst.lower(share))
    lower = max(lower, limit) if verdict is Verdict.FAIL else min(lower, limit)
    return GapJudgement(verdict, worst, (lower, upper), beyond)


def never_apart(bases: int, variants: int) -> Difference:
    """The difference when everything is observed and no two groups ever get different outcomes."""
    return Difference(0, 1, {(0.0, 0.0): bases}, exact=variants == 1)


def _ends(base: Base, first: Sequence[int], second: Sequence[int], counted: Counted) -> tuple[float, float]:
    """The least and the most that the difference can be in one base."""
    (least_first, most_first), (least_second, most_second) = (_share(base, one, counted) for one in (first, second))
    return least_first - most_second, most_first - least_second


def _share(base: Base, cells: Sequence[int], counted: Counted) -> tuple[float, float]:
    """The share of outcomes that count, every missing one taken for one that does not, then for one that does."""
    outcomes = [counted(observation) for number in cells for observation in base.cells[number]]
    positive, missing = outcomes.count(True), outcomes.count(None)
    return positive / len(outcomes), (positive + missing) / len(outcomes)


def _marginal(ends: Mapping[tuple[float, float], float], which: int) -> Counter[float]:
    found: Counter[float] = Counter()
    for pair, count in ends.items():
        found[pair[which]] += count  # type: ignore[assignment]  # planning scales counts
    return found


def _pairs(values: Mapping[float, float]) -> Pairs:
    return Pairs(int(values.get(1, 0)), int(values.get(-1, 0)), int(sum(values.values())))


def _from_zero_to_one(values: Mapping[float, float]) -> dict[float, float]:
    return {(value + 1) / 2: count for value, count in values.items()}
