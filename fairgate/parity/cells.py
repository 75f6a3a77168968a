"""Counts: how many cases of each declared group a rate is about, and how many of them are its events."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from fairgate.golden.decided import Decided
from fairgate.golden.tally import Kind
from fairgate.stats.difference import Sample


@dataclass(frozen=True)
class Rate:
    """A rate: which cases it counts, and which of these are events.

    :param label: only cases with this label stand in the denominator; None for all cases
    :param predicted: an event is a case with this prediction; None for one whose prediction differs from its label
    :param given: only cases with this prediction stand in the denominator; None for all. Whether a case without a
        prediction would stand there is unknown then
    :param truth: an event is a case with this label; goes with ``given``
    """

    label: int | None = None
    predicted: int | None = None
    given: int | None = None
    truth: int | None = None

    @property
    def reads_labels(self) -> bool:
        """Whether the rate cannot be told without labels."""
        return self.label is not None or self.predicted is None


RATES = {
    "error": Rate(),
    "false_positive": Rate(label=0, predicted=1),
    "false_negative": Rate(label=1, predicted=0),
    "selection": Rate(predicted=1),
    "positive_predictive_value": Rate(given=1, truth=1),
    "false_discovery_rate": Rate(given=1, truth=0),
}


@dataclass(frozen=True)
class Cell:
    """The cases of one declared group (or crossing) in a rate's denominator.

    :param group: attribute to level
    :param eligible: all of them, those without a prediction included
    :param observed: with a prediction
    :param optional: for a rate given a prediction, whose denominator a case without one may stand in or not: how many
        of the missing may be events, and how many may be others. None where every missing case is counted
    """

    group: dict[str, str]
    eligible: int
    observed: int
    events: int
    optional: tuple[int, int] | None = None

    @property
    def missing(self) -> int:
        """Cases without a prediction: they may be events or not."""
        return self.eligible - self.observed

    @property
    def estimate(self) -> float | None:
        """Events over observed cases; None when nothing was observed."""
        return self.events / self.observed if self.observed else None

    def lowest(self, unknown: int) -> Sample:
        """The completion with the lowest rate: what is missing, and ``unknown`` more cases, are no events.

        Of a denominator that the missing may stay out of, those that can only be events stay out.
        """
        cases = self.eligible if self.optional is None else self.observed + self.optional[1]
        return Sample(self.events, cases + unknown)

    def highest(self, unknown: int) -> Sample:
        """The completion with the highest rate: what is missing, and ``unknown`` more cases, are events."""
        more = self.missing if self.optional is None else self.optional[0]
        cases = self.eligible if self.optional is None else self.observed + more
        return Sample(self.events + more + unknown, cases + unknown)

    def completions(self, unknown: int) -> Iterator[tuple[Sample, Sample]]:
        """For every number of cases that the denominator may come to: the fewest and the most events in it.

        What is missing for certain stands at its worst. Of the cases that may or may not be counted (``optional``, and
        the unknown ones) every number from none to all is tried.
        """
        events, others = self.optional or (0, 0)
        base = self.observed if self.optional is not None else self.eligible
        fixed = 0 if self.optional is not None else self.missing
        for more in range((self.missing if self.optional is not None else 0) + unknown + 1):
            fewest = self.events + max(0, more - others - unknown)
            most = self.events + fixed + min(more, events + unknown)
            yield Sample(fewest, base + more), Sample(most, base + more)


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
    sums: dict[tuple[str | None, ...], list[int]] = {level: [0] * 5 for level in levels}
    declared = [frozenset(decided.declared[name]) for name in attributes]
    outside = _Outside()
    for level, kind, cases in decided.levels(attributes):
        flags = _flags(kind, rate)
        numbers = sums.get(level)
        if numbers is None:
            outside.add(level, declared, cases, flags[0])
            continue
        for position, flag in enumerate(flags):
            numbers[position] += cases * flag
    inside = tuple(_cell(dict(zip(attributes, level, strict=True)), rate, sums[level]) for level in levels)
    known = sum(numbers[0] for numbers in sums.values())
    return Cells(inside, outside.result(decided.kinds.total(), known), decided.unknown)


def _cell(group: dict[str, str], rate: Rate, sums: Sequence[int]) -> Cell:
    eligible, observed, events, may, may_not = sums
    return Cell(group, eligible, observed, events, (may, may_not) if rate.given is not None else None)


def _flags(kind: Kind, rate: Rate) -> tuple[bool, bool, bool, bool, bool]:
    """Whether a case is eligible, observed, an event; and, without a prediction, whether it may be one or not."""
    if rate.given is not None:
        unread, counted = kind.prediction is None, kind.prediction == rate.given
        may, may_not = kind.label in (None, rate.truth), kind.label is None or kind.label != rate.truth
        event = counted and kind.label == rate.truth
        return counted or unread, counted, event, unread and may, unread and may_not
    eligible = rate.label is None or kind.label == rate.label
    observed = eligible and kind.prediction is not None
    event = kind.prediction != kind.label if rate.predicted is None else kind.prediction == rate.predicted
    return eligible, observed, observed and event, False, False


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
