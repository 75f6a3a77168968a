"""What a rule demands, and what a method finds: the words that every method of parity shares."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fairgate.config.model import FairnessRule, FairnessSuite
from fairgate.results import Interval
from fairgate.verdict import Verdict

Metric = Literal["max_group_gap", "worst_group", "min_ratio"]
Method = Literal["interval", "exact"]


@dataclass(frozen=True)
class Criterion:
    """What a rule demands.

    :param metric: a gap between any two groups, a bound on the worst of them, or a ratio of any two
    :param bound: floor (min) or ceiling (max) of worst_group; None for the others
    :param limit: in [0, 1]
    :param min_cell: fewer observed cases than this in a cell, and the rule cannot pass
    :param max_left_out: share of all cases that may belong to no declared group
    :param confidence: 1 − α, over all groups of the rule
    :param method: how evidence becomes a verdict
    """

    metric: Metric
    bound: Literal["min", "max"] | None
    limit: float
    min_cell: int
    max_left_out: float
    confidence: float
    method: Method = "interval"

    @property
    def alpha(self) -> float:
        """The error probability that each side of the rule may spend."""
        return 1 - self.confidence

    def tail(self, groups: int) -> float:
        """Method interval: the error probability of each side of one group's interval, α / 2G."""
        return self.alpha / (2 * groups)


def criterion_of(suite: FairnessSuite, rule: FairnessRule, confidence: float) -> Criterion:
    """What a rule demands, with what its suite says where it is silent."""
    floor, ceiling = (rule.worst_group.min, rule.worst_group.max) if rule.worst_group else (None, None)
    limit = next(value for value in (rule.max_group_gap, rule.min_ratio, floor, ceiling) if value is not None)
    return Criterion(
        metric=rule.metric,
        bound=None if rule.worst_group is None else "max" if floor is None else "min",
        limit=limit,
        min_cell=suite.min_cell,
        max_left_out=suite.max_left_out if rule.max_left_out is None else rule.max_left_out,
        confidence=confidence,
        method=suite.method,
    )


@dataclass(frozen=True)
class Pair:
    """Two cells, by position, and an interval: of the absolute difference of their rates, or of the first over the
    second."""

    first: int
    second: int
    lower: float
    upper: float


@dataclass(frozen=True)
class Measured:
    """What a method makes of the counts, before small cells and cases left out are looked at.

    :param spans: one interval per cell
    :param verdicts: one per cell for worst_group, else none
    :param widest: the pair that stands most in the way of a PASS; None for worst_group
    :param apart: the pair that speaks most for a FAIL; None for worst_group
    :param worst: position of the worst group; None for gaps and ratios
    :param further: the other pairs that are surely beyond the limit (method exact)
    :param method: what was really used: the exact method leaves some tables to the intervals
    """

    verdict: Verdict
    spans: tuple[Interval, ...]
    verdicts: tuple[Verdict, ...] = ()
    widest: Pair | None = None
    apart: Pair | None = None
    worst: int | None = None
    further: tuple[tuple[int, int], ...] = ()
    method: Method = "interval"


def bound_verdict(span: Interval, criterion: Criterion) -> Verdict:
    """One group against a floor or a ceiling."""
    lower, upper = span
    within = lower >= criterion.limit if criterion.bound == "min" else upper <= criterion.limit
    beyond = upper < criterion.limit if criterion.bound == "min" else lower > criterion.limit
    if within:
        return Verdict.PASS
    return Verdict.FAIL if beyond else Verdict.INSUFFICIENT_EVIDENCE


def of_bounds(spans: Sequence[Interval], criterion: Criterion, method: Method = "interval") -> Measured:
    """worst_group from one interval per group: PASS when every group passes, FAIL when some group fails."""
    verdicts = tuple(bound_verdict(span, criterion) for span in spans)
    verdict = max(verdicts, key=lambda verdict: verdict.severity)
    return Measured(verdict, tuple(spans), verdicts=verdicts, worst=_worst(spans, verdicts, criterion), method=method)


def _worst(spans: Sequence[Interval], verdicts: Sequence[Verdict], criterion: Criterion) -> int:
    """The group that fares worst: by its verdict, then by the end of its interval that has to hold."""

    def badness(position: int) -> tuple[int, float, float]:
        lower, upper = spans[position]
        ends = (-lower, -upper) if criterion.bound == "min" else (upper, lower)
        return (verdicts[position].severity, *ends)

    return max(range(len(spans)), key=badness)
