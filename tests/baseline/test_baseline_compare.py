"""Pairs, states and changes, as tables."""

from itertools import permutations, product
from typing import Any

import pytest
from baseline_desk import comparison, rag_suite, swap_suite
from hypothesis import given, settings
from hypothesis import strategies as st

from fairgate.baseline.compare import compare_suite, newly_flipped
from fairgate.baseline.rules import judge_rule
from fairgate.baseline.states import Change, State, change, flip_state
from fairgate.comparison import Item
from fairgate.config.swap import Design
from fairgate.swap.grid import cells_of
from fairgate.wording import sentence

G, B, O = State.GOOD, State.BAD, State.OPEN  # noqa: E741


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        (G, G, Change.NOT_WORSE), (G, B, Change.NEW), (G, O, Change.OPEN),
        (B, G, Change.GONE), (B, B, Change.STILL), (B, O, Change.NOT_WORSE),
        (O, G, Change.NOT_WORSE), (O, B, Change.OPEN), (O, O, Change.OPEN),
    ],
)  # fmt: skip
def test_the_table_of_changes(before: State, now: State, expected: Change) -> None:
    assert change(before, now) is expected


@pytest.mark.parametrize(
    ("signs", "state"),
    [
        ("++", G),
        ("--", G),
        ("+-", B),
        ("+-?", B),
        ("+?", O),
        ("??", O),
        ("", O),
        ("+r", B),
        ("-r?", B),
        ("rr", G),
        ("r?", O),
    ],
)
def test_a_base_flips_whatever_is_missing_besides(signs: str, state: State) -> None:
    assert flip_state(signs) is state


def test_every_change_of_a_base_is_named() -> None:
    told = compare_suite(swap_suite("++ +- +- ++ ++ ?+"), swap_suite("+- ++ +- +? -- +-")).told
    assert told.flips is not None
    assert [flip.model_dump() for flip in told.flips.newly_flipped] == [
        {"case": "c1", "positive": [{"gender": "male"}], "negative": [{"gender": "female"}], "refused": []}
    ]
    assert (told.flips.newly_settled, told.flips.still_flipped) == (["c2"], ["c3"])
    assert (told.flips.open, told.flips.unknown) == (["c4", "c6"], ["c4", "c6"])
    assert (told.flips.pairs, told.flips.before, told.flips.now) == (6, 2, 3)


def test_a_refusal_is_a_new_flip_and_named() -> None:
    told = compare_suite(swap_suite("++ -- rr"), swap_suite("+r -- rr")).told
    assert told.flips is not None
    (flip,) = told.flips.newly_flipped
    assert (flip.positive, flip.negative, flip.refused) == ([{"gender": "male"}], [], [{"gender": "female"}])
    assert sentence("compared_case", flip=flip) == "c1: now positive for male; refused for female"


def test_a_new_flip_by_refusal_is_asked_again() -> None:
    told = compare_suite(swap_suite("++ --"), swap_suite("+r -r"), {"c1": "+r", "c2": "--"}).told
    assert told.flips is not None
    assert ([flip.case for flip in told.flips.newly_flipped], told.flips.not_repeated) == (["c1"], ["c2"])


def test_cases_that_are_not_the_same_are_compared_apart() -> None:
    before = swap_suite("++ ++ ++ ++", names=["a", "b", "c", "gone"])
    now = swap_suite(
        "+- +- +- ++", names=["a", "b", "c", "fresh"], text={"b": "other words"}, people={"c": "other people"}
    )
    told = compare_suite(before, now).told
    assert told.flips is not None
    assert [flip.case for flip in told.flips.newly_flipped] == ["a"]
    assert [(case.case, case.what, case.flipped) for case in told.changed] == [
        ("b", "text", True),
        ("c", "people", True),
    ]
    assert (told.added, told.removed) == (["fresh"], ["gone"])


@pytest.mark.parametrize(
    ("now", "people", "verdict"),
    [
        ("++ ++ --", {}, "PASS"),
        ("++ ++ --", {"c3": "others"}, "PASS"),
        ("++ ++ +-", {"c3": "others"}, "INSUFFICIENT_EVIDENCE"),
        ("++ ++ +?", {"c3": "others"}, "INSUFFICIENT_EVIDENCE"),
        ("++ ++ ++ +-", {}, "INSUFFICIENT_EVIDENCE"),
        ("++ +- +-", {"c3": "others"}, "FAIL"),
    ],
)
def test_what_flips_and_has_no_pair_may_flip_newly(now: str, people: dict[str, str], verdict: str) -> None:
    compared = compare_suite(swap_suite("++ ++ ++"), swap_suite(now, people=people))
    result = judge_rule(comparison(no_new_flips=True), compared, 0.95, 0.9)
    assert result.verdict == verdict
    if verdict == "INSUFFICIENT_EVIDENCE":
        assert result.reasons == ["unpaired_flips"]
        assert "1 more case flips, or may, and has nothing to compare with" in result.message


def test_a_base_whose_name_was_lost_cannot_leave_the_comparison() -> None:
    before, now = swap_suite("++ ++", names=["a", "b"]), swap_suite("++ ??", names=["a", "(absent base 1)"])
    told = compare_suite(before, now).told
    assert told.flips is not None
    assert (told.flips.pairs, told.flips.open, told.removed) == (2, ["b"], [])
    back = compare_suite(now, before).told
    assert back.flips is not None
    assert (back.flips.pairs, back.flips.open, back.added) == (2, [], [])


def test_a_new_flip_that_was_asked_again_has_to_flip_again() -> None:
    again = {"c1": "+-", "c2": "++", "c3": "+?"}
    told = compare_suite(swap_suite("++ ++ ++ ++"), swap_suite("+- +- +- ++"), again).told
    assert told.flips is not None
    assert [flip.case for flip in told.flips.newly_flipped] == ["c1"]
    assert (told.flips.not_repeated, told.flips.open, told.flips.asked_again) == (["c2"], ["c3"], 3)


@pytest.mark.parametrize(
    ("before", "now", "reason"),
    [
        (swap_suite("+++", axes={"g": ("a", "b", "c")}), swap_suite("++", axes={"g": ("a", "b")}), "other_axes"),
        (swap_suite("++").model_copy(update={"outcomes": None}), swap_suite("++"), "outcomes_not_kept"),
    ],
)
def test_runs_that_cannot_be_paired_say_why(before: Any, now: Any, reason: str) -> None:
    told = compare_suite(before, now).told
    assert (told.flips, told.reason) == (None, reason)
    assert told.message
    assert told.message.endswith("cannot be compared.")


def test_the_order_of_the_levels_is_of_no_matter() -> None:
    told = compare_suite(
        swap_suite("+-", axes={"g": ("a", "b")}), swap_suite("-+", axes={"g": ("b", "a")})
    ).told  # fmt: skip
    assert told.flips is not None
    assert told.flips.still_flipped == ["c1"]


def test_answers_are_compared_score_by_score() -> None:
    before = rag_suite({"a": 1.0, "b": 0.5, "c": None, "d": 0.9, "e": "no_claims", "gone": 1.0})
    now = rag_suite({"a": 0.5, "b": 0.9, "c": 0.5, "d": "no_claims", "e": "no_claims", "fresh": 1.0})
    told = compare_suite(before, now).told
    assert told.verdicts is not None
    assert told.verdicts.newly_failing == [Item(case="a", metric="faithfulness")]
    assert told.verdicts.newly_passing == [Item(case="b", metric="faithfulness")]
    assert told.verdicts.open == [Item(case="c", metric="faithfulness")]
    assert (told.added, told.removed) == (["fresh"], ["gone"])
    assert [(score.pairs, score.before, score.now) for score in told.scores] == [(2, 0.75, 0.7)]


def test_a_rule_with_another_limit_is_not_compared() -> None:
    told = compare_suite(rag_suite({"a": 0.85}), rag_suite({"a": 0.85}, limit=0.9)).told
    assert told.verdicts is not None
    assert (told.verdicts.compared, told.other_rules) == (0, ["faithful"])


# --- another order ---------------------------------------------------------------------------------------------------

AXES = {"gender": ("male", "female"), "region": ("hue", "vinh", "hanoi")}
ORDERS = [
    {axis: levels[axis] for axis in axes}
    for axes in permutations(AXES)
    for levels in (
        dict(zip(AXES, chosen, strict=True)) for chosen in product(*(permutations(names) for names in AXES.values()))
    )
]


def in_order(word: str, axes: dict[str, tuple[str, ...]], design: Design = "full") -> str:
    """The signs of a base, drawn in the order of ``AXES``, as they stand under another order."""
    drawn = [(frozenset(cell.items()), sign) for cell, sign in zip(cells_of(AXES, design), word, strict=True)]
    signs = dict(drawn)
    return "".join(signs[frozenset(cell.items())] for cell in cells_of(axes, design))


BASES = st.lists(st.text("+-r?", min_size=6, max_size=6), min_size=4, max_size=4)


@settings(deadline=None, max_examples=12)
@given(BASES, BASES, st.sampled_from(ORDERS))
def test_the_order_of_levels_and_axes_changes_nothing(before: list[str], now: list[str], axes: Any) -> None:
    earlier = swap_suite(" ".join(in_order(word, axes) for word in before), axes=axes)
    later = swap_suite(" ".join(now), axes=AXES)
    again = dict.fromkeys(newly_flipped(earlier, later), now[0])
    same = compare_suite(swap_suite(" ".join(before), axes=AXES), later, again)
    turned = compare_suite(earlier, later, again)
    assert turned.told.flips == same.told.flips
    for rule in (
        comparison(no_new_flips=True),
        comparison(max_regression=0.3),
        comparison(max_regression=0.3, rate="selection", attribute=["gender"]),
    ):
        assert judge_rule(rule, turned, 0.95, 0.9) == judge_rule(rule, same, 0.95, 0.9)


def test_whom_a_new_flip_favours_is_told_by_group_in_whatever_order() -> None:
    turned = {"gender": ("female", "male")}
    told = compare_suite(swap_suite("++"), swap_suite("-+", axes=turned)).told
    assert told.flips is not None
    (flip,) = told.flips.newly_flipped
    assert (flip.positive, flip.negative) == ([{"gender": "male"}], [{"gender": "female"}])


@pytest.mark.parametrize(
    "axes", [axes for axes in ORDERS if {n: axes[n][0] for n in AXES} != {"gender": "male", "region": "hue"}]
)
def test_under_one_at_a_time_another_first_level_is_another_suite(axes: Any) -> None:
    before, now = (swap_suite("++++", axes=one, design="one_at_a_time") for one in (AXES, axes))
    compared = compare_suite(before, now)
    assert (compared.told.flips, compared.told.reason) == (None, "other_axes")
    assert "under one_at_a_time another level is the first" in (compared.told.message or "")
    assert judge_rule(comparison(no_new_flips=True), compared, 0.95, 0.9).verdict == "INSUFFICIENT_EVIDENCE"


def test_under_one_at_a_time_the_other_levels_may_stand_in_any_order() -> None:
    axes = {"region": ("hue", "hanoi", "vinh"), "gender": ("male", "female")}
    word = in_order("+-++", axes, "one_at_a_time")
    told = compare_suite(
        swap_suite("++++", axes=AXES, design="one_at_a_time"), swap_suite(word, axes=axes, design="one_at_a_time")
    ).told
    assert told.flips is not None
    assert told.flips.newly_flipped[0].negative == [{"gender": "female", "region": "hue"}]
