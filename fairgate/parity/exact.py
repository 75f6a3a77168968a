"""The exact method of docs/statistics.md: exact unconditional tests of every pair of groups.

PASS by intersection–union (Berger 1982, Technometrics 24, 295–300): every ordered pair has to be significant at α, and
no correction is due. FAIL by Bonferroni over the 2m one-sided tests of m pairs; Holm only names further pairs.
"""

from collections.abc import Callable, Sequence
from itertools import permutations

from fairgate.parity import intervals
from fairgate.parity.cells import Cell
from fairgate.parity.contrasts import MOST_WAYS, Contrast, Gap, Ratio
from fairgate.parity.criterion import Criterion, Measured, Pair, of_bounds
from fairgate.parity.intervals import lower, upper
from fairgate.results import Interval
from fairgate.verdict import Verdict


def measure(cells: Sequence[Cell], unknown: int, criterion: Criterion) -> Measured:
    """What the tests come to, with the bounds of the pair that the verdict rests on."""
    if too_open(cells, unknown, criterion):
        return intervals.measure(cells, unknown, criterion)
    if criterion.metric == "worst_group":
        return of_bounds(_bounds(cells, unknown, criterion, criterion.alpha), criterion, "exact")
    contrast, order = _contrast(cells, unknown, criterion)
    verdict = _decide(contrast, order, criterion)
    beyond = _beyond(contrast, order, criterion) if verdict is Verdict.FAIL else []
    widest = _widest(contrast, order, criterion)
    apart = _apart(contrast, beyond, criterion)
    show = _shown_gap if criterion.metric == "max_group_gap" else _shown_ratio
    return Measured(
        verdict,
        _spans(cells, unknown, criterion),
        widest=show(contrast, widest, criterion, verdict, len(order)),
        apart=show(contrast, apart, criterion, verdict, len(order)) if apart else None,
        further=tuple(pair for pair in beyond if pair != apart),
        method="exact",
    )


def decide(cells: Sequence[Cell], unknown: int, criterion: Criterion) -> Verdict:
    """The verdict of the tests alone."""
    if too_open(cells, unknown, criterion):
        return intervals.decide(cells, unknown, criterion)
    if criterion.metric == "worst_group":
        return of_bounds(_bounds(cells, unknown, criterion, criterion.alpha), criterion, "exact").verdict
    return _decide(*_contrast(cells, unknown, criterion), criterion)


def fails(cells: Sequence[Cell], unknown: int, criterion: Criterion, alpha: float) -> bool:
    """Whether the rule fails when its FAIL may err with probability ``alpha``."""
    if too_open(cells, unknown, criterion):
        return intervals.fails(cells, unknown, criterion, alpha)
    if criterion.metric == "worst_group":
        return of_bounds(_bounds(cells, unknown, criterion, alpha), criterion, "exact").verdict is Verdict.FAIL
    contrast, order = _contrast(cells, unknown, criterion)
    return any(contrast.breaks(*pair, criterion.limit, alpha / len(order)) for pair in order)


def too_open(cells: Sequence[Cell], unknown: int, criterion: Criterion) -> bool:
    """Whether there are too many ways to fill in what is missing to try each: the interval method decides then.

    Its bounds are monotone in all that is missing, and it passes and fails no table that these tests would not.
    """
    if criterion.metric == "worst_group":
        return False
    ways = sorted(unknown + 1 + (cell.missing if cell.optional is not None else 0) for cell in cells)
    return ways[-1] * ways[-2] > MOST_WAYS


Order = list[tuple[int, int]]


def _contrast(cells: Sequence[Cell], unknown: int, criterion: Criterion) -> tuple[Contrast, Order]:
    """The ordered pairs of a rule, those first that speak most against it."""
    contrast = Gap(cells, unknown) if criterion.metric == "max_group_gap" else Ratio(cells, unknown)
    order = sorted(permutations(range(len(cells)), 2), key=lambda pair: -contrast.closeness(*pair))
    return contrast, order


def _decide(contrast: Contrast, order: Order, criterion: Criterion) -> Verdict:
    if all(contrast.holds(*pair, criterion.limit, criterion.alpha) for pair in order):
        return Verdict.PASS
    budget = criterion.alpha / len(order)
    broken = any(contrast.breaks(*pair, criterion.limit, budget) for pair in order)
    return Verdict.FAIL if broken else Verdict.INSUFFICIENT_EVIDENCE


def _beyond(contrast: Contrast, order: Order, criterion: Criterion) -> Order:
    """Every pair that Holm's step-down finds beyond the limit, in order."""
    found: set[tuple[int, int]] = set()
    while True:
        budget = criterion.alpha / (len(order) - len(found))
        more = {pair for pair in order if pair not in found and contrast.breaks(*pair, criterion.limit, budget)}
        if not more:
            return [pair for pair in order if pair in found]
        found |= more


def _widest(contrast: Contrast, order: Order, criterion: Criterion) -> tuple[int, int]:
    """The pair whose tightest proven limit is the loosest of all: one test tells whether a pair is any looser."""
    widest = order[0]
    bound = contrast.near_bound(*widest, criterion.alpha)
    for pair in order[1:]:
        if not contrast.holds(*pair, bound, criterion.alpha):
            widest, bound = pair, contrast.near_bound(*pair, criterion.alpha)
    return widest


def _apart(contrast: Contrast, beyond: Order, criterion: Criterion) -> tuple[int, int] | None:
    """Of the pairs beyond the limit, the one that is surely furthest beyond it."""
    best: Callable[..., tuple[int, int]] = max if criterion.metric == "max_group_gap" else min
    return best(beyond, key=lambda pair: contrast.far_bound(pair[0], pair[1], criterion.alpha)) if beyond else None


def _shown_gap(contrast: Contrast, pair: tuple[int, int], criterion: Criterion, verdict: Verdict, tests: int) -> Pair:
    """The deciding bounds of the absolute difference; rounding never carries one over a limit that was tested."""
    above = contrast.near_bound(*pair, criterion.alpha)
    if verdict is Verdict.PASS:
        above = min(above, criterion.limit)
    below = max(0.0, contrast.far_bound(*pair, criterion.alpha / tests))
    return Pair(min(pair), max(pair), below, max(below, above))


def _shown_ratio(contrast: Contrast, pair: tuple[int, int], criterion: Criterion, verdict: Verdict, tests: int) -> Pair:
    """The deciding bounds of the first over the second, cut off at 1: the lowest over the highest is never more."""
    below = min(1.0, contrast.near_bound(*pair, criterion.alpha))
    if verdict is Verdict.PASS:
        below = max(below, criterion.limit)
    above = min(1.0, contrast.far_bound(*pair, criterion.alpha / tests))
    return Pair(*pair, min(below, above), above)


def _bounds(cells: Sequence[Cell], unknown: int, criterion: Criterion, alpha: float) -> list[Interval]:
    """The deciding bounds of each group: α for the side that passes, ``alpha`` over the groups for the other."""
    passing, failing = criterion.alpha, alpha / len(cells)
    below, above = (passing, failing) if criterion.bound == "min" else (failing, passing)
    return [(lower(cell.lowest(unknown), below), upper(cell.highest(unknown), above)) for cell in cells]


def _spans(cells: Sequence[Cell], unknown: int, criterion: Criterion) -> tuple[Interval, ...]:
    """One-sided bounds of each group for itself; no gap is decided on them."""
    return intervals.intervals(cells, unknown, criterion.alpha)
