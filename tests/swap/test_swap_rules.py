"""Rules of a swap suite: verdicts, reasons, sentences, and the law that missing evidence improves nothing."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from swap_notation import GENDER, GENDER_REGION, grid, observation

from fairgate.config.model import SwapRule
from fairgate.results import RuleResult, SuiteResult
from fairgate.swap.grid import Base, Grid, Observation, Response
from fairgate.swap.rules import judge_rule, size_problem
from fairgate.swap.suite import Evidence, judge
from fairgate.verdict import Verdict

CONFIDENCE = 0.95


def flip_rule(limit: float = 0.05, **more: Any) -> SwapRule:
    return SwapRule(id="flips", max_flip_rate=limit, **more)


def group_rule(attribute: Any = "gender", **bound: float) -> SwapRule:
    return SwapRule.model_validate({"id": "g", "rate": "selection", "attribute": attribute, "worst_group": bound})


def judged(rule: SwapRule, drawing: str, **kwargs: Any) -> RuleResult:
    return judge_rule(rule, grid(drawing, **kwargs), CONFIDENCE, [])


@pytest.mark.parametrize(
    ("drawing", "verdict", "reasons"),
    [
        ("++*58 --", "PASS", ["within_limit"]),
        ("++*90 +-*10", "FAIL", ["beyond_limit"]),
        ("++*90 +-*9 ++", "INSUFFICIENT_EVIDENCE", ["interval_straddles_limit"]),
        ("++*58", "INSUFFICIENT_EVIDENCE", ["too_few_cases_to_pass"]),
        ("++*58 +?", "INSUFFICIENT_EVIDENCE", ["missing_outcomes", "interval_straddles_limit"]),
        ("??*60", "INSUFFICIENT_EVIDENCE", ["no_evidence", "missing_outcomes"]),
    ],
)
def test_flip_rate(drawing: str, verdict: str, reasons: list[str]) -> None:
    result = judged(flip_rule(), drawing)
    assert (result.verdict, result.underlying, result.reasons) == (verdict, verdict, reasons)
    assert (result.metric, result.limit, result.confidence) == ("flip_rate", 0.05, 0.95)


@pytest.mark.parametrize(("drawing", "about"), [
    ("++*58 --", "0 of 59 cases flipped (0 %). With 95 % confidence at most 4.951 % flip, within the limit of 5 %."),
    ("++*169 +-*31", "31 of 200 cases flipped (15.5 %). With 95 % confidence at least 11.4 % flip, beyond the limit"),
    ("++*165 +-*31 +?*4", "(15.8 % of those that are known); 4 more are incomplete."),
    ("++*90 +-*1", "If the rate stays as it is, about 33 more cases would settle it with a chance of 80 %."),
    ("++*13 +-*7", "Between 17.7 % and 55.8 % may flip"),
    ("++*20", "With 20 cases a flip limit of 5 % can never pass; 59 are needed."),
    ("++*58 +?", "1 missing outcome keeps it open: with it answered it can be settled."),
    ("??*60", "Nothing was observed"),
    ("+?*60", "0 of 60 cases flipped; every case is incomplete."),
])  # fmt: skip
def test_flip_sentences(drawing: str, about: str) -> None:
    limit = 0.2 if drawing == "++*13 +-*7" else 0.05
    assert about in judged(flip_rule(limit), drawing).message


def test_a_limit_of_zero_is_never_proven_and_says_so() -> None:
    assert "no number of cases can prove a limit of 0 %" in judged(flip_rule(0), "++*60 --").message


def test_a_bound_beside_the_limit_does_not_read_as_the_limit() -> None:
    # upper bound 4.9506 % with 59 cases; limit 4.97 %
    assert "at most 4.951 %" in judged(flip_rule(0.0497), "++*59").message


def test_a_limit_that_allows_everything_still_needs_evidence() -> None:
    assert judged(flip_rule(1), "??*3").verdict is Verdict.INSUFFICIENT_EVIDENCE
    assert judged(group_rule(min=0), "+?*3").verdict is Verdict.INSUFFICIENT_EVIDENCE
    assert judged(group_rule(min=0), "+-*3").verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("rule", "drawing", "verdict", "reasons"),
    [
        (group_rule(min=0.4), "++*30 --*10", "PASS", ["within_limit"]),
        (group_rule(min=0.4), "++*8 +-*22 --*10", "FAIL", ["beyond_limit"]),
        (group_rule(min=0.4), "++*20 --*20", "INSUFFICIENT_EVIDENCE", ["interval_straddles_limit"]),
        (group_rule(min=0.4), "++*27 --*10 +?*3", "PASS", ["within_limit"]),
        (group_rule(min=0.4), "++*20 --*10 +?*10", "INSUFFICIENT_EVIDENCE",
         ["missing_outcomes", "interval_straddles_limit"]),
        (group_rule(min=0.9), "++*20", "INSUFFICIENT_EVIDENCE", ["too_few_cases_to_pass"]),
        (group_rule(max=0.4), "++*5 --*35", "PASS", ["within_limit"]),
        (group_rule(max=0.4), "++*5 +-*25 --*10", "FAIL", ["beyond_limit"]),
        (group_rule(max=0.1), "--*20", "INSUFFICIENT_EVIDENCE", ["too_few_cases_to_pass"]),
    ],
)  # fmt: skip
def test_worst_group(rule: SwapRule, drawing: str, verdict: str, reasons: list[str]) -> None:
    result = judged(rule, drawing)
    assert (result.verdict, result.reasons) == (verdict, reasons)
    assert (result.metric, result.rate, result.attribute) == ("worst_group", "selection", ["gender"])


def test_the_worst_group_is_named_with_its_numbers() -> None:
    result = judged(group_rule(min=0.4), "++*8 +-*22 --*10")
    assert result.message.startswith("Lowest is female: 8 of 40 outcomes positive (20 %; 40 cases).")
    assert result.estimate == 0.2
    assert result.groups is not None
    assert [group.verdict for group in result.groups] == [Verdict.PASS, Verdict.FAIL]
    assert result.interval == result.groups[1].interval


def test_a_crossing_with_one_variant_per_base_is_a_proportion_and_an_axis_is_not() -> None:
    drawn = "++++*40"
    assert judged(group_rule(["gender", "region"], min=0.5), drawn, axes=GENDER_REGION).method == "clopper_pearson"
    assert judged(group_rule(min=0.5), drawn, axes=GENDER_REGION).method == "mixture_bound"


def test_an_undecided_group_says_what_would_settle_it() -> None:
    assert "If the rate stays as it is, about" in judged(group_rule(min=0.4), "++*20 --*20").message
    assert "no number of cases is likely" in judged(group_rule(min=0.5), "++*20 --*20").message


# --- review ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("drawing", "verdict"),
    [("++*60", "MANUAL_REVIEW"), ("++*5", "MANUAL_REVIEW"), ("+-*60", "FAIL")],
)
def test_a_rule_can_ask_for_a_person_and_never_hides_a_failure(drawing: str, verdict: str) -> None:
    result = judged(flip_rule(requires_manual_review=True), drawing)
    assert result.verdict == verdict
    assert result.underlying != Verdict.MANUAL_REVIEW
    assert "requires_manual_review" in result.reasons


def suite(drawing: str, *responses: Response) -> SuiteResult:
    return judge("s", [flip_rule()], Evidence(grid(drawing), responses), CONFIDENCE, system="loan")


def test_a_suite_that_saw_only_one_outcome_is_for_a_person() -> None:
    result = suite("++*60")
    assert (result.verdict, result.rules[0].underlying) == ("MANUAL_REVIEW", "PASS")
    assert result.rules[0].reasons == ["within_limit", "one_sided_suite"]
    assert [remark.code for remark in result.warnings] == ["one_sided_suite"]
    assert "100 % of the 120 expected outcomes are positive" in result.warnings[0].message


@pytest.mark.parametrize(("drawing", "codes"), [
    ("++*57 --*3", ["one_sided_suite"]),
    ("++*56 --*4", []),
    ("++*56 ?? --*3", ["one_sided_suite"]),
])  # fmt: skip
def test_nearly_one_sided_is_a_warning_only(drawing: str, codes: list[str]) -> None:
    result = suite(drawing)
    assert [remark.code for remark in result.warnings] == codes
    assert "one_sided_suite" not in result.rules[0].reasons


def responding(before_after: str) -> Response:
    pairs = [
        (observation(f"c{n}", {"gender": "male"}, pair[0]), observation(f"c{n}", {"gender": "male"}, pair[1], 9))
        for n, pair in enumerate(before_after.split(), start=1)
    ]
    return Response({"income": 4_000_000}, tuple(pairs))


def test_a_system_that_ignores_what_ought_to_matter_never_passes_by_itself() -> None:
    result = suite("++*50 --*10", responding("++ ++ -- +?"))
    assert (result.verdict, result.rules[0].reasons) == ("MANUAL_REVIEW", ["within_limit", "no_response"])
    assert "income: 4000000" in result.warnings[0].message
    assert result.flips is not None
    control = result.flips.responds[0]
    assert (control.change, control.asked, control.answered, control.responded) == ({"income": 4_000_000}, 4, 3, 0)


def test_one_response_is_enough_and_also_shows_that_outcomes_can_differ() -> None:
    assert suite("++*60", responding("++ +-")).verdict == "PASS"


def test_no_response_known_because_nothing_was_answered() -> None:
    assert "is not known" in suite("++*50 --*10", responding("+? +?")).warnings[0].message


# --- too few cases ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "bases", "variants", "about"),
    [
        (flip_rule(), 58, 1, "With 58 cases a flip limit of 5 % can never pass; 59 are needed."),
        (flip_rule(), 59, 1, None),
        (flip_rule(0), 10_000, 1, "no number of cases can prove a limit of 0 %"),
        (group_rule(min=0.9), 20, 1, "With 20 cases a selection floor of 90 % can never pass; 29 are needed."),
        (group_rule(min=0.9), 29, 1, None),
        (group_rule(min=0.9), 29, 2, "a selection floor of 90 % can never pass"),
        (group_rule(max=0.1), 28, 1, "a selection ceiling of 10 % can never pass; 29 are needed."),
        (group_rule(min=1), 1000, 1, "no number of cases can prove a limit of 100 %"),
    ],
)
def test_rules_that_can_never_pass_at_this_size(rule: SwapRule, bases: int, variants: int, about: str | None) -> None:
    problem = size_problem(rule, bases, variants, 1 - CONFIDENCE)
    assert (about in problem) if about and problem else problem is None is about


# --- the law ---------------------------------------------------------------------------------------------------------

RULES = [
    flip_rule(0.05),
    flip_rule(0.4),
    flip_rule(0.9, requires_manual_review=True),
    group_rule(min=0.3),
    group_rule(max=0.7),
    group_rule(["gender", "region"], min=0.2),
]
DECIDED = {Verdict.PASS, Verdict.FAIL}


@st.composite
def finished_runs(draw: st.DrawFn) -> tuple[Evidence, Evidence]:
    """The evidence of a run, and the same with some observations hidden."""
    count = draw(st.integers(1, 40))
    common = draw(st.sampled_from(["++++", "----", "++--", "+-+-"]))
    words = [draw(st.one_of(st.just(common), st.text("+-?", min_size=4, max_size=4))) for _ in range(count)]
    drawn = grid(" ".join(words), GENDER_REGION)
    share = draw(st.sampled_from([0.02, 0.2, 0.9]))
    random = draw(st.randoms(use_true_random=False))

    def hide(one: Observation) -> Observation:
        return replace(one, outcome=None, reason="timeout") if random.random() < share else one

    hidden = Grid(
        drawn.axes,
        tuple(Base(base.id, tuple(tuple(map(hide, cell)) for cell in base.cells)) for base in drawn.bases),
    )
    changed = [observation(base.id, drawn.cells[0], draw(st.sampled_from("+-?")), 9) for base in drawn.bases]
    return evidence(drawn, changed), evidence(hidden, list(map(hide, changed)))


def evidence(drawn: Grid, changed: list[Observation]) -> Evidence:
    pairs = tuple((base.cells[0][0], after) for base, after in zip(drawn.bases, changed, strict=True))
    return Evidence(drawn, (Response({"income": 1}, pairs),))


@settings(deadline=None, max_examples=15)
@given(finished_runs(), st.booleans())
def test_hiding_any_observation_never_improves_a_verdict(runs: tuple[Evidence, Evidence], controls: bool) -> None:
    full, hidden = (run if controls else replace(run, responses=()) for run in runs)
    before, after = (judge("s", RULES, run, CONFIDENCE) for run in (full, hidden))
    for known, less in zip(before.rules, after.rules, strict=True):
        for one, other in ((known.verdict, less.verdict), (known.underlying, less.underlying)):
            assert other == one or other not in DECIDED, (known, less)
    assert after.verdict == before.verdict or after.verdict not in DECIDED
    assert after.counts.expected == before.counts.expected


@settings(deadline=None, max_examples=8)
@given(finished_runs(), st.randoms(use_true_random=False))
def test_the_order_of_the_cases_does_not_matter(runs: tuple[Evidence, Evidence], random: Any) -> None:
    drawn = runs[0].grid
    shuffled = list(drawn.bases)
    random.shuffle(shuffled)
    results = [
        judge("s", RULES, Evidence(Grid(drawn.axes, tuple(bases))), CONFIDENCE) for bases in (drawn.bases, shuffled)
    ]
    for one, other in zip(results[0].rules, results[1].rules, strict=True):
        assert one.verdict == other.verdict
        assert one.interval == pytest.approx(other.interval, abs=1e-12)


def test_counts_say_what_is_missing_and_why() -> None:
    drawn = grid("+? ++", GENDER)
    unreadable = replace(drawn.bases[1].cells[0][0], outcome=None, reason="unreadable_outcome", answer="Well,\nmaybe")
    failed = replace(drawn.bases[0].cells[1][0], detail="no answer within 60 s")
    bases = (Base("c1", (drawn.bases[0].cells[0], (failed,))), Base("c2", ((unreadable,), drawn.bases[1].cells[1])))
    counts = judge("s", [flip_rule()], Evidence(Grid(GENDER, bases)), CONFIDENCE).counts
    assert (counts.cases, counts.expected, counts.observed, counts.missing) == (2, 4, 2, 2)
    assert counts.missing_reasons == {"timeout": 1, "unreadable_outcome": 1}
    assert counts.unreadable == {"Well, maybe": 1}
    assert counts.details == ["no answer within 60 s"]
