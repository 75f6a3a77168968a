"""The exact test of a difference against published values, brute force, and its own laws (docs/statistics.md)."""

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairgate.stats.difference import (
    MOST_CASES,
    Sample,
    boundary,
    p_value,
    p_value_at,
    significant,
    upper_bound,
)
from fairgate.stats.score import score

ALPHA = 0.05


@pytest.mark.parametrize(
    ("one", "other", "margin", "forward", "back"),
    [
        (Sample(22, 200), Sample(18, 200), 0.10, 0.006024, 0.000128),
        (Sample(10, 100), Sample(10, 100), 0.10, 0.013992, 0.013992),
        (Sample(18, 150), Sample(15, 120), 0.10, 0.005082, 0.015006),
        (Sample(0, 59), Sample(0, 59), 0.05, 0.048495, 0.048495),
    ],
)
def test_reference_p_values_below_a_limit(
    one: Sample, other: Sample, margin: float, forward: float, back: float
) -> None:
    for value, first, second in ((forward, one, other), (back, other, one)):
        assert round(p_value(first, second, margin), 6) == value
        assert round(p_value_at(first, second, margin), 6) == value


def test_missing_predictions_at_their_worst() -> None:
    assert round(p_value(Sample(22 + 4, 200), Sample(18, 200), 0.10), 6) == 0.032194
    assert round(p_value(Sample(18, 200), Sample(22, 200), 0.10), 6) == 0.000128


@pytest.mark.parametrize(
    ("high", "low", "expected"),
    [
        (Sample(60, 200), Sample(20, 200), 0.009508),
        (Sample(15, 50), Sample(3, 50), 0.033506),
        (Sample(50, 200), Sample(10, 200), 0.002916),
        (Sample(50, 200), Sample(12, 200), 0.005376),
    ],
)
def test_reference_p_values_beyond_a_limit(high: Sample, low: Sample, expected: float) -> None:
    assert round(p_value_at(low, high, -0.10), 6) == expected
    assert p_value(low, high, -0.10) >= expected - 1e-6


def test_verdicts_of_the_reference_failures() -> None:
    assert significant(Sample(20, 200), Sample(60, 200), -0.10, ALPHA / 2)
    assert not significant(Sample(3, 50), Sample(15, 50), -0.10, ALPHA / 2)
    assert significant(Sample(10, 200), Sample(50, 200), -0.10, ALPHA / 6)
    assert significant(Sample(12, 200), Sample(50, 200), -0.10, ALPHA / 5)


def test_a_p_value_that_rises_with_the_margin_is_covered() -> None:
    one, other = Sample(1, 26), Sample(12, 80)
    assert p_value_at(one, other, 0.025) == pytest.approx(0.0483, abs=5e-5)
    assert p_value_at(one, other, 0.030) == pytest.approx(0.0561, abs=5e-5)
    assert p_value(one, other, 0.025) >= p_value(one, other, 0.030) >= p_value_at(one, other, 0.030)
    assert not significant(one, other, 0.025, ALPHA)


def test_more_cases_may_weigh_less() -> None:
    assert p_value_at(Sample(0, 19), Sample(1, 23), 0.10) == pytest.approx(0.0526, abs=5e-5)
    assert p_value_at(Sample(0, 18), Sample(1, 23), 0.10) == pytest.approx(0.0442, abs=5e-5)


@pytest.mark.parametrize(
    ("one", "other", "lower", "upper"),
    [
        (Sample(6, 13), Sample(2, 7), -0.3108, 0.5787),
        (Sample(24, 61), Sample(10, 35), -0.0992, 0.2949),
        (Sample(9, 11), Sample(4, 12), 0.0616, 0.7968),
    ],
)
def test_published_exact_intervals(one: Sample, other: Sample, lower: float, upper: float) -> None:
    assert -upper_bound(other, one, 0.025) == pytest.approx(lower, abs=6e-5)
    assert upper_bound(one, other, 0.025) == pytest.approx(upper, abs=6e-5)


def test_published_two_sided_p_value() -> None:
    one, other = Sample(6, 13), Sample(2, 7)
    assert 2 * min(p_value_at(one, other, 0), p_value_at(other, one, 0)) == pytest.approx(0.5569, abs=5e-5)


@pytest.mark.parametrize(
    ("one", "other", "kind", "lower", "upper"),
    [
        (Sample(56, 70), Sample(48, 80), "mn", 0.0528, 0.3382),
        (Sample(0, 16), Sample(15, 72), "mn", -0.3164, -0.0056),
        (Sample(7, 34), Sample(1, 34), "mee", 0.0284, 0.3439),
    ],
)
def test_published_score_intervals(one: Sample, other: Sample, kind: str, lower: float, upper: float) -> None:
    cases = one.cases + other.cases
    factor = 1.0 if kind == "mn" else (cases / (cases - 1)) ** 0.5
    for margin, sign in ((lower, 1), (upper, -1)):
        statistics = [
            sign
            * factor
            * float(score(np.array([one.events]), one.cases, np.array([other.events]), other.cases, at)[0])
            for at in (margin - 6e-5, margin + 6e-5)
        ]
        assert min(statistics) < 1.959964 < max(statistics)


def brute_force(one: Sample, other: Sample, margin: float, points: int = 4001) -> float:
    """The largest probability of the region over a grid of truths with this difference."""
    n1, n2 = one.cases, other.cases
    x1, x2 = (grid.ravel() for grid in np.meshgrid(np.arange(n1 + 1), np.arange(n2 + 1), indexing="ij"))
    seen = float(score(np.array([one.events]), n1, np.array([other.events]), n2, margin)[0])
    inside = score(x1, n1, x2, n2, margin) <= seen + 1e-9 * max(1, abs(seen))
    p = np.linspace(max(0, -margin), min(1, 1 - margin), points)
    first = np.array([comb(n1, k) * (p + margin) ** k * (1 - p - margin) ** (n1 - k) for k in range(n1 + 1)])
    second = np.array([comb(n2, k) * p**k * (1 - p) ** (n2 - k) for k in range(n2 + 1)])
    return float(np.max(np.einsum("ip,jp,ij->p", first, second, inside.reshape(n1 + 1, n2 + 1).astype(float))))


@st.composite
def samples(draw: st.DrawFn, most: int = 25) -> Sample:
    cases = draw(st.integers(1, most))
    return Sample(draw(st.integers(0, cases)), cases)


MARGINS = st.sampled_from([-1.0, -0.5, -0.1, -0.025, 0.0, 0.05, 0.1, 0.3, 0.77, 1.0]) | st.floats(-1, 1)


@settings(max_examples=60, deadline=None)
@given(samples(), samples(), MARGINS)
def test_the_p_value_at_a_margin_is_that_of_brute_force(one: Sample, other: Sample, margin: float) -> None:
    exact, brute = p_value_at(one, other, margin), brute_force(one, other, margin)
    assert brute <= exact + 1e-9
    assert exact <= brute + 1e-6 + 1e-4 * brute * (brute < 1)  # the grid of truths is what is coarse here


@settings(max_examples=12, deadline=None)
@given(samples(15), samples(15), MARGINS)
def test_no_looser_margin_has_a_larger_p_value(one: Sample, other: Sample, margin: float) -> None:
    largest = p_value(one, other, margin)
    looser = [brute_force(one, other, at, 201) for at in np.linspace(margin, 1, 40)]
    assert max(looser) <= largest + 1e-9


@settings(max_examples=12, deadline=None)
@given(samples(), samples(), MARGINS)
def test_counting_what_did_not_happen_changes_nothing(one: Sample, other: Sample, margin: float) -> None:
    mirrored = Sample(other.cases - other.events, other.cases), Sample(one.cases - one.events, one.cases)
    assert p_value_at(one, other, margin) == pytest.approx(p_value_at(*mirrored, margin), abs=1e-6)


@settings(max_examples=10, deadline=None)
@given(samples(), samples(), st.floats(-0.5, 0.9))
def test_more_events_in_the_first_sample_never_help(one: Sample, other: Sample, margin: float) -> None:
    here = p_value(one, other, margin)
    if one.events < one.cases:
        assert p_value(Sample(one.events + 1, one.cases), other, margin) >= here - 1.1e-6
    if other.events < other.cases:
        assert p_value(one, Sample(other.events + 1, other.cases), margin) <= here + 1.1e-6


@settings(max_examples=10, deadline=None)
@given(samples(40), samples(40), st.floats(-0.3, 0.6), st.sampled_from([0.05, 0.025, 0.3]))
def test_the_early_stop_decides_as_the_p_value_does(one: Sample, other: Sample, margin: float, alpha: float) -> None:
    value = p_value(one, other, margin)
    if abs(value - alpha) > 2e-6:
        assert significant(one, other, margin, alpha) == (value <= alpha)


@settings(max_examples=5, deadline=None)
@given(samples(), samples())
def test_the_bound_is_where_the_test_begins_to_reject(one: Sample, other: Sample) -> None:
    bound = upper_bound(one, other, ALPHA)
    assert bound == 1 or significant(one, other, bound + 1e-9, ALPHA)
    assert not significant(one, other, bound - 2e-6, ALPHA)


@pytest.mark.parametrize("margin", [-1.0, -0.2, 0.0, 0.2, 1.0])
def test_no_case_says_nothing(margin: float) -> None:
    for one, other in product((Sample(0, 0), Sample(3, 5)), repeat=2):
        if not one.cases or not other.cases:
            assert p_value(one, other, margin) == p_value_at(one, other, margin) == 1
            assert upper_bound(one, other, ALPHA) == 1


@pytest.mark.parametrize(
    ("one", "other", "margin", "expected"),
    [
        (Sample(0, 1), Sample(1, 1), 0.0, 0.25),
        (Sample(0, 1), Sample(1, 1), 0.5, 0.0625),
        (Sample(0, 1), Sample(0, 1), 0.5, 0.5),
        (Sample(1, 1), Sample(0, 1), 0.5, 1.0),
        (Sample(0, 1), Sample(1, 1), -1.0, 1.0),
        (Sample(5, 10), Sample(5, 10), 1.0, 0.0),
        (Sample(10, 10), Sample(0, 10), 1.0, 1.0),
        (Sample(0, 10), Sample(10, 10), 0.0, 2.0**-20),
    ],
)
def test_extreme_tables(one: Sample, other: Sample, margin: float, expected: float) -> None:
    assert p_value(one, other, margin) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("margin", [-1.01, 1.01, float("nan")])
def test_a_margin_is_a_difference(margin: float) -> None:
    with pytest.raises(ValueError, match="margin"):
        p_value(Sample(1, 10), Sample(1, 10), margin)


@pytest.mark.parametrize(("events", "cases"), [(-1, 5), (6, 5), (0, -1)])
def test_a_sample_is_a_count_of_its_cases(events: int, cases: int) -> None:
    with pytest.raises(ValueError, match="events"):
        Sample(events, cases)


def test_the_boundary_is_that_of_the_test() -> None:
    most = boundary(9, 7, 0.2, ALPHA)
    for x2, x1 in enumerate(most):
        assert x1 < 0 or significant(Sample(int(x1), 9), Sample(x2, 7), 0.2, ALPHA)
        assert x1 == 9 or not significant(Sample(int(x1) + 1, 9), Sample(x2, 7), 0.2, ALPHA)


def test_ten_thousand_cases_agree_with_the_normal_limit() -> None:
    one, other = Sample(1050, 10_000), Sample(1000, 10_000)
    assert p_value_at(one, other, 0.012) == pytest.approx(0.0520, abs=5e-4)
    assert significant(one, other, 0.0125, ALPHA)
    assert not significant(one, other, 0.0120, ALPHA)


def test_what_cannot_be_enumerated_is_bounded_wider() -> None:
    half = MOST_CASES // 2 + 1
    one, other = Sample(half // 10, half), Sample(half // 10, half)
    bound = upper_bound(one, other, ALPHA)
    assert 1.6 < bound / (1.645 * (2 * 0.09 / half) ** 0.5) < 1.75
    assert significant(one, other, bound, ALPHA)
    assert not significant(one, other, bound - 1e-9, ALPHA)
    assert p_value(one, other, bound) == pytest.approx(ALPHA, rel=1e-4)


@pytest.mark.parametrize("margin", [0.9999999999999999, 1 - 1e-13, 1.0, -0.9999999999999999, 0.0])
def test_a_null_hypothesis_of_hardly_one_point(margin: float) -> None:
    p = p_value_at(Sample(0, 1), Sample(0, 1), margin)
    assert 0 <= p <= 1
    assert significant(Sample(0, 1), Sample(0, 1), margin, 0.05) == (margin > 0.5)
