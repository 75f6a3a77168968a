"""Flips: how many bases changed their outcome when only the person changed, and whom the changes favoured.

The base case is the unit. Its variants are not independent of each other, so counting them as if they were would find
a narrow interval around the wrong number.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from fairgate.results import Direction, Flips, Interval, PositiveControl, RefusedDirection
from fairgate.stats.binomial import lower_bound, upper_bound
from fairgate.swap.grid import Base, Cell, Grid, Kind, Response


@dataclass(frozen=True)
class FlipCount:
    """Bases by what is known of them.

    :param bases: n, all expected ones
    :param complete: every expected outcome was observed
    :param flipped: f, two observed outcomes disagree, whether the base is complete or not
    :param unsettled: u, incomplete and so far without a disagreement
    """

    bases: int
    complete: int
    flipped: int
    unsettled: int

    @property
    def rate(self) -> float | None:
        """Flipped bases over those known to have flipped or not, n − u; None when none is known."""
        settled = self.bases - self.unsettled
        return self.flipped / settled if settled else None

    def interval(self, tail: float) -> Interval:
        """Clopper–Pearson, one-sided at ``tail`` each: an unsettled base has not flipped for the lower end and has for
        the upper (statistics.md §4), so that an outcome that comes in can only narrow it."""
        most = self.flipped + self.unsettled
        return lower_bound(self.flipped, self.bases, tail), upper_bound(most, self.bases, tail)


def count_flips(grid: Grid) -> FlipCount:
    """Count the bases of a grid."""
    flipped = [base.flipped for base in grid.bases]
    complete = [base.complete for base in grid.bases]
    unsettled = sum(not flip and not full for flip, full in zip(flipped, complete, strict=True))
    return FlipCount(len(grid.bases), sum(complete), sum(flipped), unsettled)


@dataclass(frozen=True)
class Swap:
    """An ordered pair of cells that differ in one axis alone, by their index in ``Grid.cells``."""

    axis: str
    favoured: str
    over: str
    better: int
    worse: int

    @property
    def reverse(self) -> "Swap":
        """The same two cells the other way round."""
        return Swap(self.axis, self.over, self.favoured, self.worse, self.better)

    def seen_in(self, base: Base) -> bool:
        """Whether someone in the better cell got the positive outcome where someone in the worse got the negative."""
        return has(base.cells[self.better], True) and has(base.cells[self.worse], False)

    def refused_in(self, base: Base) -> bool:
        """Whether someone in the worse cell was refused an answer where someone in the better got a decision."""
        decided = kinds(base.cells[self.better]) & {"positive", "negative"}
        return bool(decided) and "refusal" in kinds(base.cells[self.worse])


def has(cell: Cell, outcome: bool) -> bool:
    """Whether an observed outcome of the cell is this one."""
    return any(observation.outcome is outcome for observation in cell)


def kinds(cell: Cell) -> set[Kind]:
    """What was observed in a cell."""
    return {observation.kind for observation in cell if observation.kind is not None}


def swaps(grid: Grid) -> Iterator[Swap]:
    """Every ordered pair of cells that differ in one axis alone, by axis and then in the order of the cells."""
    index = {tuple(cell.values()): number for number, cell in enumerate(grid.cells)}
    for position, (axis, levels) in enumerate(grid.axes.items()):
        for cell, better in index.items():
            for level in levels:
                worse = index.get((*cell[:position], level, *cell[position + 1 :]))
                if worse is not None and worse != better:
                    yield Swap(axis, cell[position], level, better, worse)


def flips(grid: Grid, responses: tuple[Response, ...], tail: float) -> Flips:
    """The flips of a suite as the report has them.

    :param tail: error probability of each side of the interval
    """
    count = count_flips(grid)
    possible = list(swaps(grid))
    favouring = [_favouring(base, possible) for base in grid.bases if base.flipped]
    pairs = Counter(pair for found in favouring for pair in found)
    levels = Counter(level for found in favouring for level in {(axis, favoured) for axis, favoured, _ in found})
    names = Counter(level for axis in grid.axes.values() for level in axis)
    return Flips(
        bases=count.bases,
        complete=count.complete,
        flipped=count.flipped,
        rate=count.rate,
        interval=count.interval(tail),
        favoured={
            level if names[level] == 1 else f"{axis}={level}": levels[axis, level]
            for axis, declared in grid.axes.items()
            for level in declared
        },
        directions=[
            Direction(axis=axis, favoured=favoured, over=over, bases=pairs[axis, favoured, over])
            for axis, declared in grid.axes.items()
            for favoured, over in permutations(declared, 2)
            if pairs[axis, favoured, over]
        ],
        refused=_refused(grid, possible),
        responds=[
            PositiveControl(
                change=dict(response.change),
                asked=len(response.pairs),
                answered=response.answered,
                responded=response.responded,
            )
            for response in responses
        ],
    )


def _favouring(base: Base, pairs: list[Swap]) -> set[tuple[str, str, str]]:
    """(axis, favoured level, other level) of every swap seen in a base; each counts once per base."""
    return {(swap.axis, swap.favoured, swap.over) for swap in pairs if swap.seen_in(base)}


def _refused(grid: Grid, pairs: list[Swap]) -> list[RefusedDirection]:
    """Who was refused where who got a decision; each pair of levels counts once per base."""
    flipped = [base for base in grid.bases if base.flipped]
    seen = Counter(
        found
        for base in flipped
        for found in {(one.axis, one.over, one.favoured) for one in pairs if one.refused_in(base)}
    )
    return [
        RefusedDirection(axis=axis, refused=refused, answered=answered, bases=seen[axis, refused, answered])
        for axis, declared in grid.axes.items()
        for refused, answered in permutations(declared, 2)
        if seen[axis, refused, answered]
    ]
