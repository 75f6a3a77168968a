"""Two groups held against each other by exact tests: their difference, or their ratio.

Missing evidence stands at its worst for each single test. Where the number of cases in a denominator is itself unknown
(rows of which only the number is known; rates given a prediction), the p-value is the largest over every way to fill it
in: exact p-values are not monotone in the number of cases, so that no single corner would do.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import product
from math import sqrt

from fairgate.parity.cells import Cell
from fairgate.stats import difference, ratio
from fairgate.stats.difference import Sample
from fairgate.stats.inversion import smallest

MOST_WAYS = 36
"""Ways to fill in two groups beyond which not every one of them is tried: five rows of unknown groups make as many."""


_PRECISE = 1000
"""Cases of two groups up to which their bound is computed to six digits."""


class Contrast(ABC):
    """What can be asked about two cells, by position. ``holds`` and ``breaks`` are the two sides of one limit."""

    def __init__(self, cells: Sequence[Cell], unknown: int) -> None:
        ways = [
            list(cell.completions(unknown))[::-1] for cell in cells
        ]  # the most filled in first: as a rule the worst
        self._fewest = [[fewest for fewest, _ in way] for way in ways]
        self._most = [[most for _, most in way] for way in ways]

    @abstractmethod
    def closeness(self, one: int, other: int) -> float:
        """The larger, the more the two speak against the limit, as they were observed."""

    @abstractmethod
    def holds(self, one: int, other: int, limit: float, alpha: float) -> bool:
        """Whether it is proved at ``alpha`` that the two are within ``limit``, this way round."""

    @abstractmethod
    def breaks(self, one: int, other: int, limit: float, alpha: float) -> bool:
        """Whether it is proved at ``alpha`` that the two are beyond ``limit``, this way round."""

    @abstractmethod
    def near_bound(self, one: int, other: int, alpha: float) -> float:
        """The tightest limit that ``holds``."""

    @abstractmethod
    def far_bound(self, one: int, other: int, alpha: float) -> float:
        """The loosest limit that ``breaks``."""

    def _against(self, high: int, low: int) -> Iterator[tuple[Sample, Sample]]:
        """Every way to fill in two cells, the first at its most events and the second at its fewest."""
        return product(self._most[high], self._fewest[low])

    def _rate(self, position: int) -> float:
        sample = self._fewest[position][-1]
        return sample.events / sample.cases if sample.cases else 0.0


class Gap(Contrast):
    """p(one) − p(other) against a limit from above."""

    def closeness(self, one: int, other: int) -> float:
        """The observed difference."""
        return self._rate(one) - self._rate(other)

    def holds(self, one: int, other: int, limit: float, alpha: float) -> bool:
        """Rejects p(one) − p(other) ≥ limit; no difference is above 1."""
        return limit >= 1 or all(
            difference.significant(high, low, limit, alpha) for high, low in self._against(one, other)
        )

    def breaks(self, one: int, other: int, limit: float, alpha: float) -> bool:
        """Rejects p(one) − p(other) ≤ limit."""
        return limit < 1 and all(
            difference.significant(high, low, -limit, alpha) for high, low in self._against(other, one)
        )

    def near_bound(self, one: int, other: int, alpha: float) -> float:
        """The one-sided upper confidence bound of p(one) − p(other)."""
        bound = -1.0
        for high, low in self._against(one, other):
            if not difference.significant(high, low, bound, alpha):
                bound = _upper_bound(high, low, alpha)
        return bound

    def far_bound(self, one: int, other: int, alpha: float) -> float:
        """The one-sided lower confidence bound of p(one) − p(other)."""
        return -self.near_bound(other, one, alpha)


def _upper_bound(one: Sample, other: Sample, alpha: float) -> float:
    """The bound of a difference, to a twentieth of its standard deviation where more digits would take seconds."""
    cases = one.cases + other.cases
    if cases <= _PRECISE:
        return difference.upper_bound(one, other, alpha)
    rates = [(sample.events + 1) / (sample.cases + 2) for sample in (one, other)]
    spread = sqrt(sum(rate * (1 - rate) / sample.cases for rate, sample in zip(rates, (one, other), strict=True)))
    return smallest(
        lambda margin: difference.p_value_at(one, other, margin) <= alpha,
        lambda margin: difference.significant(one, other, margin, alpha),
        -1.0,
        1.0,
        guess=rates[0] - rates[1] + 1.6 * spread,
        spread=spread / 2,
        cases=cases,
    )


class Ratio(Contrast):
    """p(one) / p(other) against a limit from below."""

    def closeness(self, one: int, other: int) -> float:
        """How far the one stays behind the other, as observed."""
        return self._rate(other) - self._rate(one)

    def holds(self, one: int, other: int, limit: float, alpha: float) -> bool:
        """Rejects p(one) ≤ limit · p(other); every ratio is at least 0."""
        return limit <= 0 or all(ratio.significant(low, high, limit, alpha) for high, low in self._against(other, one))

    def breaks(self, one: int, other: int, limit: float, alpha: float) -> bool:
        """Rejects p(one) ≥ limit · p(other)."""
        return limit > 0 and all(
            ratio.significant(low, high, 1 / limit, alpha) for high, low in self._against(one, other)
        )

    def near_bound(self, one: int, other: int, alpha: float) -> float:
        """The one-sided lower confidence bound of the ratio."""
        return min(ratio.lower_bound(low, high, alpha) for high, low in self._against(other, one))

    def far_bound(self, one: int, other: int, alpha: float) -> float:
        """The one-sided upper confidence bound of the ratio; infinite where there is none."""
        bound = min(ratio.lower_bound(low, high, alpha) for high, low in self._against(one, other))
        return 1 / bound if bound else float("inf")
