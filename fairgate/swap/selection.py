"""Selection and refusal rates of the levels of an axis, or of the cells of a crossing; the base case is the unit.

A base's rate for a level is the mean over its variants with that level. With one variant per base that is 0 or 1 and
Clopper–Pearson is exact; with several the mixture bound holds for any values in [0, 1]. Clopper–Pearson over all
variants would have a false PASS of .13 to .18 instead of .05 (statistics.md §4).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

from fairgate.results import Group, Interval, Selection
from fairgate.stats import binomial, bounded_mean
from fairgate.swap.grid import Base, Grid, Observation
from fairgate.verdict import Verdict

Method = Literal["clopper_pearson", "mixture_bound"]

MOST_CELLS = 16
"""The full crossing is shown without being asked for up to this many cells."""


Counted = Callable[[Observation], bool | None]
"""Whether an observation counts for a rate; None when it is missing, and may."""


def selected(observation: Observation) -> bool | None:
    """Whether the person got the positive outcome."""
    return observation.outcome


def refused(observation: Observation) -> bool | None:
    """Whether the person was refused an answer."""
    return None if observation.outcome is None else observation.refused


@dataclass(frozen=True)
class Sample:
    """One group's outcomes, base by base; ``positive`` are those that count for the rate.

    :param variants: expected outcomes of the group in each base, ≥ 1
    :param tallies: (positive, missing) outcomes of a base: in how many bases
    """

    group: Mapping[str, str]
    variants: int
    tallies: Mapping[tuple[int, int], float]

    @property
    def bases(self) -> float:
        """Expected bases."""
        return sum(self.tallies.values())

    @property
    def positive(self) -> float:
        """Observed positive outcomes over all bases."""
        return sum(positive * bases for (positive, _), bases in self.tallies.items())

    @property
    def missing(self) -> float:
        """Expected outcomes that were not observed."""
        return sum(missing * bases for (_, missing), bases in self.tallies.items())

    @property
    def estimate(self) -> float | None:
        """Positive over observed outcomes; None when nothing was observed."""
        observed = self.variants * self.bases - self.missing
        return self.positive / observed if observed else None

    @property
    def method(self) -> Method:
        """The interval that is valid for this many variants per base."""
        return method(self.variants)

    def lower(self, tail: float) -> float:
        """The lower bound of the rate, every missing outcome taken for negative."""
        if self.variants == 1:
            return binomial.lower_bound(self.positive, self.bases, tail)
        return bounded_mean.lower_bound(self._means(missing_as=0), tail)

    def upper(self, tail: float) -> float:
        """The upper bound of the rate, every missing outcome taken for positive."""
        if self.variants == 1:
            return binomial.upper_bound(self.positive + self.missing, self.bases, tail)
        return bounded_mean.upper_bound(self._means(missing_as=1), tail)

    def at_size(self, bases: int) -> "Sample":
        """The same sample with its proportions scaled to another number of bases and nothing missing: for planning."""
        seen = {tally: count for tally, count in self.tallies.items() if tally[1] == 0}
        total = sum(seen.values()) or 1
        return Sample(self.group, self.variants, {tally: bases * count / total for tally, count in seen.items()})

    def _means(self, missing_as: int) -> dict[float, float]:
        means: dict[float, float] = {}
        for (positive, missing), count in self.tallies.items():
            mean = (positive + missing_as * missing) / self.variants
            means[mean] = means.get(mean, 0) + count
        return means


def method(variants: int) -> Method:
    """Which interval is valid for a group with so many variants in every base."""
    return "clopper_pearson" if variants == 1 else "mixture_bound"


def samples(grid: Grid, attribute: Sequence[str], counted: Counted = selected) -> list[Sample]:
    """One sample for every level of an axis, or every cell of a crossing of axes.

    :param attribute: one or more axes
    :param counted: what the rate is of
    """
    found = []
    for levels in product(*(grid.axes[axis] for axis in attribute)):
        group = dict(zip(attribute, levels, strict=True))
        inside = grid.inside(group)
        variants = sum(len(grid.bases[0].cells[number]) for number in inside) if grid.bases else 1
        found.append(Sample(group, variants, Counter(_tally(base, inside, counted) for base in grid.bases)))
    return found


def _tally(base: Base, cells: Sequence[int], counted: Counted) -> tuple[int, int]:
    outcomes = [counted(observation) for number in cells for observation in base.cells[number]]
    return outcomes.count(True), outcomes.count(None)


def group_result(sample: Sample, interval: Interval, verdict: Verdict | None = None) -> Group:
    """A sample as the report has it."""
    eligible = sample.variants * int(sample.bases)
    return Group(
        group=dict(sample.group),
        eligible=eligible,
        observed=eligible - int(sample.missing),
        missing=int(sample.missing),
        events=int(sample.positive),
        estimate=sample.estimate,
        interval=interval,
        bases=int(sample.bases),
        verdict=verdict,
    )


def selection(grid: Grid, ruled: Sequence[Sequence[str]], tail: float, counted: Counted = selected) -> list[Selection]:
    """Rates of every axis, of every crossing that a rule uses, and of the full crossing when it is small enough.

    :param ruled: the attributes of the rules
    :param tail: error probability of each side of the intervals, not divided over the groups: no rule decides on them
    :param counted: what the rates are of
    """
    attributes = [(axis,) for axis in grid.axes]
    crossings = [tuple(attribute) for attribute in ruled if len(attribute) > 1]
    if len(grid.axes) > 1 and grid.design == "full" and len(grid.cells) <= MOST_CELLS:
        crossings.append(tuple(grid.axes))
    return [
        Selection(
            attribute=list(attribute),
            groups=[
                group_result(sample, (sample.lower(tail), sample.upper(tail)))
                for sample in samples(grid, attribute, counted)
            ],
        )
        for attribute in dict.fromkeys([*attributes, *crossings])
    ]
