"""Five flips that a person can read: what differed, what each got."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from fairgate.results import Difference, FlipExample, Side
from fairgate.swap.flips import has, kinds, swaps
from fairgate.swap.grid import Base, Grid, Observation

SHOWN = 5
ANSWER = 300
"""Characters of an answer, or of a field, that are shown."""

Direction = tuple[tuple[str, str, str], ...]
"""(axis, level that got the positive outcome, level that got the negative one) for every axis that differs."""


@dataclass(frozen=True)
class Flip:
    """Two people of one base of whom one fared better: the positive outcome against another, or, where nobody got it, a
    decision against a refusal."""

    base: int
    direction: Direction
    positive: Observation
    negative: Observation


def examples(grid: Grid) -> list[FlipExample]:
    """At most five flips, the same on every run.

    Of every flipped base the pair that differs in the fewest axes. Directions take turns, the most frequent first and
    each followed by its reverse: where both directions exist, both are shown. Within a direction, the order of the
    file.
    """
    queues: dict[Direction, list[Flip]] = defaultdict(list)
    neighbours = _neighbours(grid)
    for number, base in enumerate(grid.bases):
        if base.flipped:
            for flip in _flips(number, base, grid, neighbours):
                queues[flip.direction].append(flip)
    return [_example(flip) for flip in _in_turn(queues)]


Pair = tuple[int, int]


def _neighbours(grid: Grid) -> list[Pair]:
    return [(swap.better, swap.worse) for swap in swaps(grid)]


def _flips(number: int, base: Base, grid: Grid, neighbours: list[Pair]) -> Iterator[Flip]:
    """The first flip of each direction, with as few differing axes as the base allows."""
    found: dict[Direction, Flip] = {}
    for better, worse in _closest(base, grid, neighbours):
        direction = tuple(
            (axis, level, grid.cells[worse][axis])
            for axis, level in grid.cells[better].items()
            if level != grid.cells[worse][axis]
        )
        if direction not in found:
            found[direction] = Flip(number, direction, *_sides(base, better, worse))
    yield from found.values()


def _closest(base: Base, grid: Grid, neighbours: list[Pair]) -> list[Pair]:
    """Cells with a positive and cells with a negative outcome that differ in the fewest axes, but in one at least:
    people of one cell who disagree differ in nothing that was swapped, and are the last resort."""
    near = [(better, worse) for better, worse in neighbours if _disagree(base, better, worse)]
    if near:
        return near
    cells = range(len(grid.cells))
    far = [(better, worse) for better, worse in product(cells, cells) if _disagree(base, better, worse)]
    apart = {
        pair: sum(a != b for a, b in zip(*(grid.cells[cell].values() for cell in pair), strict=True)) for pair in far
    }
    fewest = min((axes for axes in apart.values() if axes), default=0)
    return [pair for pair in far if apart[pair] == fewest]


def _disagree(base: Base, better: int, worse: int) -> bool:
    """Whether the better cell fared better: a positive outcome against none; where nobody of the base got one, a
    decision against a refusal."""
    good, bad = kinds(base.cells[better]), kinds(base.cells[worse])
    if any(has(cell, True) for cell in base.cells):
        return "positive" in good and bool(bad - {"positive"})
    return "negative" in good and "refusal" in bad


def _sides(base: Base, better: int, worse: int) -> tuple[Observation, Observation]:
    """The first person of the one cell who fared best, and the first of the other who fared worst."""
    good, bad = ([one for one in base.cells[cell] if one.kind] for cell in (better, worse))
    return max(good, key=_fared), min(bad, key=_fared)


def _fared(observation: Observation) -> int:
    return ("refusal", "negative", "positive").index(observation.kind or "refusal")


def _in_turn(queues: dict[Direction, list[Flip]]) -> list[Flip]:
    """Round after round, one flip of each direction; a base is shown once."""
    order: list[Direction] = []
    for direction in sorted(queues, key=lambda known: -len(queues[known])):
        for one in (direction, tuple((axis, over, favoured) for axis, favoured, over in direction)):
            if one in queues and one not in order:
                order.append(one)
    chosen: dict[int, Flip] = {}
    waiting = {direction: iter(queues[direction]) for direction in order}
    while waiting and len(chosen) < SHOWN:
        for direction in list(waiting):
            flip = next((flip for flip in waiting[direction] if flip.base not in chosen), None)
            if flip is None:
                del waiting[direction]
            elif len(chosen) < SHOWN:
                chosen[flip.base] = flip
    return list(chosen.values())


def _example(flip: Flip) -> FlipExample:
    positive, negative = flip.positive, flip.negative
    return FlipExample(
        case=positive.case,
        axes=[axis for axis, _, _ in flip.direction],
        differs=[
            Difference(field=name, positive=_short(str(value)), negative=_short(str(negative.fields.get(name, ""))))
            for name, value in positive.fields.items()
            if value != negative.fields.get(name)
        ],
        positive=Side(
            group=dict(positive.group), outcome=positive.kind or "positive", answer=_short(positive.answer or "")
        ),
        negative=Side(
            group=dict(negative.group), outcome=negative.kind or "negative", answer=_short(negative.answer or "")
        ),
    )


def _short(text: str) -> str:
    return text if len(text) <= ANSWER else text[:ANSWER] + "…"
