"""How many further cases would settle an undecided rule: with a chance of 80 %, if the rates stay as they are."""

from collections.abc import Callable, Mapping
from math import ceil, sqrt
from statistics import NormalDist

from fairgate.stats.planning import MOST, cases_needed
from fairgate.stats.power import POWER, chance_to_decide
from fairgate.swap.reasons import Settle, more_cases

Z = NormalDist().inv_cdf(POWER)


def settle_rate(rate: float, limit: float, bases: int, tail: float, missing: int) -> Settle:
    """For a proportion with exact bounds; without a single event it is certain and not a matter of chance."""
    if not 0 < limit < 1:
        return Settle("never")
    needed = cases_needed(lambda cases: chance_to_decide(rate, limit, cases, tail) >= POWER, _first(bases, missing))
    return more_cases("same_rate" if rate else "no_further_flips", needed, bases, missing)


def settle_mean(  # noqa: PLR0913, PLR0917 - what is known, and what would have to be shown of it
    known: Mapping[float, float], distance: float, limit: float, bases: int, tail: float, missing: int
) -> Settle:
    """For a mean: about, so by its standard error and not by the test itself, which takes seconds where it takes
    thousands of cases.

    :param known: values of single cases, each with its count
    :param distance: of their mean from the limit
    :param tail: of the stricter of the two sides
    """
    if distance == 0:
        return Settle("never")
    quantiles = NormalDist().inv_cdf(1 - tail) + Z
    least = limit / sum(known.values())
    needed = ceil(max(_variance(known), least) * (quantiles / distance) ** 2)
    if not missing:  # nothing is left to come in: it takes more cases, however near this is
        needed = max(needed, bases + ceil(bases / 10))
    return more_cases("same_rate", needed if needed <= MOST else None, bases, missing)


def settle_bound(
    decided: Callable[[int], bool],
    known: Mapping[float, float],
    distance: float,
    bases: int,
    missing: int,
) -> Settle:
    """For a mean whose bounds have no simple form.

    Their distance from the estimate falls with √n. If the limit, at distance d, is reached at n₀ cases by a sample
    that is exactly like what was seen, a sample that is worse by z standard errors σ/√n reaches it at
    (√n₀ + zσ/d)² cases.

    :param decided: whether so many cases exactly like those that were seen decide
    :param known: values of single cases, each with its count
    :param distance: of their mean from the limit
    """
    expected = cases_needed(decided, bases)
    if expected is None or distance == 0:
        return Settle("never")
    needed = ceil((sqrt(expected) + Z * sqrt(_variance(known)) / distance) ** 2)
    return more_cases("same_rate", needed if needed <= MOST else None, bases, missing)


def _first(bases: int, missing: int) -> int:
    """Where nothing is missing, it takes more cases than there are."""
    return max(bases, 1) if missing else bases + 1


def _variance(values: Mapping[float, float]) -> float:
    total = sum(values.values())
    mean = sum(value * count for value, count in values.items()) / total
    return sum((value - mean) ** 2 * count for value, count in values.items()) / total
