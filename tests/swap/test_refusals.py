"""Refusals: a class of their own, a flip against any decision, and a rule over who is refused more often."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from swap_notation import GENDER, GENDER_REGION, grid

from fairgate.config.model import HarnessSuite, SwapRule
from fairgate.plan.rules import gap_plan
from fairgate.results import RuleResult
from fairgate.swap.examples import examples
from fairgate.swap.flips import flips
from fairgate.swap.grid import Base, Grid, Response
from fairgate.swap.kept import outcomes, signs
from fairgate.swap.rules import judge_rule, size_problem
from fairgate.swap.suite import Evidence, blindness, judge
from fairgate.verdict import Verdict


def rule(limit: float = 0.05, attribute: str | list[str] = "gender", **keys: Any) -> SwapRule:
    return SwapRule.model_validate({"id": "refused", "attribute": attribute, "max_refusal_gap": limit, **keys})


def selected(limit: float = 0.05, attribute: str | list[str] = "gender") -> SwapRule:
    return SwapRule.model_validate({"id": "gap", "rate": "selection", "attribute": attribute, "max_group_gap": limit})


def judged(drawing: str, limit: float = 0.05) -> RuleResult:
    return judge_rule(rule(limit), grid(drawing), 0.95, [])


# --- the rule --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("drawing", "verdict", "reasons"),
    [
        ("r+*5 -r*4 +-*221", "PASS", ["within_limit"]),  # p = .004043 and .001070
        ("r+*5 -r*4 ++*218 ??*3", "PASS", ["within_limit"]),
        ("r-*31 +r*5 rr*164", "FAIL", ["beyond_limit"]),  # .006053
        ("r+*22 +r*5 +-*173", "INSUFFICIENT_EVIDENCE", ["interval_straddles_limit"]),  # .080668
        ("+-*59", "PASS", ["within_limit"]),
        ("+-*58", "INSUFFICIENT_EVIDENCE", ["too_few_cases_to_pass"]),
        ("??*60", "INSUFFICIENT_EVIDENCE", ["no_evidence", "missing_outcomes"]),
    ],
)
def test_refusals_are_judged_by_the_paired_test(drawing: str, verdict: str, reasons: list[str]) -> None:
    result = judged(drawing)
    assert (result.verdict, result.reasons) == (verdict, reasons)
    assert (result.metric, result.method, result.rate) == ("max_refusal_gap", "exact_paired", "refusal")


def test_the_message_says_who_was_refused() -> None:
    message = judged("r-*31 +r*5 rr*164").message
    assert message.startswith("male was refused an answer in 195 of 200 outcomes (97.5 %), female in 169 of 200")


@settings(max_examples=8, deadline=None)
@given(
    st.lists(st.text("+-r?", min_size=4, max_size=4), min_size=1, max_size=12),
    st.sampled_from(["gender", "region", ["gender", "region"]]),
    st.sampled_from([0.05, 0.3, 0.6]),
)
def test_the_gap_in_refusals_is_that_in_selections_of_the_refused(words: list[str], by: Any, limit: float) -> None:
    turned = [word.translate(str.maketrans("+-r", "--+")) for word in words]
    of_refusals = judge_rule(rule(limit, by), grid(" ".join(words), GENDER_REGION), 0.95, [])
    of_selections = judge_rule(selected(limit, by), grid(" ".join(turned), GENDER_REGION), 0.95, [])
    same = ("verdict", "reasons", "estimate", "interval", "method", "groups")
    assert [getattr(of_refusals, key) for key in same] == [getattr(of_selections, key) for key in same]


@settings(max_examples=6, deadline=None)
@given(st.data())
def test_a_hidden_outcome_never_improves_the_verdict(data: st.DataObject) -> None:
    counts = data.draw(st.lists(st.integers(0, 12), min_size=9, max_size=9).filter(any))
    pairs = [one + other for one in "+-r" for other in "+-r"]
    drawn = grid(" ".join(f"{pair}*{count}" for pair, count in zip(pairs, counts, strict=True) if count))
    hidden = data.draw(st.sets(st.sampled_from([one.id for one in drawn.observations]), max_size=5))
    whole, partial = (judge_rule(rule(0.3), one, 0.95, []) for one in (drawn, hide(drawn, hidden)))
    assert partial.verdict in (whole.verdict, Verdict.INSUFFICIENT_EVIDENCE)


def hide(drawn: Grid, ids: set[str]) -> Grid:
    def cells(base: Base) -> Any:
        return tuple(
            tuple(replace(one, outcome=None, refused=False) if one.id in ids else one for one in cell)
            for cell in base.cells
        )

    return replace(drawn, bases=tuple(replace(base, cells=cells(base)) for base in drawn.bases))


def test_at_its_size_a_rule_over_refusals_needs_as_many_cases_as_one_over_selections() -> None:
    assert size_problem(rule(), 58, 1, 0.05) == size_problem(selected(), 58, 1, 0.05)
    assert size_problem(rule(), 59, 1, 0.05) is None
    plan, other = (gap_plan("screen", one, 0.05, 200, 1, 0.05) for one in (rule(), selected()))
    assert (plan.metric, plan.pass_up_to, plan.fail_from) == ("max_refusal_gap", other.pass_up_to, other.fail_from)
    assert "refused an answer" in plan.message


# --- how it is written -----------------------------------------------------------------------------------------------

SUITE = {
    "name": "screen",
    "system": "loan",
    "cases": "golden.csv",
    "axes": {"gender": {"male": {"ten": "Hùng"}, "female": {"ten": "Lan"}}},
    "outcome": {"positive": ["yes"], "negative": ["no"], "refusal": ["no comment"]},
}


@pytest.mark.parametrize(
    ("keys", "about"),
    [
        ({"max_refusal_gap": 0.05, "attribute": "gender"}, None),
        ({"max_refusal_gap": 0.05, "attribute": ["gender"], "rate": "refusal"}, None),
        ({"max_refusal_gap": 0.05}, "max_refusal_gap needs an attribute"),
        ({"max_refusal_gap": 0.05, "attribute": "gender", "rate": "selection"}, "no rate besides refusal"),
        ({"max_group_gap": 0.05, "attribute": "gender", "rate": "refusal"}, "max_group_gap needs rate: selection"),
        ({"worst_group": {"min": 0.5}, "attribute": "gender", "rate": "refusal"}, "worst_group needs rate: selection"),
        ({"max_refusal_gap": 0.05, "max_group_gap": 0.1}, "found max_group_gap and max_refusal_gap"),
        ({"max_refusal_gap": 0.05, "attribute": "region"}, "attribute 'region' is not declared"),
    ],
)
def test_a_rule_over_refusals_is_written_one_way(keys: dict[str, Any], about: str | None) -> None:
    suite = {**SUITE, "rules": [{"id": "refused", **keys}]}
    if about is None:
        HarnessSuite.model_validate(suite)
    else:
        with pytest.raises(ValidationError, match=about):
            HarnessSuite.model_validate(suite)


def test_a_rule_over_refusals_needs_to_know_what_they_are() -> None:
    rules = [{"id": "refused", "max_refusal_gap": 0.05, "attribute": "gender"}]
    with pytest.raises(ValidationError, match="declare under outcome what a refusal is"):
        HarnessSuite.model_validate({**SUITE, "outcome": {"positive": ["yes"], "negative": ["no"]}, "rules": rules})


# --- flips -----------------------------------------------------------------------------------------------------------


def test_a_refusal_against_any_decision_is_a_flip_and_told_apart_from_favour() -> None:
    found = flips(grid("r+ -r r- rr ++ +-"), (), 0.05)
    assert (found.flipped, found.favoured) == (4, {"male": 1, "female": 1})
    assert {(way.refused, way.answered): way.bases for way in found.refused} == {
        ("male", "female"): 2,
        ("female", "male"): 1,
    }


@pytest.mark.parametrize(
    ("drawing", "better", "worse"),
    [
        ("+r", ("male", "positive"), ("female", "refusal")),
        ("r-", ("female", "negative"), ("male", "refusal")),
        ("-+", ("female", "positive"), ("male", "negative")),
    ],
)
def test_an_example_shows_who_fared_better(drawing: str, better: Any, worse: Any) -> None:
    (example,) = examples(grid(drawing))
    sides = [(side.group["gender"], side.outcome) for side in (example.positive, example.negative)]
    assert sides == [better, worse]


def test_of_people_treated_in_three_ways_two_decisions_are_shown() -> None:
    (example,) = examples(grid("-+r-", per_cell=2))
    assert (example.positive.outcome, example.negative.outcome) == ("positive", "negative")
    assert (example.positive.group, example.negative.group) == ({"gender": "male"}, {"gender": "female"})


# --- the suite -------------------------------------------------------------------------------------------------------


def test_a_suite_in_which_nobody_is_selected_sees_flips_but_no_selection() -> None:
    evidence = Evidence(grid("-r --*9"), refusals=True)
    assert blindness(evidence) == []
    assert blindness(evidence, selection=True) == ["one_sided_suite"]


def test_to_refuse_is_no_response_to_a_change() -> None:
    before, refused, other = (base.cells[0][0] for base in grid("-- rr ++").bases)
    assert Response({"income": 1}, ((before, refused),)).responded == 0
    assert Response({"income": 1}, ((before, refused), (before, other))).responded == 1


def test_rates_of_refusals_are_in_the_report_where_they_are_declared() -> None:
    result = judge("screen", [rule()], Evidence(grid("r+ rr -+ ?-", GENDER), refusals=True), 0.95)
    assert result.refusals is not None
    (by_gender,) = result.refusals
    assert [(group.events, group.observed) for group in by_gender.groups] == [(2, 3), (1, 4)]
    assert judge("screen", [selected()], Evidence(grid("++")), 0.95).refusals is None


def test_kept_signs_tell_a_refusal() -> None:
    drawn = grid("r+ -?")
    assert [signs(base) for base in drawn.bases] == ["r+", "-?"]
    kept = outcomes(drawn)
    assert kept is not None
    assert type(kept).model_validate(kept.model_dump()) == kept
