"""``design: one_at_a_time``: the reference and every other level by itself, paired with everything else equal."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from swap_notation import GENDER, GENDER_REGION, grid

from fairgate.baseline.regression import gap_regression
from fairgate.config.model import SwapRule
from fairgate.swap.examples import examples
from fairgate.swap.flips import count_flips, flips, swaps
from fairgate.swap.gaps import differences
from fairgate.swap.grid import Base, Grid, cells_of, counted_in
from fairgate.swap.kept import outcomes
from fairgate.swap.rules import judge_rule
from fairgate.swap.selection import samples, selection
from fairgate.verdict import Verdict

AXES = {"gender": ("male", "female"), "region": ("north", "centre", "south")}


def rule(attribute: str, **limit: object) -> SwapRule:
    return SwapRule.model_validate({"id": "r", "attribute": attribute, "rate": "selection", **limit})


def test_the_reference_comes_first_then_every_other_level_by_itself() -> None:
    cells = [tuple(cell.values()) for cell in grid("++++", AXES, design="one_at_a_time").cells]
    assert cells == [("male", "north"), ("female", "north"), ("male", "centre"), ("male", "south")]


@pytest.mark.parametrize(("group", "counted"), [
    ({"gender": "male"}, [0]),
    ({"gender": "female"}, [1]),
    ({"region": "north"}, [0]),
    ({"region": "centre"}, [2]),
    ({"region": "south"}, [3]),
    ({"gender": "female", "region": "south"}, []),  # nobody is asked about her
])  # fmt: skip
def test_a_level_is_counted_where_nothing_else_differs(group: dict[str, str], counted: list[int]) -> None:
    assert grid("++++", AXES, design="one_at_a_time").inside(group) == counted


def test_levels_that_are_both_no_reference_are_compared_too() -> None:
    drawn = grid("++-+*10 ++++*10", AXES, design="one_at_a_time")
    pairs = Counter((swap.axis, swap.favoured, swap.over) for swap in swaps(drawn))
    regions = product(AXES["region"], repeat=2)
    assert pairs == Counter(
        [("gender", "male", "female"), ("gender", "female", "male")]
        + [("region", one, other) for one, other in regions if one != other]
    )
    found = {(one.first, one.second): one for one in differences(drawn, ["region"])}
    assert dict(found[2, 1].ends) == {(1.0, 1.0): 10, (0.0, 0.0): 10}
    assert all(one.exact for one in found.values())


def test_rates_flips_and_what_is_kept() -> None:
    drawn = grid("++-+*10 ++++*10", AXES, design="one_at_a_time")
    assert count_flips(drawn).flipped == 10
    assert flips(drawn, (), 0.05).favoured == {"male": 0, "female": 0, "north": 10, "centre": 0, "south": 10}
    assert [(one.group, one.estimate) for one in samples(drawn, ["region"])] == [
        ({"region": "north"}, 1), ({"region": "centre"}, 0.5), ({"region": "south"}, 1),
    ]  # fmt: skip
    assert [one.attribute for one in selection(drawn, [], 0.05)] == [["gender"], ["region"]]
    kept = outcomes(drawn)
    assert kept is not None
    assert [cell.group for cell in kept.cells] == list(drawn.cells)
    assert kept.bases[0].outcomes == "++-+"
    assert [example.axes for example in examples(drawn)] == [["region"]] * 5


def test_a_gap_is_judged_by_the_exact_paired_test() -> None:
    """What differs on the other axis does not touch it: the same numbers as a suite with this axis alone."""
    drawn = grid("+-+*31 -++*5 ++-*164", GENDER_REGION, design="one_at_a_time")
    alone = grid("+-*31 -+*5 ++*164", GENDER)
    limit = {"max_group_gap": 0.05}
    found, expected = (judge_rule(rule("gender", **limit), one, 0.95, []) for one in (drawn, alone))
    assert (found.verdict, found.method) == (Verdict.FAIL, "exact_paired")
    assert (found.estimate, found.interval, found.message) == (expected.estimate, expected.interval, expected.message)


def test_a_gap_grows_from_run_to_run_over_the_same_pairs() -> None:
    runs = ["+-+*10 -++*5 ++-*45", "+-+*30 -++*5 ++-*25"], ["+-*10 -+*5 ++*45", "+-*30 -+*5 ++*25"]
    found = []
    for drawings, axes in zip(runs, (GENDER_REGION, GENDER), strict=True):
        before, now = (outcomes(grid(drawing, axes, design="one_at_a_time")) for drawing in drawings)
        assert before is not None
        assert now is not None
        pairs = list(zip(before.bases, now.bases, strict=True))
        found.append(gap_regression(pairs, before, now, ["gender"], 0.1, 0.05))
    assert found[0] == found[1]
    assert found[0].estimate == pytest.approx(20 / 60)


@pytest.mark.parametrize("axes", [GENDER, GENDER_REGION, {**AXES, "age": ("young", "old")}])
def test_in_a_full_product_every_cell_of_a_group_is_counted(axes: dict[str, tuple[str, ...]]) -> None:
    cells = cells_of(axes, "full")
    for size in range(1, len(axes) + 1):
        for attribute in combinations(axes, size):
            for levels in product(*(axes[axis] for axis in attribute)):
                group = dict(zip(attribute, levels, strict=True))
                assert counted_in(cells, group) == [n for n, cell in enumerate(cells) if group.items() <= cell.items()]


def test_with_one_axis_both_designs_are_the_same() -> None:
    assert cells_of(GENDER, "one_at_a_time") == cells_of(GENDER, "full")


DECIDED = {Verdict.PASS, Verdict.FAIL}
WORDS = ["++++", "----", "+-++", "-+++", "++-+", "+++-", "-++-"]
RULES = [
    SwapRule.model_validate({"id": "flips", "max_flip_rate": 0.1}),
    *(rule(axis, max_group_gap=0.1) for axis in AXES),
    rule("region", worst_group={"min": 0.5}),
]


@settings(deadline=None, max_examples=6)
@given(
    st.lists(st.tuples(st.sampled_from(WORDS), st.integers(1, 60)), min_size=1, max_size=4),
    st.sampled_from([0.02, 0.3]),
    st.randoms(use_true_random=False),
)
def test_hiding_an_outcome_never_improves(words: list[tuple[str, int]], share: float, random: st.random_module) -> None:
    drawn = grid(" ".join(f"{word}*{times}" for word, times in words), AXES, design="one_at_a_time")
    hidden = Grid(drawn.axes, tuple(_hidden(base, share, random) for base in drawn.bases), drawn.design)
    for one in RULES:
        known, less = (judge_rule(one, seen, 0.95, []).verdict for seen in (drawn, hidden))
        assert less is known or less not in DECIDED


def _hidden(base: Base, share: float, random: st.random_module) -> Base:
    return replace(
        base,
        cells=tuple(
            tuple(replace(one, outcome=None) if random.random() < share else one for one in cell)  # type: ignore[attr-defined]
            for cell in base.cells
        ),
    )
