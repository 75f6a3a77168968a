"""Whom the flips favour, by base, with the reference values of the specification."""

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swap_notation import GENDER_REGION, grid

from fairgate.stats.discordance import mcnemar, mcnemar_mid_p
from fairgate.stats.holm import adjusted
from fairgate.swap.direction import Lean, direction_tests, leans

THREE = {"region": ("north", "middle", "south")}


@pytest.mark.parametrize(
    ("one", "other", "p", "mid_p"),
    [(1, 7, 0.0703125, 0.0390625), (12, 2, 0.0129, 0.0074), (26, 5, 0.00019, 0.00011), (0, 0, 1, 1), (4, 4, 1, 1)],
)
def test_reference_values(one: int, other: int, p: float, mid_p: float) -> None:
    assert mcnemar(one, other) == mcnemar(other, one) == pytest.approx(p, abs=5e-5)
    assert mcnemar_mid_p(one, other) == mcnemar_mid_p(other, one) == pytest.approx(mid_p, abs=5e-5)


@given(st.integers(0, 40), st.integers(0, 40))
def test_the_mid_p_value_counts_half_of_what_is_as_likely_as_what_was_seen(one: int, other: int) -> None:
    pairs = one + other
    weights = [comb(pairs, events) for events in range(pairs + 1)]
    beyond = sum(weight for weight in weights if weight < weights[one])
    as_likely = sum(weight for weight in weights if weight == weights[one])
    assert mcnemar_mid_p(one, other) == pytest.approx((beyond + as_likely / 2) / 2**pairs if one != other else 1)


@pytest.mark.parametrize(
    ("values", "corrected"),
    [([], []), ([0.01], [0.01]), ([0.04, 0.01, 0.03], [0.06, 0.03, 0.06]), ([0.9, 0.8], [1, 1])],
)
def test_holm(values: list[float], corrected: list[float]) -> None:
    assert adjusted(values) == pytest.approx(corrected)


def test_a_base_counts_once_for_the_level_that_most_of_its_pairs_favour() -> None:
    # male over female in the north and the south; in the north alone; once each way
    drawn = grid("++-- +--- +--+ ++++", GENDER_REGION)
    assert list(leans(drawn)) == [
        Lean("gender", ("male", "female"), 2, 0, 1),
        Lean("region", ("north", "south"), 1, 0, 1),
    ]


def test_several_people_of_a_cell_are_one_base() -> None:
    assert list(leans(grid("++-- +-+- +-++", per_cell=2))) == [Lean("gender", ("male", "female"), 1, 1, 1)]


def test_what_is_missing_has_no_direction() -> None:
    assert list(leans(grid("+? ?-"))) == [Lean("gender", ("male", "female"), 0, 0, 0)]
    assert list(leans(grid("+?-- +??-", GENDER_REGION))) == [
        Lean("gender", ("male", "female"), 1, 0, 0),
        Lean("region", ("north", "south"), 0, 0, 0),
    ]


def test_the_favoured_level_stands_first_and_several_tests_are_corrected() -> None:
    first, second, third = direction_tests(grid("--+*7 +--", THREE))
    assert (first.favoured, first.over, first.bases, first.reverse) == ("north", "middle", 1, 0)
    assert (second.favoured, second.over, second.bases, second.reverse) == ("south", "north", 7, 1)
    assert (third.favoured, third.over, third.bases) == ("south", "middle", 7)
    assert (second.p, second.mid_p) == (0.0703125, 0.0390625)
    assert [one.p_corrected for one in (first, second, third)] == pytest.approx([1, 0.140625, 3 / 64])


def test_no_flip_no_test() -> None:
    assert direction_tests(grid("++ -- +?")) == []
