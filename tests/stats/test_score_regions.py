"""Regions of outcomes as staircases, and their probability: against a look at every outcome."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from fairgate.stats.score import Array, Counts, at_most, region, score, staircase
from fairgate.stats.supremum import supremum
from fairgate.stats.table import below_stairs


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(1, 60), st.integers(1, 60), st.floats(-0.9, 0.9), st.integers(1, 7))
def test_a_region_is_every_outcome_as_extreme(
    data: st.DataObject, n1: int, n2: int, margin: float, stride: int
) -> None:
    x1, x2 = data.draw(st.integers(0, n1)), data.draw(st.integers(0, n2))
    seen = float(score(np.array([x1]), n1, np.array([x2]), n2, margin)[0])
    every, rows = np.meshgrid(np.arange(n1 + 1), np.arange(n2 + 1))
    inside = score(every, n1, rows, n2, margin) <= seen + 1e-8 * max(1, abs(seen))
    found = region((x1, x2), (n1, n2), margin, margin)
    assert (found + 1 >= inside.sum(axis=1)).all()
    assert (found + 1 == np.maximum.accumulate(inside.sum(axis=1))).all()
    assert (region((x1, x2), (n1, n2), margin, margin, stride) >= found).all()


@pytest.mark.parametrize("rows", [0, 1, 2, 9, 64, 1000])
@pytest.mark.parametrize("steps", [1, 7, 300])
@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 3.0])
def test_a_staircase_is_found_whatever_its_form(rows: int, steps: int, power: float) -> None:
    limits = np.floor((steps + 2) * np.linspace(0, 1, rows + 1) ** power - 1).clip(-1, steps).astype(np.int64)

    def within(x1: Array, x2: Counts) -> np.ndarray:
        assert ((x1 >= 0) & (x1 <= steps)).all()
        return x1 <= limits[x2]

    assert (staircase(within, steps, rows) == limits).all()


def test_the_probability_of_a_staircase() -> None:
    n1, n2 = 700, 300
    stairs = at_most(-1.3, n1, n2, 0.1)
    p1, p2 = np.array([0.0, 0.1, 0.4, 0.999, 1.0, 0.3]), np.array([0.0, 0.02, 0.3, 0.9, 1.0, 0.8])
    rows = np.arange(n2 + 1)
    plain = [
        float(binom.pmf(rows, n2, second) @ binom.cdf(stairs, n1, first)) for first, second in zip(p1, p2, strict=True)
    ]
    found = below_stairs(stairs, n1, p1, n2, p2)
    assert found == pytest.approx(plain, abs=1e-8)
    assert (found >= np.array(plain) - 1e-11).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 400), st.data(), st.floats(0, 0.6), st.floats(0.01, 0.4), st.floats(0, 0.5))
def test_the_supremum_is_never_below_a_grid(n: int, data: st.DataObject, low: float, width: float, best: float) -> None:
    k = data.draw(st.integers(0, n))

    def probability(a: Array, b: Array) -> Array:
        """P(X = k) is no growing function of p, so its bound on a cell is crude: the larger of two tails."""
        point = binom.pmf(k, n, a)
        return np.where(a == b, point, np.minimum(binom.cdf(k, n, a), binom.sf(k - 1, n, b)))

    grid = float(np.max(binom.pmf(k, n, np.linspace(low, low + width, 4001))))
    found = supremum(probability, n, low, low + width, best=best)
    assert found >= max(best, grid) - 1e-9
    assert found <= max(best, float(np.max(binom.pmf(k, n, np.clip(k / n, low, low + width))))) + 1e-6
