"""Gaps between levels of an axis: paired, at the worst corner of what is missing, decided as specified."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from swap_notation import GENDER, GENDER_REGION, grid

from fairgate.config.model import SwapRule
from fairgate.results import RuleResult
from fairgate.swap.gaps import differences
from fairgate.swap.grid import Base, Grid
from fairgate.swap.rules import judge_rule, size_problem
from fairgate.verdict import Verdict


def rule(limit: float = 0.05, attribute: str | list[str] = "gender") -> SwapRule:
    return SwapRule.model_validate({"id": "gap", "rate": "selection", "attribute": attribute, "max_group_gap": limit})


def judged(drawing: str, limit: float = 0.05) -> RuleResult:
    return judge_rule(rule(limit), grid(drawing), 0.95, [])


@pytest.mark.parametrize(
    ("drawing", "verdict", "reasons"),
    [
        ("+-*5 -+*4 ++*221", "PASS", ["within_limit"]),  # p = .004043 and .001070
        ("+-*5 -+*4 ++*218 ??*3", "PASS", ["within_limit"]),  # .032127 and .011581
        ("+-*13 -+*18 --*169", "INSUFFICIENT_EVIDENCE", ["interval_straddles_limit"]),  # one way .005309, other .215805
        ("++*59", "PASS", ["within_limit"]),
        ("++*58", "INSUFFICIENT_EVIDENCE", ["too_few_cases_to_pass"]),
        ("+-*31 -+*5 ++*164", "FAIL", ["beyond_limit"]),  # .006053
        ("+-*26 -+*5 ++*169", "FAIL", ["beyond_limit"]),  # .023799, at most .025
        ("+-*22 -+*5 ++*173", "INSUFFICIENT_EVIDENCE", ["interval_straddles_limit"]),  # .080668
        ("+-*26 -+*5 ++*168 +?", "FAIL", ["beyond_limit"]),
        ("??*60", "INSUFFICIENT_EVIDENCE", ["no_evidence", "missing_outcomes"]),
    ],
)
def test_one_pair_per_base_is_judged_by_the_exact_paired_test(drawing: str, verdict: str, reasons: list[str]) -> None:
    result = judged(drawing)
    assert (result.verdict, result.reasons) == (verdict, reasons)
    assert (result.metric, result.method, result.rate) == ("max_group_gap", "exact_paired", "selection")


@pytest.mark.parametrize(
    ("signs", "most", "least"),
    [
        ("+-", 1, 1), ("-+", -1, -1), ("++", 0, 0), ("+?", 1, 0),
        ("?+", 0, -1), ("-?", 0, -1), ("?-", 1, 0), ("??", 1, -1),
    ],
)  # fmt: skip
def test_a_missing_outcome_leaves_the_difference_an_interval(signs: str, most: int, least: int) -> None:
    difference = differences(grid(signs), ["gender"])[0]
    assert dict(difference.ends) == {(least, most): 1}
    assert difference.exact


def test_several_pairs_per_base_are_judged_by_the_mixture_bound() -> None:
    """D is a half where one of two regions flips: bounds as in the specification, in units of D."""
    drawn = grid("+-++*20 -+++*10 ++++*170", GENDER_REGION)
    by_hand = grid("+++-*20 +-++*10 ++++*170", GENDER_REGION)
    (first, _) = differences(by_hand, ["gender"])
    assert not first.exact
    found = differences(grid("++-+*20 -+++*10 ++++*170", GENDER_REGION), ["gender"])[0]
    assert found.lower(0.05) == pytest.approx(-0.012476, abs=1e-6)
    assert found.upper(0.05) == pytest.approx(0.063692, abs=1e-6)
    assert judge_rule(rule(0.1), drawn, 0.95, []).method == "mixture_bound"


def test_a_crossing_is_judged_pair_by_pair() -> None:
    drawn = grid("+++-*60 ++++*140", GENDER_REGION)
    result = judge_rule(rule(0.1, ["gender", "region"]), drawn, 0.95, [])
    assert (result.verdict, result.method) == (Verdict.FAIL, "exact_paired")
    assert result.gap is not None
    assert {"gender": "female", "region": "south"} in result.gap.between
    assert result.estimate == pytest.approx(0.3)
    assert result.interval[0] > 0.1


def test_the_sentence_says_who_got_what_on_how_many() -> None:
    assert judged("+-*31 -+*5 ++*164").message == (
        "male got the positive outcome in 195 of 200 outcomes (97.5 %), female in 169 of 200 (84.5 %). "
        "With 95 % confidence they differ by at least 7.4 points, beyond the limit of 5 points."
    )


@pytest.mark.parametrize("drawing", ["+-*18 -+*2 ++*20", "+-*25 -+*5 ++*170", "+-*26 -+*5 ++*169", "+-*5 -+*4 ++*221"])
@pytest.mark.parametrize("limit", [0.05, 0.19, 0.2])
def test_the_interval_that_is_shown_agrees_with_the_verdict(drawing: str, limit: float) -> None:
    result = judged(drawing, limit)
    lower, upper = result.interval
    expected = {"PASS": upper <= limit, "FAIL": lower >= limit, "INSUFFICIENT_EVIDENCE": lower <= limit <= upper}
    assert expected[result.verdict]


@pytest.mark.parametrize(("drawing", "limit"), [("+-*25 -+*5 ++*170", 0.05), ("+-*18 -+*2 ++*20", 0.19)])
def test_where_nothing_is_missing_more_cases_are_what_would_settle_it(drawing: str, limit: float) -> None:
    message = judged(drawing, limit).message
    assert "missing" not in message
    assert "more cases would settle it" in message


def test_what_would_settle_it() -> None:
    assert "about" in judged("+-*13 -+*18 --*169").message
    assert "answered it can be settled" in judged("++*58 ??*2").message
    assert "59 are needed" in judged("++*58").message
    assert "no number of cases can prove" in judged("++*58", limit=0).message


@pytest.mark.parametrize(
    ("limit", "bases", "variants", "needed"),
    [(0.05, 58, 1, "59"), (0.02, 50, 1, "149"), (0.05, 50, 2, "87"), (0, 5, 1, "no")],
)
def test_sizes_that_can_never_pass(limit: float, bases: int, variants: int, needed: str) -> None:
    problem = size_problem(rule(limit), bases, variants, 0.05)
    assert problem is not None
    assert needed in problem
    assert size_problem(rule(0.05), 200, variants, 0.05) is None


DECIDED = {Verdict.PASS, Verdict.FAIL}


@settings(deadline=None, max_examples=7)
@given(
    st.lists(st.sampled_from(["++", "--", "+-", "-+"]), min_size=1, max_size=4),
    st.lists(st.integers(1, 40), min_size=4, max_size=4),
    st.sampled_from([0.05, 0.1, 0.3]),
    st.randoms(use_true_random=False),
)
def test_hiding_an_outcome_never_improves_and_a_looser_limit_never_hurts(
    words: list[str], times: list[int], limit: float, random: st.random_module
) -> None:
    drawn = grid(" ".join(f"{word}*{number}" for word, number in zip(words, times, strict=False)), GENDER)
    share = random.choice([0.02, 0.3])  # type: ignore[attr-defined]
    hidden = Grid(drawn.axes, tuple(_hidden(base, share, random) for base in drawn.bases))
    known, less = (judge_rule(rule(limit), one, 0.95, []).verdict for one in (drawn, hidden))
    assert less is known or less not in DECIDED
    if known is Verdict.PASS:
        assert judge_rule(rule(limit + 0.03), drawn, 0.95, []).verdict is Verdict.PASS


def _hidden(base: Base, share: float, random: st.random_module) -> Base:
    return Base(
        base.id,
        tuple(
            tuple(replace(one, outcome=None) if random.random() < share else one for one in cell)  # type: ignore[attr-defined]
            for cell in base.cells
        ),
    )


def test_the_estimate_is_over_the_cases_in_which_both_were_observed() -> None:
    result = judged("++*30 +-*6 -+*2 -?*12", 0.3)
    assert result.gap is not None
    assert result.estimate == result.gap.estimate == pytest.approx(4 / 38)  # 36 of 50 beside 32 of 38 otherwise
    assert "12 outcomes are missing; in the 38 cases where none is, male got the positive outcome more often, by" in (
        result.message
    )


def test_nothing_differs_where_nothing_does() -> None:
    assert "; nothing differs in what was observed. 3 outcomes are missing" in judged("--*57 -?*3").message


def test_with_several_pairs_the_number_of_cases_comes_from_the_bound_that_decides() -> None:
    def at(times: int) -> RuleResult:
        drawing = f"+++-*{5 * times} -+++*{5 * times} ++++*{90 * times}"
        return judge_rule(rule(), grid(drawing, GENDER_REGION), 0.95, [])

    told = re.search(r"about ([\d,]+) more", at(1).message)
    assert told is not None
    more = int(told[1].replace(",", ""))
    assert more > 50  # by the standard error alone it would be 10, of which 8 in 10 runs stay open
    assert at(1 + more // 100 + 1).verdict is Verdict.PASS


def test_the_group_that_was_ahead_stands_first_in_the_report() -> None:
    result = judged("++*60 -+*4 ?+*1 +?*9")
    assert result.gap is not None
    assert result.gap.between == ({"gender": "female"}, {"gender": "male"})
