"""Counts: how many cases of each declared group a rate is about, and how many of them are its events."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from fairgate.golden.decided import Decided
from fairgate.golden.tally import Kind


@dataclass(frozen=True)
class Rate:
    """A rate: which cases it counts, and which of these are events.

    :param label: only cases with this label stand in the denominator; None for all cases
    :param predicted: an event is a case with this prediction; None for one whose prediction differs from its label
    """

    label: int | None
    predicted: int | None

    @property
    def reads_labels(self) -> bool:
        """Whether the rate cannot be told without labels."""
        return self.label is not None or self.predicted is None


RATES = {
    "error": Rate(label=None, predicted=None),
    "false_positive": Rate(label=0, predicted=1),
    "false_negative": Rate(label=1, predicted=0),
    "selection": Rate(label=None, predicted=1),
}


@dataclass(frozen=True)
class Cell:
    """The cases of one declared group (or crossing) in a rate's denominator.

    :param group: attribute to level
    :param eligible: all of them, those without a prediction included
    :param observed: with a prediction
    """

    group: dict[str, str]
    eligible: int
    observed: int
    events: int

    @property
    def missing(self) -> int:
        """Cases without a prediction: they may be events or not."""
        return self.eligible - self.observed

    @property
    def estimate(self) -> float | None:
        """Events over observed cases; None when nothing was observed."""
        return self.events / self.observed if self.observed else None


@dataclass(frozen=True)
class Outside:
    """Cases that belong to no declared group.

    :param rows: all cases known, inside or outside
    :param blank: cases with a blank attribute
    :param undeclared: cases without a blank one, but with an undeclared value
    :param spellings: the undeclared values and how often each was found
    :param denominator: outside cases in the rate's denominator
    :param denominator_rows: all known cases in the rate's denominator
    """

    rows: int
    blank: int
    undeclared: int
    spellings: Counter[str]
    denominator: int
    denominator_rows: int

    @property
    def cases(self) -> int:
        """All cases left out."""
        return self.blank + self.undeclared


@dataclass(frozen=True)
class Cells:
    """What a rule is judged on.

    :param cells: one per declared group, or per member of the product of a crossing, in the order declared
    :param unknown: expected cases of which nothing but the number is known: they may belong to any cell, or to none
    """

    cells: tuple[Cell, ...]
    outside: Outside
    unknown: int


def count(decided: Decided, rate: Rate, attributes: Sequence[str]) -> Cells:
    """Count the cells of a rate over an attribute or a crossing of several. A case is left out of a crossing once."""
    levels = list(product(*(decided.declared[name] for name in attributes)))
    cells: dict[tuple[str | None, ...], list[int]] = {level: [0, 0, 0] for level in levels}
    declared = [frozenset(decided.declared[name]) for name in attributes]
    outside = _Outside()
    for level, kind, cases in decided.levels(attributes):
        eligible = rate.label is None or kind.label == rate.label
        numbers = cells.get(level)
        if numbers is None:
            outside.add(level, declared, cases, eligible)
        elif eligible:
            numbers[0] += cases
            numbers[1] += cases * (kind.prediction is not None)
            numbers[2] += cases * _is_event(kind, rate)
    inside = tuple(Cell(dict(zip(attributes, level, strict=True)), *cells[level]) for level in levels)
    known = sum(numbers[0] for numbers in cells.values())
    return Cells(inside, outside.result(decided.kinds.total(), known), decided.unknown)


def _is_event(kind: Kind, rate: Rate) -> bool:
    if kind.prediction is None:
        return False
    return kind.prediction != kind.label if rate.predicted is None else kind.prediction == rate.predicted


class _Outside:
    """Adds up the cases that belong to no declared group."""

    def __init__(self) -> None:
        self._blank = 0
        self._undeclared = 0
        self._denominator = 0
        self._spellings: Counter[str] = Counter()

    def add(self, level: Sequence[str | None], declared: Sequence[frozenset[str]], cases: int, eligible: bool) -> None:
        self._denominator += cases * eligible
        if None in level:
            self._blank += cases
            return
        self._undeclared += cases
        for value, known in zip(level, declared, strict=True):
            if value is not None and value not in known:
                self._spellings[value] += cases

    def result(self, rows: int, inside: int) -> Outside:
        return Outside(
            rows=rows,
            blank=self._blank,
            undeclared=self._undeclared,
            spellings=self._spellings,
            denominator=self._denominator,
            denominator_rows=inside + self._denominator,
        )
