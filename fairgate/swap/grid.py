"""The expected observations of a swap suite and what became of them: bases × cells × variants.

What is expected is fixed before any outcome is seen: an observation that did not come stays in the grid with outcome
None and a reason. Everything that is decided is a pure function of a grid.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, Literal, get_args

from fairgate.config.swap import Design

Kind = Literal["positive", "negative", "refusal"]
"""What an answer was: a decision one way or the other, or a refusal to decide."""

KINDS: tuple[Kind, ...] = get_args(Kind)
"""All of them, the better answer first."""


@dataclass(frozen=True)
class Observation:
    """One expected observation: who was asked about, and what came back.

    :param id: unique in the suite; the key of a recorded answer
    :param case: id of the base case
    :param group: axis to level
    :param outcome: True for positive, False for negative, None when there is none to read
    :param reason: why there is no outcome, a snake_case code
    :param answer: as the system wrote it; None when it wrote nothing
    :param detail: one sentence about a failed call
    :param model: as the server reported it
    :param fields: the fields in which variants of the base differ
    :param refused: the answer is a declared refusal; its outcome is False, since nobody was selected
    :param score: of an outcome that a score decides
    """

    id: str
    case: str
    group: Mapping[str, str]
    outcome: bool | None
    reason: str | None = None
    answer: str | None = None
    detail: str | None = None
    model: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    refused: bool = False
    score: float | None = None

    @property
    def kind(self) -> Kind | None:
        """What two observations are compared by: a refusal differs from a negative decision; None when missing."""
        if self.outcome is None:
            return None
        if self.refused:
            return "refusal"
        return "positive" if self.outcome else "negative"


Group = Mapping[str, str]
"""Axis to level: of every axis for a cell, of some for a group of cells."""
Cell = tuple[Observation, ...]
"""The observations of one base in one cell."""


def cells_of(axes: Mapping[str, Collection[str]], design: Design) -> list[Group]:
    """The cells of a design.

    ``full``: the product of the axes, the last one varying fastest. ``one_at_a_time``: the first level of every axis
    (the reference), then for each further level of each axis the reference with this level alone changed.
    """
    if design == "full":
        return [dict(zip(axes, levels, strict=True)) for levels in product(*axes.values())]
    reference = {axis: next(iter(levels)) for axis, levels in axes.items()}
    changed = ({axis: level} for axis, levels in axes.items() for level in levels if level != reference[axis])
    return [reference, *({**reference, **change} for change in changed)]


def counted_in(cells: Sequence[Group], group: Group) -> list[int]:
    """The cells over which the outcomes of a group are counted, by their index.

    Those of the group that have a twin, differing in the attributes of the group alone, in every other group: so that
    nothing else differs between the outcomes of two groups. In a full product that is every cell of the group.
    """
    apart = [tuple((axis, level) for axis, level in cell.items() if axis not in group) for cell in cells]
    groups = {tuple(cell[axis] for axis in group) for cell in cells}
    everywhere = {rest for rest, twins in Counter(apart).items() if twins == len(groups)}
    return [n for n, cell in enumerate(cells) if group.items() <= cell.items() and apart[n] in everywhere]


@dataclass(frozen=True)
class Base:
    """One base case: its observations in every cell, in the order of ``Grid.cells``.

    :param text: digest of the case without the person; None where the text is not known
    :param people: digest of the people who stood for the levels; None where they are not known
    """

    id: str
    cells: tuple[Cell, ...]
    text: str | None = None
    people: str | None = None

    @property
    def observations(self) -> Iterator[Observation]:
        """All of them, cell by cell."""
        return (observation for cell in self.cells for observation in cell)

    @property
    def flipped(self) -> bool:
        """Whether two observed outcomes disagree, complete or not."""
        return len({observation.kind for observation in self.observations} - {None}) > 1

    @property
    def complete(self) -> bool:
        """Whether every expected outcome was observed."""
        return all(observation.outcome is not None for observation in self.observations)


@dataclass(frozen=True)
class Grid:
    """All bases of a suite. Every base has the same cells, and as many observations in a cell as every other base.

    :param axes: axis to its levels, in the declared order
    :param design: which combinations of levels are cells
    """

    axes: Mapping[str, tuple[str, ...]]
    bases: tuple[Base, ...]
    design: Design = "full"

    @cached_property
    def cells(self) -> tuple[Group, ...]:
        """One level of every axis each; the first is the reference, the first level of every axis."""
        return tuple(cells_of(self.axes, self.design))

    def inside(self, group: Group) -> list[int]:
        """The cells over which the outcomes of a group are counted, by their index: see ``counted_in``."""
        return counted_in(self.cells, group)

    @property
    def observations(self) -> Iterator[Observation]:
        """Every expected observation, base by base."""
        return (observation for base in self.bases for observation in base.observations)


@dataclass(frozen=True)
class Response:
    """A change that ought to move the decision (``must_respond_to``), asked about every base that it changes.

    :param pairs: the observation without the change, and with it
    """

    change: Mapping[str, Any]
    pairs: tuple[tuple[Observation, Observation], ...]

    @property
    def answered(self) -> int:
        """Pairs in which both outcomes were observed."""
        return sum(before.outcome is not None and after.outcome is not None for before, after in self.pairs)

    @property
    def responded(self) -> int:
        """Pairs that were decided differently; to refuse is no decision."""
        return sum({before.kind, after.kind} == {"positive", "negative"} for before, after in self.pairs)


@dataclass(frozen=True)
class Repeats:
    """Identical calls: one variant of a base, asked again with nothing swapped.

    :param cell: the variant's cell, by its index in ``Grid.cells``; drawn before anything was asked
    :param again: what came of asking again, k observations
    """

    cell: int
    again: tuple[Observation, ...]


@dataclass(frozen=True)
class Control:
    """What the system does by itself (A/A): beside the grid, never in it.

    :param bases: one for every base of the grid, in its order
    :param repeats: k, how often the variant was asked again
    :param kinds: how many kinds of answers there can be: 2, or 3 where refusals are declared
    """

    bases: tuple[Repeats, ...]
    repeats: int
    kinds: int = 2

    @property
    def observations(self) -> Iterator[Observation]:
        """Every expected repeat, base by base."""
        return (observation for base in self.bases for observation in base.again)
