"""Counts: how many cases of each declared group a rate is about, and how many of them are its events."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import pandas as pd

from fairgate.golden.decided import Decided


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
    flags = _flags(decided.outcomes, rate)
    groups = [decided.groups[name].cat.set_categories(decided.declared[name]) for name in attributes]
    inside = pd.concat(groups, axis=1).notna().all(axis=1)
    sums = flags[inside].groupby([group[inside] for group in groups], observed=False).sum().to_numpy(dtype=int)
    levels = product(*(decided.declared[name] for name in attributes))
    cells = tuple(
        Cell(dict(zip(attributes, level, strict=True)), *(int(number) for number in numbers))
        for level, numbers in zip(levels, sums, strict=True)
    )
    return Cells(cells, _outside(decided, attributes, inside, flags["eligible"]), decided.unknown)


def _flags(outcomes: pd.DataFrame, rate: Rate) -> pd.DataFrame:
    """Per case whether it is eligible, observed, an event."""
    label, prediction = outcomes["label"], outcomes["prediction"]
    eligible = label.eq(rate.label).fillna(False) if rate.label is not None else label.isna() | True
    event = prediction.ne(label) if rate.predicted is None else prediction.eq(rate.predicted)
    flags = {"eligible": eligible, "observed": eligible & prediction.notna(), "events": eligible & event.fillna(False)}
    return pd.DataFrame(flags).astype(bool)


def _outside(decided: Decided, attributes: Sequence[str], inside: pd.Series, eligible: pd.Series) -> Outside:
    blank = decided.groups[list(attributes)].isna().any(axis=1)
    undeclared = ~inside & ~blank
    spellings: Counter[str] = Counter()
    for name in attributes:
        values = decided.groups.loc[undeclared, name]
        spellings.update(str(value) for value in values[~values.isin(decided.declared[name])])
    return Outside(
        rows=len(inside),
        blank=int(blank.sum()),
        undeclared=int(undeclared.sum()),
        spellings=spellings,
        denominator=int((eligible & ~inside).sum()),
        denominator_rows=int(eligible.sum()),
    )
