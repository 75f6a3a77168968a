"""The exact paired test: every reference value of its specification, and what must hold for all tables."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import multinomial

from fairgate.stats.paired import Pairs, boundary, is_above, is_below, lower_bound, p_above, p_below, score, upper_bound

WITHIN = [
    ((5, 4, 230), 0.05, 0.004043),
    ((4, 5, 230), 0.05, 0.001070),
    ((8, 4, 230), 0.05, 0.032127),  # three bases missing altogether, at their worst
    ((7, 5, 230), 0.05, 0.011581),
    ((13, 18, 200), 0.05, 0.005309),
    ((18, 13, 200), 0.05, 0.215805),
    ((0, 0, 59), 0.05, 0.048495),
    ((0, 0, 58), 0.05, 0.051047),
    ((0, 0, 200), 0.02, 0.022397),
    ((1, 1, 200), 0.02, 0.038473),
    ((3, 5, 200), 0.02, 0.030558),
    ((2, 0, 200), 0.02, 0.235148),
]
BEYOND = [
    ((31, 5, 200), 0.05, 0.006053),
    ((26, 5, 200), 0.05, 0.023799),
    ((22, 5, 200), 0.05, 0.080668),
    ((15, 1, 200), 0.02, 0.003611),
    ((12, 2, 200), 0.02, 0.054482),
]


@pytest.mark.parametrize(("table", "margin", "expected"), WITHIN)
def test_p_value_of_being_below_a_margin(table: tuple[int, int, int], margin: float, expected: float) -> None:
    pairs = Pairs(*table)
    assert p_below(pairs, margin) == pytest.approx(expected, abs=1.1e-6)
    assert is_below(pairs, margin, 0.05) == (expected <= 0.05)


@pytest.mark.parametrize(("table", "margin", "expected"), BEYOND)
def test_p_value_of_being_above_a_margin(table: tuple[int, int, int], margin: float, expected: float) -> None:
    pairs = Pairs(*table)
    assert p_above(pairs, margin) == pytest.approx(expected, abs=1.1e-6)
    assert is_above(pairs, margin, 0.025) == (expected <= 0.025)


@pytest.mark.parametrize(("margin", "needed"), [(0.01, 299), (0.02, 149), (0.05, 59), (0.10, 29)])
def test_pairs_needed_without_any_discordant_one(margin: float, needed: int) -> None:
    assert is_below(Pairs(0, 0, needed), margin, 0.05)
    assert not is_below(Pairs(0, 0, needed - 1), margin, 0.05)


@pytest.mark.parametrize(("table", "interval"), [((1, 7, 21), (-0.517, -0.026)), ((9, 3, 32), (-0.027, 0.390))])
def test_score_gives_the_published_asymptotic_intervals(
    table: tuple[int, int, int], interval: tuple[float, float]
) -> None:
    b, c, n = table
    ends = [
        brentq(lambda margin: float(score(np.array([b]), np.array([c]), n, margin)[0]) - z, -0.999, 0.999)  # noqa: B023
        for z in (1.959964, -1.959964)
    ]
    assert [round(end, 3) for end in ends] == list(interval)


@pytest.mark.parametrize("table", [(1, 7, 21), (9, 3, 32), (0, 0, 10), (3, 3, 12)])
def test_bounds_hold_what_is_decided(table: tuple[int, int, int]) -> None:
    pairs = Pairs(*table)
    low, high = lower_bound(pairs, 0.05), upper_bound(pairs, 0.05)
    assert low <= (pairs.b - pairs.c) / pairs.n <= high
    assert high == 1 or p_above(pairs.swapped, -high) <= 0.05
    assert low == -1 or p_above(pairs, low) <= 0.05
    assert not is_below(pairs, high - 0.01, 0.05)


@pytest.mark.parametrize(
    ("table", "margin", "expected"),
    [
        ((0, 0, 0), 0.5, 1.0),
        ((3, 1, 9), -1.0, 1.0),
        ((0, 0, 1), 0.97, 0.03),
        ((0, 1, 1), 0.5, 0.25),
        ((4, 0, 4), 1.0, 1.0),
    ],
)
def test_edges(table: tuple[int, int, int], margin: float, expected: float) -> None:
    assert p_below(Pairs(*table), margin) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("table", [(-1, 0, 5), (0, -1, 5), (3, 3, 5)])
def test_refuses_tables_that_cannot_be(table: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="expected b \\+ c at most n"):
        Pairs(*table)


@st.composite
def tables(draw: st.DrawFn) -> Pairs:
    n = draw(st.integers(1, 14))
    b = draw(st.integers(0, n))
    return Pairs(b, draw(st.integers(0, n - b)), n)


MARGINS = st.sampled_from([-0.3, -0.05, 0.0, 0.02, 0.05, 0.1, 0.25, 0.5])


def enumerated(pairs: Pairs, margin: float) -> float:
    """The same p-value by looking at every table, on a grid of the nuisance parameter: never above the supremum."""
    n = pairs.n
    all_tables = [(b, c) for b in range(n + 1) for c in range(n + 1 - b)]
    b, c = np.array(all_tables).T
    observed = score(np.array([pairs.b]), np.array([pairs.c]), n, margin)[0]
    region = [table for table, s in zip(all_tables, score(b, c, n, margin), strict=True) if s <= observed + 1e-9]
    first, last = max(0.0, -margin), (1 - margin) / 2
    return max(
        sum(multinomial.pmf([b, c, n - b - c], n, [q + margin, q, max(0.0, 1 - 2 * q - margin)]) for b, c in region)
        for q in np.linspace(first, last, 40)
    )


@settings(max_examples=20, deadline=None)
@given(tables(), MARGINS)
def test_p_value_is_never_below_an_enumeration(pairs: Pairs, margin: float) -> None:
    by_hand = enumerated(pairs, margin)
    assert p_below(pairs, margin) >= by_hand - 1e-9
    assert p_above(pairs.swapped, -margin) >= by_hand - 1e-9
    assert p_above(pairs.swapped, -margin) <= by_hand + 0.02  # the grid is coarse, the bound is not


@settings(max_examples=40, deadline=None)
@given(tables(), MARGINS, MARGINS)
def test_a_looser_margin_never_hurts(pairs: Pairs, one: float, other: float) -> None:
    tight, loose = sorted((one, other))
    assert not is_below(pairs, tight, 0.1) or is_below(pairs, loose, 0.1)


@settings(max_examples=40, deadline=None)
@given(tables(), MARGINS)
def test_a_pair_gone_bad_never_helps(pairs: Pairs, margin: float) -> None:
    if pairs.b + pairs.c < pairs.n:
        worse = Pairs(pairs.b + 1, pairs.c, pairs.n)
        assert is_below(pairs, margin, 0.1) or not is_below(worse, margin, 0.1)
        assert is_above(worse, margin, 0.1) or not is_above(pairs, margin, 0.1)


@settings(max_examples=60, deadline=None)
@given(tables(), st.floats(0.001, 0.2), MARGINS)
def test_decisions_agree_with_the_p_value(pairs: Pairs, alpha: float, margin: float) -> None:
    p = p_above(pairs, margin)
    if not math.isclose(p, alpha, abs_tol=1e-5):
        assert is_above(pairs, margin, alpha) == (p <= alpha)


@pytest.mark.parametrize(("margin", "n"), [(0.05, 30), (0.2, 13), (-0.1, 12)])
def test_the_boundary_is_that_of_the_test(margin: float, n: int) -> None:
    most, alone = boundary(n, margin, 0.1), boundary(n, margin, 0.1, range(0))
    for c, b in enumerate(most):
        assert b <= alone[c]
        assert b < 0 or is_below(Pairs(int(b), c, n), margin, 0.1)
        assert b + 1 + c > n or not is_below(Pairs(int(b) + 1, c, n), margin, 0.1)
        assert alone[c] < 0 or is_above(Pairs(c, int(alone[c]), n), -margin, 0.1)
        assert alone[c] + 1 + c > n or not is_above(Pairs(c, int(alone[c]) + 1, n), -margin, 0.1)
