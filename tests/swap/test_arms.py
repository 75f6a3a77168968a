"""Two ways of asking side by side: paired, and what is missing at its worst."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairgate.stats.discordance import mcnemar
from fairgate.stats.holm import adjusted
from fairgate.swap.advice import best
from fairgate.swap.arms import arm, beside
from fairgate.swap.suite import Evidence
from tests.swap.swap_notation import GENDER_REGION, grid

TAIL = 0.05
NEAR = 1e-4
"""How near to its end a bound for display is."""


def test_discordant_bases_are_counted_both_ways() -> None:
    found = beside(grid("+-*7 +-*5 ++*20 --*3"), grid("++*7 +-*5 ++*20 -+*3"), TAIL)

    assert (found.pairs, found.fewer, found.more, found.both, found.open) == (35, 7, 3, 5, 0)
    assert found.difference == pytest.approx((3 - 7) / 35)
    assert found.p == mcnemar(7, 3)
    assert found.interval[0] < (3 - 7) / 35 < found.interval[1]


def test_people_who_win_and_lose_a_decision_are_counted_by_base() -> None:
    found = beside(grid("++ +- -- +?"), grid("+- -+ ++ --"), TAIL)
    assert (found.lost, found.gained) == (3, 2)


@pytest.mark.parametrize(
    ("before", "after", "p"),
    [
        ("+-*8", "++*8", mcnemar(8, 0)),
        ("+-*8 ++*2", "++*8 ?+*2", mcnemar(8, 2)),
        ("+-*8 +?*2", "++*8 ++*2", mcnemar(8, 0)),
        ("+-*8 +-*2", "++*8 ?+*2", mcnemar(8, 0)),
        ("+-*8 +?*2", "++*8 +?*2", mcnemar(8, 2)),
        ("+-*2 ++*3", "++*2 ??*3", 1.0),
    ],
)
def test_what_is_missing_stands_at_its_worst(before: str, after: str, p: float) -> None:
    assert beside(grid(before), grid(after), TAIL).p == p


bases = st.lists(st.sampled_from(["++", "+-", "-+", "+?", "??", "-?"]), min_size=1, max_size=2)


def completed(signs: str) -> list[str]:
    return ["".join(one) for one in product(*("+-" if sign == "?" else sign for sign in signs))]


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 12), bases, st.data())
def test_the_p_value_and_the_bounds_hold_under_every_completion(
    plain: int, before: list[str], data: st.DataObject
) -> None:
    after = data.draw(st.lists(st.sampled_from(["++", "+-", "+?", "??"]), min_size=len(before), max_size=len(before)))
    lead = [f"+-*{plain}"] * bool(plain)
    told = beside(grid(" ".join([*lead, *before])), grid(" ".join([f"++*{plain}"] * bool(plain) + after)), 0.2)
    words = [*before, *after]
    for full in product(*(completed(word) for word in words)):
        one, other = full[: len(before)], full[len(before) :]
        found = beside(grid(" ".join([*lead, *one])), grid(" ".join([f"++*{plain}"] * bool(plain) + list(other))), 0.2)
        assert found.p <= told.p
        assert found.open == 0
        assert told.interval[0] - NEAR <= found.interval[0] <= found.interval[1] <= told.interval[1] + NEAR


def test_other_bases_are_not_compared() -> None:
    with pytest.raises(ValueError, match="other bases"):
        beside(grid("++ +-"), grid("++ +-").__class__(grid("++").axes, tuple(reversed(grid("++ +-").bases))), TAIL)


def test_an_arm_tells_flips_and_gaps_by_axis() -> None:
    found = arm("a", "loan", Evidence(grid("++-- +++- ++++*8", GENDER_REGION)), TAIL, mask={"ten": "x"})

    assert (found.flipped, found.complete, found.selected, found.mask) == (2, 10, 37, {"ten": "x"})
    gender, region = found.axes
    assert (gender.flipped, region.flipped) == (2, 1)
    assert (gender.between, gender.gap) == (("male", "female"), pytest.approx(3 / 20))
    assert region.gap == pytest.approx(1 / 20)


def test_an_arm_without_a_gap_names_no_pair_and_one_without_answers_no_rate() -> None:
    even = arm("a", "loan", Evidence(grid("++ --")), TAIL).axes[0]
    assert (even.gap, even.between) == (0.0, None)
    unanswered = arm("a", "loan", Evidence(grid("??*4")), TAIL)
    assert (unanswered.axes[0].gap, unanswered.selection_rate, unanswered.rate) == (None, None, None)
    assert unanswered.interval == (0.0, 1.0)


def test_the_best_is_neither_blind_nor_unanswered_nor_half_answered() -> None:
    drawn = {"blind": "--*20", "silent": "??*20", "half": "++*10 ??*10", "good": "++*14 --*5 +-", "worse": "++*14 +-*6"}
    arms = [arm(name, "loan", Evidence(grid(drawing)), TAIL) for name, drawing in drawn.items()]

    found = best(arms)
    assert found is not None
    assert found.name == "good"
    assert best(arms[:2]) is None


@pytest.mark.parametrize(
    ("values", "found"),
    [([], []), ([0.02], [0.02]), ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]), ([0.5, 0.9], [1.0, 1.0])],
)
def test_holm(values: list[float], found: list[float]) -> None:
    assert adjusted(values) == pytest.approx(found)
