"""Selection rates: the base is the unit, missing outcomes stand at their worst."""

import pytest
from swap_notation import GENDER_REGION, grid

from fairgate.stats import binomial, bounded_mean
from fairgate.swap.selection import samples, selection

TAIL = 0.05


def test_one_variant_per_base_is_a_proportion() -> None:
    male, female = samples(grid("++*6 +-*3 ?-"), ["gender"])
    assert (male.method, male.positive, male.missing, male.estimate) == ("clopper_pearson", 9, 1, 1.0)
    assert male.lower(TAIL) == binomial.lower_bound(9, 10, TAIL)
    assert male.upper(TAIL) == binomial.upper_bound(10, 10, TAIL)
    assert (female.positive, female.missing) == (6, 0)


def test_several_variants_per_base_take_the_mixture_bound_over_base_means() -> None:
    male, _ = samples(grid("++--*5 +---*4 ?+--", GENDER_REGION), ["gender"])
    assert (male.variants, male.bases, male.method) == (2, 10, "mixture_bound")
    assert male.lower(TAIL) == bounded_mean.lower_bound({1.0: 5, 0.5: 5}, TAIL)
    assert male.upper(TAIL) == bounded_mean.upper_bound({1.0: 6, 0.5: 4}, TAIL)


def test_several_decisions_in_a_cell_are_several_variants() -> None:
    male, _ = samples(grid("++-- +---", per_cell=2), ["gender"])
    assert (male.variants, male.positive) == (2, 3)


def test_axes_crossings_of_rules_and_the_full_crossing_are_shown() -> None:
    shown = selection(grid("+-+- ?+++", GENDER_REGION), [["gender"]], TAIL)
    assert [one.attribute for one in shown] == [["gender"], ["region"], ["gender", "region"]]
    first = shown[2].groups[0]
    assert first.group == {"gender": "male", "region": "north"}
    assert (first.eligible, first.observed, first.missing, first.events, first.bases) == (2, 1, 1, 1, 2)


def test_a_full_crossing_of_more_than_sixteen_cells_is_not_shown_unasked() -> None:
    axes = {"gender": tuple("abcde"), "region": tuple("1234")}
    drawn = grid("+" * 20, axes)
    assert [one.attribute for one in selection(drawn, [], TAIL)] == [["gender"], ["region"]]
    assert len(selection(drawn, [["region", "gender"]], TAIL)) == 3


@pytest.mark.parametrize("missing", ["?+", "??"])
def test_a_missing_outcome_widens_both_ends(missing: str) -> None:
    full, hidden = (samples(grid(f"++*8 --*2 {word}"), ["gender"])[0] for word in ("++", missing))
    assert hidden.lower(TAIL) < full.lower(TAIL)
    assert hidden.upper(TAIL) >= full.upper(TAIL)
