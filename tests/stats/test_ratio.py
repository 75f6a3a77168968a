"""The exact test of a ratio, held against brute force: never below it, and hardly above."""

from math import comb

import numpy as np
import pytest

from fairgate.stats.difference import Sample
from fairgate.stats.ratio import lower_bound, p_value, score, significant


def brute(one: Sample, other: Sample, ratio: float) -> float:
    """The p-value at this very ratio, the largest over a grid of truths."""
    x1, x2 = np.meshgrid(np.arange(one.cases + 1), np.arange(other.cases + 1), indexing="ij")
    observed = score(np.array([other.events]), other.cases, np.array([one.events]), one.cases, ratio)[0]
    extreme = score(x2, other.cases, x1, one.cases, ratio) <= observed + 1e-8 * max(1.0, abs(observed))
    weights = np.array([[comb(one.cases, i) * comb(other.cases, j) for j in range(other.cases + 1)] for i in x1[:, 0]])
    best = 0.0
    for p in np.linspace(0, min(1.0, 1 / ratio), 400):
        first = (ratio * p) ** x1 * (1 - min(ratio * p, 1.0)) ** (one.cases - x1)
        second = p**x2 * (1 - p) ** (other.cases - x2)
        best = max(best, float((weights * first * second)[extreme].sum()))
    return best


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        (Sample(18, 20), Sample(18, 22), 0.8),
        (Sample(10, 12), Sample(9, 15), 0.8),
        (Sample(14, 14), Sample(14, 14), 0.8),
        (Sample(9, 10), Sample(3, 9), 1.25),
        (Sample(6, 6), Sample(1, 25), 0.5),
    ],
)
def test_against_brute_force(one: Sample, other: Sample, ratio: float) -> None:
    found = p_value(one, other, ratio)
    at_any = max(brute(one, other, ratio * share) for share in (1, 0.99, 0.97, 0.9, 0.7))
    assert at_any - 1e-9 <= found <= brute(one, other, ratio) + 1e-3
    assert significant(one, other, ratio, found + 1e-6)
    assert not significant(one, other, ratio, at_any - 1e-4)


def test_all_events_prove_a_ratio_by_their_number_alone() -> None:
    for cases in (5, 14):
        assert p_value(Sample(cases, cases), Sample(cases, cases), 0.8) == pytest.approx(0.8**cases, abs=2e-6)


def test_nothing_is_proved_by_no_event_or_no_case() -> None:
    assert p_value(Sample(0, 9), Sample(0, 9), 0.8) == 1
    assert p_value(Sample(0, 0), Sample(4, 9), 0.8) == 1
    assert lower_bound(Sample(0, 9), Sample(3, 9), 0.05) == 0


def test_the_bound_is_a_ratio_that_is_rejected() -> None:
    one, other = Sample(50, 100), Sample(52, 100)
    bound = lower_bound(one, other, 0.05)
    assert significant(one, other, bound, 0.05)
    assert not significant(one, other, bound * 1.01, 0.05)


def test_a_ratio_is_positive() -> None:
    with pytest.raises(ValueError, match="expected more than 0"):
        p_value(Sample(1, 2), Sample(1, 2), 0)
