"""From counts to a verdict: the interval method of docs/statistics.md, as pure functions of a few numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Literal

from fairgate.parity.cells import Cell, Cells, Outside
from fairgate.results import Interval
from fairgate.stats.binomial import lower_bound, upper_bound
from fairgate.verdict import Verdict


@dataclass(frozen=True)
class Criterion:
    """What a rule demands.

    :param metric: a gap between any two groups, or a bound on the worst of them
    :param bound: floor (min) or ceiling (max) of worst_group; None for a gap
    :param limit: in [0, 1]
    :param min_cell: fewer observed cases than this in a cell, and the rule cannot pass
    :param max_left_out: share of all cases that may belong to no declared group
    :param confidence: 1 − α, over all groups of the rule
    """

    metric: Literal["max_group_gap", "worst_group"]
    bound: Literal["min", "max"] | None
    limit: float
    min_cell: int
    max_left_out: float
    confidence: float

    def tail(self, groups: int) -> float:
        """The error probability of each side of one group's interval: α / 2G."""
        return (1 - self.confidence) / (2 * groups)


@dataclass(frozen=True)
class Pair:
    """Two cells, by position, and the interval of the absolute difference of their rates."""

    first: int
    second: int
    lower: float
    upper: float


@dataclass(frozen=True)
class Judgement:
    """What the numbers of one rule come to, before any review.

    :param reasons: snake_case codes, see docs/statistics.md
    :param intervals: one per cell
    :param verdicts: one per cell for worst_group, else none
    :param widest: the pair with the largest upper end, then lower end; None for worst_group
    :param apart: the pair with the largest lower end, on which a FAIL rests; None for worst_group
    :param worst: position of the worst group; None for a gap
    """

    verdict: Verdict
    reasons: tuple[str, ...]
    intervals: tuple[Interval, ...]
    verdicts: tuple[Verdict, ...] = ()
    widest: Pair | None = None
    apart: Pair | None = None
    worst: int | None = None


def judge(counts: Cells, criterion: Criterion) -> Judgement:
    """Judge one rule on its counts.

    Too much left out decides before all else, even over a FAIL: who is left out may be who is treated worst. A small
    cell takes a PASS away, never a FAIL.
    """
    spans = intervals(counts.cells, counts.unknown, criterion)
    small = small_cells(counts.cells, criterion.min_cell)
    if criterion.metric == "max_group_gap":
        widest = max(_pairs(spans), key=lambda pair: (pair.upper, pair.lower))
        apart = max(_pairs(spans), key=lambda pair: (pair.lower, pair.upper))
        by_interval = _gap_verdict(apart.lower, widest.upper, criterion.limit)
        verdict, reasons = _conclude(by_interval, small, counts, criterion)
        return Judgement(verdict, reasons, spans, widest=widest, apart=apart)
    verdicts = tuple(bound_verdict(span, criterion) for span in spans)
    verdict, reasons = _conclude(_all(verdicts), small, counts, criterion)
    shown = tuple(
        Verdict.INSUFFICIENT_EVIDENCE if one is Verdict.PASS and cell in small else one
        for one, cell in zip(verdicts, counts.cells, strict=True)
    )
    return Judgement(verdict, reasons, spans, verdicts=shown, worst=_worst(spans, verdicts, criterion))


def decide(cells: Sequence[Cell], unknown: int, criterion: Criterion) -> Verdict:
    """The verdict of the intervals and of ``min_cell`` alone."""
    spans = intervals(cells, unknown, criterion)
    if criterion.metric == "max_group_gap":
        lowest, second = sorted(lower for lower, _ in spans)[:2]
        largest = max(upper - (second if lower == lowest else lowest) for lower, upper in spans)
        surest = max(lower for lower, _ in spans) - min(upper for _, upper in spans)
        verdict = _gap_verdict(surest, largest, criterion.limit)
    else:
        verdict = _all([bound_verdict(span, criterion) for span in spans])
    small = small_cells(cells, criterion.min_cell)
    return Verdict.INSUFFICIENT_EVIDENCE if verdict is Verdict.PASS and small else verdict


def intervals(cells: Sequence[Cell], unknown: int, criterion: Criterion) -> tuple[Interval, ...]:
    """Two-sided Clopper–Pearson at level 1 − α/G for each of G cells.

    Missing predictions stand at their worst on each side, and so do the unknown cases, all of which may belong to any
    one cell: L from (e, n + k), U from (e + m + k, n + k). A cell without cases is [0, 1].
    """
    tail = criterion.tail(len(cells))
    return tuple(
        (
            lower_bound(cell.events, cell.eligible + unknown, tail),
            upper_bound(cell.events + cell.missing + unknown, cell.eligible + unknown, tail),
        )
        for cell in cells
    )


def small_cells(cells: Sequence[Cell], min_cell: int) -> list[Cell]:
    """Cells with fewer observed cases than ``min_cell``; one without any is small whatever is asked."""
    return [cell for cell in cells if cell.observed < max(min_cell, 1)]


def left_out_too_many(outside: Outside, unknown: int, limit: float) -> bool:
    """Whether more is left out than the limit allows, in exact decimals: a tenth of ten is not over 0.1.

    Unknown cases count as possibly left out, so that hiding a row never helps.
    """
    return outside.cases + unknown > Fraction(str(limit)) * (outside.rows + unknown)


def bound_verdict(span: Interval, criterion: Criterion) -> Verdict:
    """One group against a floor or a ceiling."""
    lower, upper = span
    within = lower >= criterion.limit if criterion.bound == "min" else upper <= criterion.limit
    beyond = upper < criterion.limit if criterion.bound == "min" else lower > criterion.limit
    if within:
        return Verdict.PASS
    return Verdict.FAIL if beyond else Verdict.INSUFFICIENT_EVIDENCE


def _pairs(spans: Sequence[Interval]) -> Iterator[Pair]:
    for i, j in combinations(range(len(spans)), 2):
        yield Pair(i, j, max(0.0, spans[i][0] - spans[j][1], spans[j][0] - spans[i][1]), _upper(spans[i], spans[j]))


def _upper(one: Interval, other: Interval) -> float:
    return max(one[1] - other[0], other[1] - one[0])


def _gap_verdict(surest: float, largest: float, limit: float) -> Verdict:
    """From the largest lower and the largest upper end over all pairs."""
    if largest <= limit:
        return Verdict.PASS
    return Verdict.FAIL if surest > limit else Verdict.INSUFFICIENT_EVIDENCE


def _all(verdicts: Sequence[Verdict]) -> Verdict:
    """PASS when every group passes, FAIL when some group fails."""
    return max(verdicts, key=lambda verdict: verdict.severity)


def _worst(spans: Sequence[Interval], verdicts: Sequence[Verdict], criterion: Criterion) -> int:
    """The group that fares worst: by its verdict, then by the end of its interval that has to hold."""

    def badness(position: int) -> tuple[int, float, float]:
        lower, upper = spans[position]
        ends = (-lower, -upper) if criterion.bound == "min" else (upper, lower)
        return (verdicts[position].severity, *ends)

    return max(range(len(spans)), key=badness)


def _conclude(
    by_interval: Verdict, small: list[Cell], counts: Cells, criterion: Criterion
) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict of a rule, and why."""
    if left_out_too_many(counts.outside, counts.unknown, criterion.max_left_out):
        return Verdict.INSUFFICIENT_EVIDENCE, ("too_many_left_out",)
    if by_interval is Verdict.FAIL:
        return Verdict.FAIL, ("beyond_limit",)
    if by_interval is Verdict.PASS and not small:
        return Verdict.PASS, ("within_limit",)
    found = {
        "interval_straddles_limit": by_interval is not Verdict.PASS,
        "small_cell": any(cell.eligible for cell in small),
        "absent_group": any(not cell.eligible for cell in small),
        "missing_predictions": any(cell.missing for cell in counts.cells),
        "missing_rows": counts.unknown > 0,
    }
    return Verdict.INSUFFICIENT_EVIDENCE, tuple(reason for reason, holds in found.items() if holds)
