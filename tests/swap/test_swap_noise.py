"""Flips beyond noise: the reference values, unbiasedness by enumeration, bounds over completions, one axis alone."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta
from swap_notation import GENDER, GENDER_REGION, noisy

from fairgate.swap.grid import Control, Grid
from fairgate.swap.noise import Excess, Scale, blocks, disagreeing, least_apart, measure, most_apart, never_different

ALPHA = 0.05
THREE = {"age": ("young", "middle", "old")}
REFERENCE = Excess(Scale(1, 4, 1), {(0, 0): 180, (3, 3): 12, (4, 4): 4, (-6, -6): 4})


# --- reference values of the specification ---------------------------------------------------------------------------


def test_the_mixture_bound_over_two_hundred_cases() -> None:
    assert REFERENCE.estimate == pytest.approx(0.023333, abs=1e-6)
    assert REFERENCE.lower(ALPHA) == pytest.approx(-0.024701, abs=1e-6)
    assert REFERENCE.upper(ALPHA) == pytest.approx(0.065391, abs=1e-6)


@pytest.mark.parametrize(("limit", "needed"), [(0.02, 147), (0.05, 57)])
def test_cases_to_pass_when_no_answer_ever_differs(limit: float, needed: int) -> None:
    scale = Scale(1, 4, 1)
    assert not never_different(scale, needed - 1).is_within(limit, ALPHA)
    assert never_different(scale, needed).is_within(limit, ALPHA)


@pytest.mark.parametrize(("variants", "flips"), [(4, 0.344), (2, 0.180)])
def test_flips_grow_with_the_variants_by_noise_alone_and_the_excess_does_not(variants: int, flips: float) -> None:
    p = 0.9
    assert 1 - p**variants - (1 - p) ** variants == pytest.approx(flips, abs=5e-4)
    assert expected_excess([(p, 1 - p)] * variants, 1) == pytest.approx(0, abs=1e-12)


def test_one_pair_against_one_pair_is_the_exact_paired_test() -> None:
    excess = Excess(Scale(1, 2, 1), {(1, 1): 31, (-1, -1): 5, (0, 0): 164})
    assert excess.scale.exact
    assert excess.is_beyond(0.05, ALPHA)
    assert not Excess(Scale(1, 2, 1), {(1, 1): 22, (-1, -1): 5, (0, 0): 173}).is_beyond(0.05, ALPHA)
    assert never_different(Scale(1, 2, 1), 59).is_within(0.05, ALPHA)
    assert not never_different(Scale(1, 2, 1), 58).is_within(0.05, ALPHA)


@pytest.mark.parametrize(
    ("scale", "most_different", "most_identical"),
    [
        (Scale(1, 2, 1), 1, 1),
        (Scale(1, 4, 1), 2 / 3, 1),
        (Scale(1, 4, 2), 2 / 3, 2 / 3),
        (Scale(2, 2, 1), 1, 1),
        (Scale(2, 3, 3), 2 / 3, 2 / 3),
        (Scale(1, 4, 2, kinds=3), 5 / 6, 1),
        (Scale(1, 3, 3, kinds=3), 1, 5 / 6),
    ],
)
def test_the_most_that_pairs_can_disagree(scale: Scale, most_different: float, most_identical: float) -> None:
    assert scale.most_different / scale.different == pytest.approx(most_different)
    assert scale.most_identical / scale.identical == pytest.approx(most_identical)
    if scale.kinds == 2:
        assert scale.most_different == scale.blocks * (scale.size**2 // 4)
        assert scale.most_identical == (scale.repeats + 1) ** 2 // 4


# --- unbiased, by enumeration ----------------------------------------------------------------------------------------


def expected_excess(variants: Sequence[Sequence[float]], repeats: int) -> float:
    """E D of one base, by going through every outcome and every draw of the controlled variant.

    :param variants: for each variant the probabilities of the kinds
    """
    kinds = len(variants[0])
    signs = "+-r"[:kinds]
    axes = {"who": tuple(map(str, range(len(variants))))}
    total = 0.0
    for cell in range(len(variants)):
        calls = [*variants, *[variants[cell]] * repeats]
        for outcome in product(range(kinds), repeat=len(calls)):
            chance = prod(p[kind] for p, kind in zip(calls, outcome, strict=True))
            if chance:
                drawn = "".join(signs[kind] for kind in outcome)
                base = f"{drawn[: len(variants)]}/{cell}{drawn[len(variants) :]}"
                grid, control = noisy(base, axes, kinds=kinds)
                estimate = measure(grid, control).excess.estimate
                assert estimate is not None
                total += chance * estimate / len(variants)
    return total


@pytest.mark.parametrize("repeats", [1, 2])
@pytest.mark.parametrize(
    "variants",
    [
        [(0.9, 0.1), (0.3, 0.7)],
        [(0.9, 0.1), (0.3, 0.7), (0.5, 0.5)],
        [(1, 0), (0, 1), (1, 0), (1, 0)],
        [(0.2, 0.3, 0.5), (0.6, 0.3, 0.1)],
        [(0.2, 0.3, 0.5), (0.2, 0.3, 0.5), (0.7, 0.0, 0.3)],
    ],
)
def test_the_excess_is_half_the_mean_squared_distance_of_the_probabilities(
    variants: list[tuple[float, ...]], repeats: int
) -> None:
    distances = [
        sum((one - other) ** 2 for one, other in zip(first, second, strict=True)) / 2
        for first, second in combinations(variants, 2)
    ]
    assert expected_excess(variants, repeats) == pytest.approx(sum(distances) / len(distances), abs=1e-12)


# --- one axis alone --------------------------------------------------------------------------------------------------


def test_along_one_axis_only_pairs_that_differ_in_it_alone_are_compared() -> None:
    grid = Grid(GENDER_REGION, ())
    assert blocks(grid) == [frozenset({0, 1, 2, 3})]
    assert blocks(grid, "gender") == [frozenset({0, 2}), frozenset({1, 3})]
    assert blocks(grid, "region") == [frozenset({0, 1}), frozenset({2, 3})]


@pytest.mark.parametrize(
    ("base", "everything", "gender", "region"),
    [
        ("++--/0+", 4 / 6, 1, 0),  # the men only: all of it is gender
        ("+-+-/0+", 4 / 6, 0, 1),
        ("+---/0+", 3 / 6, 1 / 2, 1 / 2),
        ("+---/0-", 3 / 6 - 1, -1 / 2, -1 / 2),
        ("+--+/3+", 4 / 6, 1, 1),
    ],
)
def test_the_excess_of_an_axis(base: str, everything: float, gender: float, region: float) -> None:
    grid, control = noisy(base, GENDER_REGION)
    for axis, expected in ((None, everything), ("gender", gender), ("region", region)):
        assert measure(grid, control, axis).excess.estimate == pytest.approx(expected)


def test_a_design_that_is_no_full_product_keeps_the_bases_whose_control_is_on_the_axis() -> None:
    drawn, control = noisy("+-+/0+ +-+/1- +-+/2+ +++/2-", THREE)
    one_at_a_time = OneAtATime(GENDER_REGION, drawn.bases)
    assert blocks(one_at_a_time, "gender") == [frozenset({0, 2})]
    assert blocks(one_at_a_time, "region") == [frozenset({0, 1})]
    assert measure(one_at_a_time, control).excess.bases == 4
    gender = measure(one_at_a_time, control, "gender").excess
    assert gender.ends == {(0, 0): 2, (-1, -1): 1}
    assert measure(one_at_a_time, control, "region").excess.ends == {(1, 1): 2}


class OneAtATime(Grid):
    """The reference, and each other level alone."""

    @property
    def cells(self) -> tuple[Mapping[str, str], ...]:  # type: ignore[override]
        pairs = (("male", "north"), ("male", "south"), ("female", "north"))
        return tuple({"gender": gender, "region": region} for gender, region in pairs)


# --- what is missing -------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 4), min_size=2, max_size=3), st.integers(0, 4))
def test_missing_answers_make_as_few_and_as_many_pairs_disagree_as_they_can(counts: list[int], missing: int) -> None:
    completions = [
        disagreeing(n + more.count(kind) for kind, n in enumerate(counts))
        for more in product(range(len(counts)), repeat=missing)
    ]
    assert (least_apart(counts, missing), most_apart(counts, missing)) == (min(completions), max(completions))


@settings(deadline=None, max_examples=60)
@given(st.data(), st.sampled_from([2, 3]), st.sampled_from([None, "gender", "region"]), st.integers(1, 2))
def test_the_ends_are_those_of_every_completion(
    data: st.DataObject, kinds: int, axis: str | None, repeats: int
) -> None:
    signs = "+-r"[:kinds]
    drawn = data.draw(st.text(signs + "?", min_size=4 + repeats, max_size=4 + repeats))
    cell = data.draw(st.integers(0, 3))

    def ends(answers: str) -> tuple[int, int]:
        grid, control = noisy(f"{answers[:4]}/{cell}{answers[4:]}", GENDER_REGION, kinds=kinds)
        (found,) = measure(grid, control, axis).excess.ends
        return found

    holes = [place for place, sign in enumerate(drawn) if sign == "?"]
    completed = []
    for filling in product(signs, repeat=len(holes)):
        answers = list(drawn)
        for place, sign in zip(holes, filling, strict=True):
            answers[place] = sign
        least, most = ends("".join(answers))
        assert least == most
        completed.append(least)
    assert ends(drawn) == (min(completed), max(completed))


def test_the_answer_of_the_controlled_variant_is_one_in_both_shares() -> None:
    # Were it + for the pair and - for the repeat, D could be 1: together it is 0 at most.
    grid, control = noisy("?+/0+", GENDER)
    assert measure(grid, control).excess.ends == {(0, 0): 1}
    grid, control = noisy("?+/0-", GENDER)
    assert measure(grid, control).excess.ends == {(-1, 1): 1}


# --- the system's own noise ------------------------------------------------------------------------------------------


def test_noise_counts_pairs_of_identical_calls() -> None:
    grid, control = noisy("++/0+*70 ++/1-*8 ++/0?*2", GENDER)
    found = measure(grid, control)
    assert found.noise.differed == 8
    assert found.noise.estimate == pytest.approx(8 / 78)
    assert found.missing == 2
    # Clopper–Pearson, missing repeats at their worst: 8 of 80 and 10 of 80
    assert found.noise.lower(ALPHA) == pytest.approx(float(beta.ppf(0.05, 8, 73)))
    assert found.noise.upper(ALPHA) == pytest.approx(float(beta.ppf(0.95, 11, 70)))


def test_noise_of_several_repeats_is_a_mean() -> None:
    grid, control = noisy("++/0++*50 ++/0+-*10", GENDER)
    found = measure(grid, control).noise
    assert found.estimate == pytest.approx(10 * (2 / 3) / 60)
    assert 0 < found.lower(ALPHA) < 10 * (2 / 3) / 60 < found.upper(ALPHA) < 2 / 3


def test_missing_repeats_are_counted_in_the_bases_that_count() -> None:
    grid, control = noisy("+?/0? ++/1+", GENDER)
    assert measure(grid, control).missing == 2
    assert Counter(measure(grid, control).excess.ends) == {(-1, 1): 1, (0, 0): 1}


def test_a_control_has_an_entry_for_every_base() -> None:
    grid, control = noisy("++/0+ ++/1+", GENDER)
    with pytest.raises(ValueError, match="zip"):
        measure(grid, Control(control.bases[:1], 1))
