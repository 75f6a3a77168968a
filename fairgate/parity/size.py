"""How many cases it takes: before a rule can pass at all, and until it is settled at the present rates."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, log
from typing import Literal

from fairgate.parity.cells import Cell, Cells
from fairgate.parity.rules import Criterion, decide
from fairgate.stats.binomial import cases_to_stay_below, lower_bound, upper_bound
from fairgate.verdict import Verdict

MOST = 1_000_000
"""Cases per group beyond which nobody would go to settle a rule."""

MOST_SPARED = 100
"""Groups beyond which it is not worth the time to find out which of them need not grow."""


def needed_to_pass(criterion: Criterion, groups: int) -> int | None:
    """Cases in each of so many groups without which the rule cannot pass, whatever comes out.

    The narrowest interval of n cases is that of 0 or n events, of width 1 − tail^(1/n). None where no number suffices.
    """
    tail = criterion.tail(groups)
    if criterion.bound == "min":
        needed = _cases_to_stay_above(criterion.limit, tail)
    else:
        needed = cases_to_stay_below(criterion.limit, tail)
    return None if needed is None else max(needed, criterion.min_cell, 1)


def cannot_pass(counts: Cells, criterion: Criterion) -> bool:
    """Whether no outcome of this many cases would make the rule pass (what is left out apart). Never true wrongly.

    A gap: of the two ordered differences of a pair one is at least half the sum of the widths of their intervals.
    """
    sizes = [cell.eligible + counts.unknown for cell in counts.cells]
    if min(sizes) < max(criterion.min_cell, 1):
        return True
    tail = criterion.tail(len(sizes))
    if criterion.bound == "min":
        return lower_bound(min(sizes), min(sizes), tail) < criterion.limit
    smallest = sorted(sizes)[: 1 if criterion.bound == "max" else 2]
    return sum(upper_bound(0, size, tail) for size in smallest) / len(smallest) > criterion.limit


def _cases_to_stay_above(floor: float, tail: float) -> int | None:
    """How many cases, all of them events, are needed before the lower bound reaches ``floor``: tail^(1/n) ≥ floor."""
    if floor >= 1:
        return None
    if floor <= 0:
        return 0
    cases = max(ceil(log(tail) / log(floor)), 1)
    return cases if lower_bound(cases, cases, tail) >= floor else cases + 1


@dataclass(frozen=True)
class Settlement:
    """What would settle an undecided rule if the rates stay as they are.

    :param kind: the predictions and rows that are missing; more cases; or nothing that is practical
    :param verdict: what the rule would then come to; None for nothing
    :param more: for more cases: group to how many, only groups that need some
    """

    kind: Literal["missing", "cases", "nothing"]
    verdict: Verdict | None = None
    more: tuple[tuple[dict[str, str], int], ...] = ()


def settle(counts: Cells, criterion: Criterion) -> Settlement:
    """Search for what would settle an undecided rule, approximately.

    Every group is brought to the same size n at its present rate (a group nobody has seen: at the rate of all), and n
    doubled, then halved in, until the interval method decides; then groups that need not grow are left alone.
    """
    observed = sum(cell.observed for cell in counts.cells)
    if not observed:
        return Settlement("nothing")
    pooled = sum(cell.events for cell in counts.cells) / observed
    if counts.unknown or any(cell.missing for cell in counts.cells):
        filled = decide(_grown(counts.cells, 0, pooled, filled=True), 0, criterion)
        if filled is not Verdict.INSUFFICIENT_EVIDENCE:
            return Settlement("missing", filled)
    size = _enough(counts, criterion, pooled)
    if size is None:
        return Settlement("nothing")
    cells = _spared(counts, criterion, _grown(counts.cells, size, pooled))
    lacking = ((cell.group, cell.eligible - now.eligible) for cell, now in zip(cells, counts.cells, strict=True))
    verdict = decide(cells, counts.unknown, criterion)
    return Settlement("cases", verdict, tuple((group, number) for group, number in lacking if number > 0))


def _enough(counts: Cells, criterion: Criterion, pooled: float) -> int | None:
    """The smallest size of every group, to half a per cent, at which the rule is decided; None beyond ``MOST``."""

    def decided(size: int) -> bool:
        return _is_decided(_grown(counts.cells, size, pooled), counts, criterion)

    undecided, enough = min(cell.eligible for cell in counts.cells), max(criterion.min_cell, 8)
    while not decided(enough):
        undecided, enough = enough, enough * 2
        if enough > MOST:
            return None
    while enough - undecided > max(1, enough // 200):
        middle = (undecided + enough) // 2
        undecided, enough = (undecided, middle) if decided(middle) else (middle, enough)
    return enough


def _spared(counts: Cells, criterion: Criterion, grown: list[Cell]) -> list[Cell]:
    """The same, with every group back at its present size that the decision does not need to be larger."""
    if len(grown) > MOST_SPARED:
        return grown
    for position, cell in enumerate(counts.cells):
        spared = [*grown[:position], cell, *grown[position + 1 :]]
        if _is_decided(spared, counts, criterion):
            grown = spared
    return grown


def _is_decided(cells: Sequence[Cell], counts: Cells, criterion: Criterion) -> bool:
    return decide(cells, counts.unknown, criterion) is not Verdict.INSUFFICIENT_EVIDENCE


def _grown(cells: Sequence[Cell], size: int, pooled: float, *, filled: bool = False) -> list[Cell]:
    """The cells with at least ``size`` cases each, new ones (and filled-in ones) at the present rate."""
    grown = []
    for cell in cells:
        eligible = max(cell.eligible, size)
        observed = eligible if filled else eligible - cell.missing
        rate = pooled if cell.estimate is None else cell.estimate
        grown.append(replace(cell, eligible=eligible, observed=observed, events=round(rate * observed)))
    return grown
