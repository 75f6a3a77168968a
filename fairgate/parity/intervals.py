"""The interval method of docs/statistics.md: one exact interval per group, the budget divided over the groups."""

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

from fairgate.parity.cells import Cell
from fairgate.parity.criterion import Criterion, Measured, Pair, of_bounds
from fairgate.results import Interval
from fairgate.stats.binomial import lower_bound, upper_bound
from fairgate.stats.difference import Sample
from fairgate.verdict import Verdict


def measure(cells: Sequence[Cell], unknown: int, criterion: Criterion) -> Measured:
    """What the intervals come to, with the pair or the group that the verdict rests on."""
    return _measure(intervals(cells, unknown, criterion.tail(len(cells))), criterion)


def decide(cells: Sequence[Cell], unknown: int, criterion: Criterion) -> Verdict:
    """The verdict of the intervals alone."""
    return measure(cells, unknown, criterion).verdict


def fails(cells: Sequence[Cell], unknown: int, criterion: Criterion, alpha: float) -> bool:
    """Whether the rule fails when its FAIL may err with probability ``alpha``."""
    spans = intervals(cells, unknown, alpha / (2 * len(cells)))
    return _measure(spans, criterion).verdict is Verdict.FAIL


def intervals(cells: Sequence[Cell], unknown: int, tail: float) -> tuple[Interval, ...]:
    """Clopper–Pearson with ``tail`` on each side, for each cell.

    Missing predictions stand at their worst on each side, and so do the unknown cases, all of which may belong to any
    one cell: L from (e, n + k), U from (e + m + k, n + k). A cell without cases is [0, 1].
    """
    return tuple((lower(cell.lowest(unknown), tail), upper(cell.highest(unknown), tail)) for cell in cells)


def lower(sample: Sample, tail: float) -> float:
    """The exact lower bound of a sample's rate."""
    return lower_bound(sample.events, sample.cases, tail)


def upper(sample: Sample, tail: float) -> float:
    """The exact upper bound of a sample's rate."""
    return upper_bound(sample.events, sample.cases, tail)


def _measure(spans: tuple[Interval, ...], criterion: Criterion) -> Measured:
    if criterion.metric == "worst_group":
        return of_bounds(spans, criterion)
    if criterion.metric == "min_ratio":
        ratios = list(_ratios(spans))
        least = min(ratios, key=lambda pair: (pair.lower, pair.upper))
        surest = min(ratios, key=lambda pair: (pair.upper, pair.lower))
        verdict = _verdict(within=least.lower >= criterion.limit, beyond=surest.upper < criterion.limit)
        return Measured(verdict, spans, widest=least, apart=surest)
    gaps = list(_gaps(spans))
    widest = max(gaps, key=lambda pair: (pair.upper, pair.lower))
    apart = max(gaps, key=lambda pair: (pair.lower, pair.upper))
    verdict = _verdict(within=widest.upper <= criterion.limit, beyond=apart.lower > criterion.limit)
    return Measured(verdict, spans, widest=widest, apart=apart)


def _gaps(spans: Sequence[Interval]) -> Iterator[Pair]:
    for i, j in combinations(range(len(spans)), 2):
        (low, high), (other_low, other_high) = spans[i], spans[j]
        yield Pair(i, j, max(0.0, low - other_high, other_low - high), max(high - other_low, other_high - low))


def _ratios(spans: Sequence[Interval]) -> Iterator[Pair]:
    """The first over the second, cut off at 1: the lowest over the highest is never more."""
    for i, j in permutations(range(len(spans)), 2):
        (low, high), (other_low, other_high) = spans[i], spans[j]
        yield Pair(i, j, min(1.0, low / other_high), high / other_low if high < other_low else 1.0)


def _verdict(*, within: bool, beyond: bool) -> Verdict:
    if within:
        return Verdict.PASS
    return Verdict.FAIL if beyond else Verdict.INSUFFICIENT_EVIDENCE
