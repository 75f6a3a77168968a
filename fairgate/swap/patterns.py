"""Who got which answer: the flipped bases by their pattern, each told by the fewest axes that tell it.

A pattern is read off what was observed. Where the answers of a base depend on one axis alone, its levels say it all;
otherwise the cells of the axes that matter are named.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from fairgate.results import Pattern
from fairgate.swap.grid import KINDS, Base, Grid, Kind

SHOWN = 5
"""Patterns that are told; the rest is counted together."""

Levels = tuple[str, ...]
Kinds = frozenset[Kind]


class Shape(NamedTuple):
    """A pattern without its count: the axes that matter, the kinds of answer of each of their groups, and whether an
    outcome of the base is missing."""

    axes: Levels
    answers: tuple[tuple[Levels, Kinds], ...]
    incomplete: bool


def patterns(grid: Grid) -> tuple[list[Pattern], int]:
    """The patterns of the flipped bases, the most frequent first, and how many bases have any other.

    At most ``SHOWN``; equally frequent ones stand in the order of the file.
    """
    counted = Counter(shape(base, grid) for base in grid.bases if base.flipped)
    of = counted.total()
    shown = counted.most_common(SHOWN)
    return [_pattern(found, bases, of) for found, bases in shown], of - sum(bases for _, bases in shown)


def shape(base: Base, grid: Grid) -> Shape:
    """The pattern of one base, by the smallest set of axes on which its observed answers depend.

    Sets of equal size are tried in the declared order, no axis at all first: that is where only people of one and the
    same group disagree.
    """
    answered = [
        (cell, frozenset(one.kind for one in observations if one.kind is not None))
        for cell, observations in zip(grid.cells, base.cells, strict=True)
    ]
    seen = [(cell, kinds) for cell, kinds in answered if kinds]
    for axes in _subsets(tuple(grid.axes)):
        found = _by(axes, seen)
        if found is not None:
            return Shape(axes, tuple(found.items()), not base.complete)
    raise AssertionError("every cell has its own levels of all axes")


def _subsets(axes: Levels) -> Iterator[Levels]:
    """Sets of axes, the smallest first."""
    return (chosen for size in range(len(axes) + 1) for chosen in combinations(axes, size))


def _by(axes: Levels, seen: Sequence[tuple[Mapping[str, str], Kinds]]) -> dict[Levels, Kinds] | None:
    """The kinds of answer by the levels of some axes; None where those do not tell them."""
    found: defaultdict[Levels, set[Kinds]] = defaultdict(set)
    for cell, kinds in seen:
        found[tuple(cell[axis] for axis in axes)].add(kinds)
    if any(len(different) > 1 for different in found.values()):
        return None
    return {levels: next(iter(different)) for levels, different in found.items()}


def _pattern(found: Shape, bases: int, of: int) -> Pattern:
    groups = {
        kind: [dict(zip(found.axes, levels, strict=True)) for levels, kinds in found.answers if kind in kinds]
        for kind in KINDS
    }
    return Pattern(**groups, incomplete=found.incomplete, bases=bases, of=of)
