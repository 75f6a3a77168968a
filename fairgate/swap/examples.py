"""Five flips that a person can read: what differed, what each got."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from fairgate.results import Difference, FlipExample, Side
from fairgate.swap.flips import swaps
from fairgate.swap.grid import KINDS, Base, Cell, Grid, Observation
from fairgate.swap.redaction import is_redacted

SHOWN = 5
ANSWER = 300
"""Characters of an answer, or of a field, that are shown."""

Direction = tuple[tuple[str, str, str], ...]
"""(axis, level that got the better answer, level that got the worse one) for every axis that differs."""


@dataclass(frozen=True)
class Flip:
    """Two people of one base who got different kinds of answer: positive before negative before a refusal."""

    base: int
    direction: Direction
    positive: Observation
    negative: Observation

    @property
    def fields(self) -> list[str]:
        """The fields in which the two differ."""
        theirs = self.negative.fields
        return [name for name, value in self.positive.fields.items() if value != theirs.get(name)]


def examples(grid: Grid) -> list[FlipExample]:
    """At most five flips, the same on every run.

    Of every flipped base the pair that differs in the fewest axes. Directions take turns, the most frequent first and
    each followed by its reverse: where both directions exist, both are shown. Within a direction, the fewest
    differing fields first, and then the order of the file.
    """
    queues: dict[Direction, list[Flip]] = defaultdict(list)
    neighbours = _neighbours(grid)
    for number, base in enumerate(grid.bases):
        if base.flipped:
            for flip in _flips(number, base, grid, neighbours):
                queues[flip.direction].append(flip)
    for queue in queues.values():
        queue.sort(key=lambda flip: len(flip.fields))
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
            found[direction] = Flip(number, direction, *_apart(base.cells[better], base.cells[worse]))
    yield from found.values()


def _closest(base: Base, grid: Grid, neighbours: list[Pair]) -> list[Pair]:
    """Cells with a better and cells with a worse answer that differ in the fewest axes, but in one at least: people of
    one cell who disagree differ in nothing that was swapped, and are the last resort."""
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
    return any(_ranks(base.cells[better], base.cells[worse]))


def _apart(better: Cell, worse: Cell) -> tuple[Observation, Observation]:
    """The first two people of two cells of whom the first got the better answer; a decision tells more than a
    refusal."""
    return min(_ranks(better, worse), key=lambda pair: [KINDS.index(one.kind) for one in pair if one.kind])


def _ranks(better: Cell, worse: Cell) -> Iterator[tuple[Observation, Observation]]:
    """Two people of two cells of whom the first got the better answer."""
    for one, other in product(better, worse):
        if one.kind and other.kind and KINDS.index(one.kind) < KINDS.index(other.kind):
            yield one, other


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
    return FlipExample(
        case=flip.positive.case,
        axes=[axis for axis, _, _ in flip.direction],
        differs=[
            Difference(
                field=name,
                positive=_short(str(flip.positive.fields[name])),
                negative=_short(str(flip.negative.fields.get(name, ""))),
                redacted=is_redacted(flip.positive.fields[name]),
            )
            for name in flip.fields
        ],
        positive=_side(flip.positive),
        negative=_side(flip.negative),
    )


def _side(one: Observation) -> Side:
    outcome = one.kind
    assert outcome is not None  # noqa: S101 - a flip is made of answers
    return Side(group=dict(one.group), outcome=outcome, answer=_short(one.answer or ""))


def _short(text: str) -> str:
    return text if len(text) <= ANSWER else text[:ANSWER] + "…"
