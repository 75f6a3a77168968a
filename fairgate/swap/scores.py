"""Differences of scores between the levels of an axis: paired, because the same base is behind both.

Per base the difference of the two levels' mean scores lies in [−w, w] for a range of width w; scaled by w it is bounded
as any mean in [−1, 1] is, by the mixture bound (statistics.md sections 4 and 7). A missing score may be anything in the
range: it stands at the end that is worst for the bound at hand, so that hiding a score can only widen an interval. A
refusal has no score.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from fairgate.results import Interval, ScoreGap
from fairgate.stats import bounded_mean
from fairgate.swap.grid import Base, Grid

_DIGITS = 12
"""To so many digits scaled differences are rounded: equal ones count together, and floats add nothing at the rim."""


def score_gaps(grid: Grid, scale: Interval, tail: float) -> list[ScoreGap]:
    """The difference of mean scores for every axis and every two of its levels, the higher one first.

    :param scale: the lowest and the highest score
    :param tail: error probability of each side of the intervals; nothing is decided on them
    """
    return [
        _gap(grid, axis, pair, scale, tail) for axis, levels in grid.axes.items() for pair in combinations(levels, 2)
    ]


def _gap(grid: Grid, axis: str, pair: tuple[str, str], scale: Interval, tail: float) -> ScoreGap:
    width = scale[1] - scale[0]
    ends = list(_ends(grid, axis, pair, scale))
    known = [least for least, most in ends if least == most]
    estimate = sum(known) / len(known) if known else None
    lower = width * _lower([least / width for least, _ in ends], tail)
    upper = -width * _lower([-most / width for _, most in ends], tail)
    if estimate is not None and estimate < 0:
        pair, estimate, (lower, upper) = (pair[1], pair[0]), -estimate, (-upper, -lower)
    return ScoreGap(
        axis=axis, between=pair, bases=len(grid.bases), complete=len(known),
        estimate=estimate, interval=(lower, upper), range=scale,
    )  # fmt: skip


def _ends(grid: Grid, axis: str, pair: tuple[str, str], scale: Interval) -> Iterator[Interval]:
    """The least and the most that the difference can be in each base, between cells that differ in the axis alone."""
    inside = [grid.inside({axis: level}) for level in pair]
    for base in grid.bases:
        (low, high), (other_low, other_high) = (_mean(base, cells, scale) for cells in inside)
        yield low - other_high, high - other_low


def _mean(base: Base, cells: Sequence[int], scale: Interval) -> Interval:
    """The mean score of a level in a base, every missing one the lowest, then the highest."""
    scores = [one.score for number in cells for one in base.cells[number]]
    known, missing = sum(score for score in scores if score is not None), scores.count(None)
    return tuple((known + missing * end) / len(scores) for end in scale)  # type: ignore[return-value]  # two ends


def _lower(differences: Sequence[float], tail: float) -> float:
    """The lower bound of the mean of differences in [−1, 1]."""
    values = Counter(min(1.0, max(0.0, round((value + 1) / 2, _DIGITS))) for value in differences)
    return 2 * bounded_mean.lower_bound(values, tail) - 1
