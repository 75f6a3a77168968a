"""The mixture bound against the reference values of the specification, and its properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairgate.stats.bounded_mean import is_above, is_within, lower_bound, upper_bound

TAIL = 0.05


def in_differences(values: dict[float, int]) -> tuple[float, float]:
    """Bounds of the mean of differences D in [-1, 1], by x = (D + 1) / 2."""
    x = {(value + 1) / 2: count for value, count in values.items()}
    return 2 * lower_bound(x, TAIL) - 1, 2 * upper_bound(x, TAIL) - 1


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({0: 100}, (-0.043567, 0.043567)),
        ({0: 186, 1: 10, -1: 4}, (-0.023072, 0.090658)),
        ({0: 170, 0.5: 20, -0.5: 10}, (-0.012476, 0.063692)),
    ],
)
def test_references_in_difference_units(values: dict[float, int], expected: tuple[float, float]) -> None:
    assert in_differences(values) == pytest.approx(expected, abs=1e-6)


def test_reference_of_a_mean_score() -> None:
    scores = {1: 40, 0.8: 5, 0.5: 5}
    assert (lower_bound(scores, TAIL), upper_bound(scores, TAIL)) == pytest.approx((0.838084, 0.978510), abs=1e-6)


def test_reference_of_unscored_values_that_are_not_dropped() -> None:
    assert lower_bound({0.92: 90, 0.3: 10}, TAIL) == pytest.approx(0.7962, abs=1e-4)
    assert lower_bound({0.92: 90}, TAIL) == pytest.approx(0.8756, abs=1e-4)


def test_reference_of_excess_flips_beyond_noise() -> None:
    scale = {d: (d + 1) / (2 / 3 + 1) for d in (0, 0.5, 2 / 3, -1)}
    x = {scale[0]: 180, scale[0.5]: 12, scale[2 / 3]: 4, scale[-1]: 4}
    bounds = [bound * (2 / 3 + 1) - 1 for bound in (lower_bound(x, TAIL), upper_bound(x, TAIL))]
    assert bounds == pytest.approx([-0.024701, 0.065391], abs=1e-6)


@pytest.mark.parametrize("values", [{}, {0.5: 0}])
def test_nothing_observed_says_nothing(values: dict[float, int]) -> None:
    assert (lower_bound(values, TAIL), upper_bound(values, TAIL)) == (0.0, 1.0)


def test_all_alike() -> None:
    assert (lower_bound({0: 50}, TAIL), upper_bound({1: 50}, TAIL)) == (0.0, 1.0)
    assert 0.9 < lower_bound({1: 100}, TAIL) < 1


def test_ten_thousand_distinct_values_neither_overflow_nor_vanish() -> None:
    values = {i / 9_999: 1 for i in range(10_000)}
    assert 0.48 < lower_bound(values, TAIL) < 0.5 < upper_bound(values, TAIL) < 0.52


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_a_value_outside_the_unit_interval_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="values in"):
        lower_bound({value: 1}, TAIL)


@given(st.lists(st.sampled_from([0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=30), st.data())
def test_grows_with_every_value(values: list[float], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(values) - 1))
    raised = [*values[:index], 1.0, *values[index + 1 :]]
    assert lower_bound(counted(raised), TAIL) >= lower_bound(counted(values), TAIL) - 1e-12
    assert lower_bound(counted(values), TAIL) <= sum(values) / len(values) <= upper_bound(counted(values), TAIL)


def counted(values: list[float]) -> dict[float, int]:
    return {value: values.count(value) for value in values}


@pytest.mark.parametrize("values", [{0.0: 30, 1.0: 3}, {0.5: 10}, {0.0: 40, 0.25: 3, 1.0: 1}, {1.0: 5}])
@pytest.mark.parametrize("limit", [0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.99])
def test_a_limit_is_held_against_the_bounds_without_looking_for_them(values: dict[float, int], limit: float) -> None:
    assert is_above(values, limit, 0.05) == (lower_bound(values, 0.05) > limit)
    assert is_within(values, limit, 0.05) == (upper_bound(values, 0.05) <= limit)


def test_limits_at_and_beyond_the_ends() -> None:
    assert not is_above({0.0: 9}, 0, 0.05)
    assert is_above({0.5: 9}, 0, 0.05)
    assert is_above({0.0: 9}, -0.1, 0.05)
    assert not is_above({1.0: 9}, 1, 0.05)
    assert is_within({1.0: 9}, 1, 0.05)
    assert not is_within({}, 0.5, 0.05)
