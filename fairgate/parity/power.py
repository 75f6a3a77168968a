"""How likely a rule is to be decided if the rates of its groups are what they seem to be: for planning, never to judge.

The chance is counted over drawn files, the same ones for every size that is tried, so that it grows with the size.
Draws are a Latin hypercube: each group goes through its whole distribution, in an order of its own. The interval
method is computed as it is; for the exact method the normal limit of its statistic stands in (Miettinen & Nurminen
1985, Statistics in Medicine 4, 213–226), which needs no enumeration and whose sizes agree with those of the exact
test to a few per cent.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import ceil, floor, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, betaincinv, ndtri

from fairgate.parity.criterion import Criterion
from fairgate.verdict import Verdict

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]

_DRAWS = 1024
_EVERY_PAIR = 10
"""Groups up to which every pair is looked at in every draw; with more, the pair that is furthest apart."""


@dataclass(frozen=True)
class Prospect:
    """A group as it may be.

    :param rate: of events among its observed cases
    :param observed: cases with a prediction
    :param low: (events, cases) to add for the lowest rate that its missing evidence allows
    :param high: the same for the highest rate
    """

    rate: float
    observed: int
    low: tuple[int, int] = (0, 0)
    high: tuple[int, int] = (0, 0)


def chance(groups: Sequence[Prospect], criterion: Criterion, verdict: Verdict) -> float:
    """The share of drawn files in which the rule comes to ``verdict`` (PASS or FAIL), ``min_cell`` apart."""
    uniform = _uniform(len(groups))
    events = np.stack([_events(uniform[:, i], group) for i, group in enumerate(groups)], axis=1)
    low, high = (
        _ends(events, groups, [group.low for group in groups]),
        _ends(events, groups, [g.high for g in groups]),
    )
    decided = _by_scores if criterion.method == "exact" and criterion.metric != "worst_group" else _by_bounds
    return float(decided(low, high, criterion, verdict is Verdict.PASS).mean())


Ends = tuple[Numbers, Numbers]
"""Events, drawn files × groups, and cases, per group."""


def _ends(events: Numbers, groups: Sequence[Prospect], more: Sequence[tuple[int, int]]) -> Ends:
    """The drawn events, and the cases, with what is missing added."""
    cases = np.array([group.observed + added for group, (_, added) in zip(groups, more, strict=True)], dtype=float)
    return events + np.array([added for added, _ in more]), cases


@cache
def _uniform(groups: int) -> Numbers:
    """Latin hypercube of ``_DRAWS`` points, always the same for so many groups."""
    chances = np.random.default_rng(20_000 + groups)
    columns = [(chances.permutation(_DRAWS) + chances.random(_DRAWS)) / _DRAWS for _ in range(groups)]
    return np.stack(columns, axis=1)


def _events(uniform: Numbers, group: Prospect) -> Numbers:
    """Quantiles of the binomial distribution, looked up among the counts that have any chance."""
    n, rate = group.observed, group.rate
    if n == 0 or rate in (0, 1):
        return np.full_like(uniform, rate * n)
    reach = _FAR * sqrt(n * rate * (1 - rate)) + _FAR
    first, last = max(0, floor(n * rate - reach)), min(n, ceil(n * rate + reach))
    counts = np.arange(first, last + 1)
    return np.minimum(first + np.searchsorted(bdtr(counts, n, rate), uniform), last).astype(float)


_FAR = 8.0
"""Counts further than so many standard deviations, and so many counts, from the mean are drawn by no quantile here."""


# --- bounds of each group --------------------------------------------------------------------------------------------


def _by_bounds(low: Ends, high: Ends, criterion: Criterion, passing: bool) -> Flags:
    groups = len(low[1])
    tails = (criterion.tail(groups),) * 2
    if criterion.method == "exact":
        tails = (criterion.alpha, criterion.alpha / groups)
    if criterion.metric == "worst_group":
        above = (criterion.bound == "min") == passing  # whether it is the lower bounds that have to hold
        ends = _bounds(*(low if above else high), tails[0] if passing else tails[1], upper=not above)
        if passing:
            return np.asarray(np.all(ends >= criterion.limit if above else ends <= criterion.limit, axis=1))
        return np.asarray(np.any(ends > criterion.limit if above else ends < criterion.limit, axis=1))
    lower, upper = _bounds(*low, tails[0], upper=False), _bounds(*high, tails[0], upper=True)
    if criterion.metric == "max_group_gap":
        if passing:
            return np.asarray(_furthest(upper, lower, np.subtract) <= criterion.limit)
        return np.asarray(lower.max(axis=1) - upper.min(axis=1) > criterion.limit)
    if passing:
        return np.asarray(-_furthest(-lower, -upper, lambda a, b: -(a / b)) >= criterion.limit)
    return np.asarray(upper.min(axis=1) < criterion.limit * lower.max(axis=1))


def _bounds(events: Numbers, cases: Numbers, tail: float, *, upper: bool) -> Numbers:
    """Clopper–Pearson bounds of a whole table, each different count computed once."""
    columns = []
    for x, n in zip(events.T, cases, strict=True):
        counts, where = np.unique(x, return_inverse=True)
        if upper:
            inside = betaincinv(counts + 1, np.maximum(n - counts, 0.5), 1 - tail)
            ends = np.where(counts >= n, 1.0, inside)
        else:
            inside = betaincinv(np.maximum(counts, 0.5), n - counts + 1, tail)
            ends = np.where(counts <= 0, 0.0, inside)
        columns.append(ends[where])
    return np.stack(columns, axis=1)


def _furthest(large: Numbers, small: Numbers, distance: Callable[[Numbers, Numbers], Any]) -> Numbers:
    """The largest distance from one group's ``large`` to *another* group's ``small``."""
    top, bottom = np.argsort(large, axis=1)[:, -2:], np.argsort(small, axis=1)[:, :2]
    best: Numbers = np.full(len(large), -np.inf)
    rows = np.arange(len(large))
    for i in range(2):
        for j in range(2):
            found = distance(large[rows, top[:, i]], small[rows, bottom[:, j]])
            best = np.where(top[:, i] == bottom[:, j], best, np.maximum(best, found))
    return best


# --- scores of each pair ---------------------------------------------------------------------------------------------


def _by_scores(low: Ends, high: Ends, criterion: Criterion, passing: bool) -> Flags:
    groups = len(low[1])
    tests = groups * (groups - 1)
    needed = -float(ndtri(criterion.alpha if passing else criterion.alpha / tests))
    combine = np.logical_and if passing else np.logical_or
    decided: Flags = np.full(len(low[0]), passing)
    for i, j in _pairs(low, high):
        far, near = (low, high) if (criterion.metric == "max_group_gap") != passing else (high, low)
        decided = combine(decided, _score(_of(far, i), _of(near, j), criterion, passing) >= needed)
    return decided


def _pairs(low: Ends, high: Ends) -> list[tuple[Any, Any]]:
    """Ordered pairs of groups, each an index, or for many groups the two furthest apart of every draw."""
    groups = len(low[1])
    if groups <= _EVERY_PAIR:
        return list(permutations(range(groups), 2))
    top = (high[0] / np.maximum(high[1], 1)).argmax(axis=1)
    bottom = (low[0] / np.maximum(low[1], 1)).argmin(axis=1)
    return [(top, bottom), (bottom, top)]


def _of(ends: Ends, group: Any) -> tuple[Numbers, Any]:
    events, cases = ends
    return events[np.arange(len(events)), group], cases[group]


def _score(one: tuple[Numbers, Any], other: tuple[Numbers, Any], criterion: Criterion, passing: bool) -> Numbers:
    """How many standard errors (one, other) is on the proven side of the limit; −∞ for a group without a case."""
    (x1, n1), (x2, n2) = one, other
    known = np.minimum(n1, n2) > 0
    one, other = (x1, np.maximum(n1, 1)), (x2, np.maximum(n2, 1))
    if criterion.metric == "max_group_gap":
        score = difference_score(one, other, criterion.limit)
        score = -score if passing else score
    else:
        score = ratio_score(one, other, criterion.limit)
        score = score if passing else -score
    return np.where(known, score, -np.inf)


def difference_score(one: tuple[Numbers, Any], other: tuple[Numbers, Any], margin: float) -> Numbers:
    """Standardised p1 − p2 − margin, with the rates that are most likely where it is 0."""
    (x1, n1), (x2, n2) = one, other
    n = n1 + n2
    b = (n1 + 2 * n2) * margin - n - (x1 + x2)
    c = (n2 * margin - n - 2 * x2) * margin + x1 + x2
    d = x2 * margin * (1 - margin)
    q = b**3 / (3 * n) ** 3 - b * c / (6 * n**2) + d / (2 * n)
    p = np.sign(q) * np.sqrt(np.maximum(b**2 / (3 * n) ** 2 - c / (3 * n), 0))
    with np.errstate(all="ignore"):
        angle = (np.pi + np.arccos(np.clip(np.where(p == 0, 0, q / p**3), -1, 1))) / 3
    p2 = np.clip(2 * p * np.cos(angle) - b / (3 * n), max(0.0, -margin), min(1.0, 1 - margin))
    p1 = p2 + margin
    return _standardised(x1 / n1 - x2 / n2 - margin, p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2)


def ratio_score(one: tuple[Numbers, Any], other: tuple[Numbers, Any], ratio: float) -> Numbers:
    """Standardised p1 − ratio · p2, with the rates that are most likely where it is 0."""
    (x1, n1), (x2, n2) = one, other
    a, b, c = max(ratio, 1e-9) * (n1 + n2), ratio * (n1 + x2) + n2 + x1, x1 + x2
    p2 = (b - np.sqrt(np.maximum(b**2 - 4 * a * c, 0))) / (2 * a)
    p1 = ratio * p2
    return _standardised(x1 / n1 - ratio * x2 / n2, p1 * (1 - p1) / n1 + ratio**2 * p2 * (1 - p2) / n2)


def _standardised(distance: Numbers, variance: Numbers) -> Numbers:
    return np.asarray(distance / np.sqrt(np.maximum(variance, 1e-300)))
