"""How many cases it takes: before a rule can pass at all, and until it is likely to be settled at the present rates."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, log
from typing import Literal

from fairgate.parity.cells import Cell, Cells
from fairgate.parity.criterion import Criterion
from fairgate.parity.power import Prospect, chance
from fairgate.parity.rules import decide
from fairgate.stats.binomial import cases_to_stay_below, lower_bound, upper_bound
from fairgate.verdict import Verdict

POWER = 0.8
"""The chance of a verdict that a number of cases is planned for."""

MOST = 1_000_000
"""Cases per group beyond which nobody would go to settle a rule."""

MOST_SPARED = 12
"""Groups beyond which it is not worth the time to find out which of them need not grow."""


# --- before a rule can pass ------------------------------------------------------------------------------------------


def needed_to_pass(criterion: Criterion, groups: int) -> int | None:
    """Cases in each of so many equal groups without which the rule cannot pass, whatever comes out.

    Nothing is easier to prove than rates of 0, or of 1 for a floor and a ratio: (1 − limit)^n or limit^n is within the
    error probability of the side that passes. None where no number suffices.
    """
    tail = _tail(criterion, groups)
    if criterion.bound == "min" or criterion.metric == "min_ratio":
        needed = _cases_to_stay_above(criterion.limit, tail)
    else:
        needed = cases_to_stay_below(criterion.limit, tail)
    return None if needed is None else max(needed, criterion.min_cell, 1)


def cannot_pass(counts: Cells, criterion: Criterion) -> bool:
    """Whether no outcome of this many cases would make the rule pass (what is left out apart). Never true wrongly.

    docs/statistics.md says why, for each metric and method.
    """
    sizes = sorted(cell.eligible + counts.unknown for cell in counts.cells)
    if sizes[0] < max(criterion.min_cell, 1):
        return True
    tail, limit = _tail(criterion, len(sizes)), criterion.limit
    if criterion.metric == "worst_group":
        smallest = sizes[0]
        if criterion.bound == "min":
            return lower_bound(smallest, smallest, tail) < limit
        return upper_bound(0, smallest, tail) > limit
    if criterion.method == "exact":
        return _exact_cannot_pass(sizes, criterion)
    if criterion.metric == "min_ratio":
        return lower_bound(sizes[0], sizes[0], tail) * lower_bound(sizes[1], sizes[1], tail) < limit**2
    return sum(upper_bound(0, size, tail) for size in sizes[:2]) / 2 > limit


def _exact_cannot_pass(sizes: Sequence[int], criterion: Criterion) -> bool:
    """A group may be smaller than ``needed_to_pass`` beside a large one, but then its own interval has to be narrow."""
    needed = needed_to_pass(replace(criterion, min_cell=0), len(sizes))
    if needed is None or sizes[1] < needed:
        return True
    smallest, tail = sizes[0], 2 * criterion.alpha
    if criterion.metric == "min_ratio":
        return lower_bound(smallest, smallest, tail) < criterion.limit**2
    return upper_bound(0, smallest, tail) > 2 * criterion.limit


def _tail(criterion: Criterion, groups: int) -> float:
    """The error probability of one bound, or test, that has to hold for a PASS."""
    return criterion.alpha if criterion.method == "exact" else criterion.tail(groups)


def _cases_to_stay_above(floor: float, tail: float) -> int | None:
    """How many cases, all of them events, are needed before the lower bound reaches ``floor``: tail^(1/n) ≥ floor."""
    if floor >= 1:
        return None
    if floor <= 0:
        return 0
    cases = max(ceil(log(tail) / log(floor)), 1)
    return cases if lower_bound(cases, cases, tail) >= floor else cases + 1


# --- until a rule is settled -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class More:
    """How many cases a group needs: so many more, and then so many in all."""

    group: dict[str, str]
    more: int
    cases: int


@dataclass(frozen=True)
class Settlement:
    """What would settle an undecided rule if the rates stay as they are.

    :param kind: the predictions and rows that are missing; more cases; or nothing that is practical
    :param verdict: what the rule would then come to; None for nothing
    :param more: for more cases: only groups that need some
    """

    kind: Literal["missing", "cases", "nothing"]
    verdict: Verdict | None = None
    more: tuple[More, ...] = ()


def settle(counts: Cells, criterion: Criterion) -> Settlement:
    """Search for what would settle an undecided rule, with a chance of ``POWER``.

    What is missing is filled in first, at the present rates (a group nobody has seen: at the rate of all). Else every
    group is brought to the same size, as a file drawn anew at the present rates, until the rule is likely to be
    decided; then groups that need not grow are left alone.
    """
    observed = sum(cell.observed for cell in counts.cells)
    if not observed:
        return Settlement("nothing")
    pooled = sum(cell.events for cell in counts.cells) / observed
    if counts.unknown or any(cell.missing for cell in counts.cells):
        filled = decide([_filled(cell, pooled) for cell in counts.cells], 0, criterion)
        if filled is not Verdict.INSUFFICIENT_EVIDENCE:
            return Settlement("missing", filled)
    verdict = aim([_rate(cell, pooled) for cell in counts.cells], criterion)
    if verdict is None:
        return Settlement("nothing")
    return _more_cases(counts, criterion, pooled, verdict)


def aim(rates: Sequence[float], criterion: Criterion) -> Verdict | None:
    """What a rule comes to in the end if these are the true rates; None where they are at the limit."""
    least, most = min(rates), max(rates)
    if criterion.metric == "max_group_gap":
        room = criterion.limit - (most - least)
    elif criterion.metric == "min_ratio":
        room = least - criterion.limit * most
    else:
        room = least - criterion.limit if criterion.bound == "min" else criterion.limit - most
    if abs(room) < 1e-9:  # rates are quotients: nearer than that is the limit itself
        return None
    return Verdict.PASS if room > 0 else Verdict.FAIL


def enough(decides: Callable[[int], bool], start: int) -> int | None:
    """The smallest size, to about half a per cent, that decides; None beyond ``MOST``."""
    below, size = 0, max(start, 8)
    while not decides(size):
        below, size = size, size * 2
        if size > MOST:
            return None
    while size - below > max(1, size // 200):
        middle = (below + size) // 2
        below, size = (below, middle) if decides(middle) else (middle, size)
    return size


def _more_cases(counts: Cells, criterion: Criterion, pooled: float, verdict: Verdict) -> Settlement:
    def likely(sizes: Sequence[int]) -> bool:
        if verdict is Verdict.PASS and min(sizes) < criterion.min_cell:
            return False
        groups = [_grown(cell, size, counts.unknown, pooled) for cell, size in zip(counts.cells, sizes, strict=True)]
        return chance(groups, criterion, verdict) >= POWER

    present = [cell.observed for cell in counts.cells]
    size = enough(lambda size: likely([max(size, now) for now in present]), max(min(present), 1))
    if size is None:
        return Settlement("nothing")
    sizes = [max(size, now) for now in present]
    if len(sizes) <= MOST_SPARED:
        for i, now in enumerate(present):
            spared = [*sizes[:i], now, *sizes[i + 1 :]]
            sizes = spared if likely(spared) else sizes
    lacking = zip(counts.cells, sizes, present, strict=True)
    more = tuple(More(cell.group, size - now, size) for cell, size, now in lacking if size > now)
    return Settlement("cases", verdict, more)


def _rate(cell: Cell, pooled: float) -> float:
    return pooled if cell.estimate is None else cell.estimate


def _filled(cell: Cell, pooled: float) -> Cell:
    """The cell with every missing prediction made, at its present rate."""
    return replace(cell, observed=cell.eligible, events=round(_rate(cell, pooled) * cell.eligible), optional=None)


def _grown(cell: Cell, size: int, unknown: int, pooled: float) -> Prospect:
    """The cell with so many observed cases, and as many missing as there are."""
    low, high = cell.lowest(unknown), cell.highest(unknown)
    return Prospect(
        rate=_rate(cell, pooled),
        observed=size,
        low=(low.events - cell.events, low.cases - cell.observed),
        high=(high.events - cell.events, high.cases - cell.observed),
    )
