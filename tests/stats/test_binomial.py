"""Clopper–Pearson bounds against published and enumerated values (docs/statistics.md)."""

from math import comb

import pytest

from fairgate.stats.binomial import cases_to_stay_below, lower_bound, upper_bound


@pytest.mark.parametrize(
    ("events", "cases", "tail", "lower", "upper"),
    [
        (31, 200, 0.05, 0.114465, 0.203405),
        (31, 200, 0.025, 0.1078, 0.2127),
        (200, 2000, 0.0125, 0.085468, 0.116037),
        (0, 20, 0.05, 0, 0.139108),
        (0, 59, 0.05, 0, 0.049507),
        (450, 500, 0.00625, 0.861791, 0.930769),
        (0, 0, 0.05, 0, 1),
        (5, 5, 0.05, 0.05 ** (1 / 5), 1),
    ],
)
def test_reference_values(events: int, cases: int, tail: float, lower: float, upper: float) -> None:
    assert lower_bound(events, cases, tail) == pytest.approx(lower, abs=5e-5 if tail == 0.025 else 1e-6)
    assert upper_bound(events, cases, tail) == pytest.approx(upper, abs=5e-5 if tail == 0.025 else 1e-6)


def test_missing_at_their_worst() -> None:
    assert upper_bound(31 + 5, 200, 0.05) == pytest.approx(0.230667, abs=1e-6)
    assert lower_bound(200, 2020, 0.0125) == pytest.approx(0.084615, abs=1e-6)
    assert upper_bound(220, 2020, 0.0125) == pytest.approx(0.125419, abs=1e-6)


@pytest.mark.parametrize(
    ("limit", "events", "needed"),
    [(0.05, f, n) for f, n in zip((0, 1, 2, 3, 5), (59, 93, 124, 153, 208), strict=True)]
    + [(0.02, f, n) for f, n in zip((0, 1, 2), (149, 236, 313), strict=True)]
    + [(0.01, f, n) for f, n in zip((0, 1, 2), (299, 473, 628), strict=True)]
    + [(0.10, f, n) for f, n in zip((0, 1, 2), (29, 46, 61), strict=True)],
)
def test_cases_to_pass_a_limit(limit: float, events: int, needed: int) -> None:
    assert upper_bound(events, needed, 0.05) <= limit < upper_bound(events, needed - 1, 0.05)


def test_fewest_cases_that_fail() -> None:
    assert lower_bound(10, 100, 0.05) > 0.05 >= lower_bound(9, 100, 0.05)
    assert lower_bound(16, 200, 0.05) > 0.05 >= lower_bound(15, 200, 0.05)


def test_pass_rate_of_a_suite() -> None:
    for passes, cases in ((49, 50), (96, 100), (188, 200)):
        assert lower_bound(passes, cases, 0.05) >= 0.90 > lower_bound(passes - 1, cases, 0.05)


@pytest.mark.parametrize(
    ("limit", "tail", "needed"),
    [(0.05, 0.05, 59), (0.02, 0.05, 149), (0.01, 0.05, 299), (0.10, 0.05, 29), (0.05, 0.0125, 86), (1, 0.05, 0)],
)
def test_cases_without_an_event(limit: float, tail: float, needed: int) -> None:
    assert cases_to_stay_below(limit, tail) == needed


def test_no_number_of_cases_proves_a_limit_of_zero() -> None:
    assert cases_to_stay_below(0, 0.05) is None


@pytest.mark.parametrize(("events", "cases"), [(1, 7), (3, 20), (12, 40)])
def test_bounds_are_where_the_binomial_tail_is_spent(events: int, cases: int) -> None:
    tail = 0.03

    def at_least(k: int, p: float) -> float:
        return sum(comb(cases, i) * p**i * (1 - p) ** (cases - i) for i in range(k, cases + 1))

    assert at_least(events, lower_bound(events, cases, tail)) == pytest.approx(tail, rel=1e-9)
    assert 1 - at_least(events + 1, upper_bound(events, cases, tail)) == pytest.approx(tail, rel=1e-9)
