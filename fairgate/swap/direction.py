"""Whom the flips favour: the direction of every pair of levels, tested by base.

The base case is the unit here too: a base with several pairs of cells, or several people in a cell, counts once, for
the level that its pairs favour on balance. So b and c of McNemar's test are numbers of independent bases.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from fairgate.results import DirectionTest
from fairgate.stats.discordance import mcnemar, mcnemar_mid_p
from fairgate.stats.holm import adjusted
from fairgate.swap.flips import Swap, swaps
from fairgate.swap.grid import Base, Grid


@dataclass(frozen=True)
class Lean:
    """How the bases lean between two levels of an axis.

    :param one: bases that favour the level ``one`` on balance
    :param other: bases that favour the other
    :param balanced: bases in which both were favoured, equally often
    """

    axis: str
    levels: tuple[str, str]
    one: int
    other: int
    balanced: int


def direction_tests(grid: Grid) -> list[DirectionTest]:
    """One test for each pair of levels of an axis between which any base has a direction, axis by axis.

    What is missing takes no part: a pair of cells has a direction when both its outcomes were observed.
    """
    found = [lean for lean in leans(grid) if lean.one or lean.other or lean.balanced]
    corrected = adjusted([mcnemar(lean.one, lean.other) for lean in found])
    return [_test(lean, p) for lean, p in zip(found, corrected, strict=True)]


def leans(grid: Grid) -> Iterator[Lean]:
    """Every pair of levels of every axis, in the declared order."""
    flipped = [base for base in grid.bases if base.flipped]
    possible = list(swaps(grid))
    for axis, levels in grid.axes.items():
        for one, other in combinations(levels, 2):
            pairs = [swap for swap in possible if (swap.axis, swap.favoured, swap.over) == (axis, one, other)]
            signs = Counter(_sign(base, pairs) for base in flipped)
            yield Lean(axis, (one, other), signs[1], signs[-1], signs[0])


def _sign(base: Base, pairs: list[Swap]) -> int | None:
    """1 where more pairs of cells favour the first level than the second, −1 where fewer do, 0 where as many do; None
    where none favours either."""
    forth = sum(swap.seen_in(base) for swap in pairs)
    back = sum(swap.reverse.seen_in(base) for swap in pairs)
    if not forth and not back:
        return None
    return (forth > back) - (forth < back)


def _test(lean: Lean, corrected: float) -> DirectionTest:
    favoured, over = lean.levels if lean.one >= lean.other else lean.levels[::-1]
    return DirectionTest(
        axis=lean.axis,
        favoured=favoured,
        over=over,
        bases=max(lean.one, lean.other),
        reverse=min(lean.one, lean.other),
        balanced=lean.balanced,
        p=mcnemar(lean.one, lean.other),
        mid_p=mcnemar_mid_p(lean.one, lean.other),
        p_corrected=corrected,
    )
