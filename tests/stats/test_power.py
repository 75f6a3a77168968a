"""The chance with which a number of cases decides, against the sum over every count there is."""

from math import comb

import pytest

from fairgate.stats import binomial
from fairgate.stats.power import chance_to_decide
from fairgate.swap.further import settle_rate

TAIL = 0.05


def summed(rate: float, limit: float, cases: int) -> float:
    """By the bounds themselves, count by count."""
    total = 0.0
    for k in range(cases + 1):
        lower, upper = binomial.lower_bound(k, cases, TAIL), binomial.upper_bound(k, cases, TAIL)
        if upper <= limit or lower > limit:
            total += comb(cases, k) * rate**k * (1 - rate) ** (cases - k)
    return total


@pytest.mark.parametrize("cases", [1, 20, 59, 60, 150])
@pytest.mark.parametrize("limit", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("rate", [0.0, 0.02, 0.07, 0.3, 0.6, 1.0])
def test_it_is_the_sum_over_the_counts_that_decide(rate: float, limit: float, cases: int) -> None:
    assert chance_to_decide(rate, limit, cases, TAIL) == pytest.approx(summed(rate, limit, cases), abs=1e-12)


@pytest.mark.parametrize(("rate", "limit", "bases"), [(5 / 70, 0.05, 70), (1 / 91, 0.05, 91), (0.1, 0.2, 30)])
def test_the_cases_that_are_named_decide_with_the_chance_that_is_named(rate: float, limit: float, bases: int) -> None:
    more = settle_rate(rate, limit, bases, TAIL, missing=0).more
    assert more > 0
    assert chance_to_decide(rate, limit, bases + more, TAIL) >= 0.8
    assert chance_to_decide(rate, limit, bases + more - 1, TAIL) < 0.8


@pytest.mark.parametrize(
    ("rate", "bases", "missing", "way"),
    [
        (0.0, 40, 0, "no_further_flips"),  # certain: nothing is left to chance
        (0.02, 60, 0, "same_rate"),
        (0.05, 1000, 0, "never"),  # on the limit itself
        (0.02, 5000, 3, "answers"),  # large enough: the answers are all that it takes
    ],
)
def test_what_it_takes(rate: float, bases: int, missing: int, way: str) -> None:
    assert settle_rate(rate, 0.05, bases, TAIL, missing).way == way
