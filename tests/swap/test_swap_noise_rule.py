"""``max_excess_flip_rate`` and ``system_too_noisy``: verdicts, reasons, sentences, and the law."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from swap_notation import GENDER, GENDER_REGION, noisy

from fairgate.bar.review import without_review
from fairgate.config.model import SwapRule
from fairgate.results import RuleResult, SuiteResult
from fairgate.swap.grid import Base, Control, Grid, Observation, Repeats
from fairgate.swap.noise import measure
from fairgate.swap.noise_rule import excess_size_problem
from fairgate.swap.rules import judge_rule
from fairgate.swap.suite import Evidence, evidence_lines, judge
from fairgate.verdict import Verdict

CONFIDENCE = 0.95
STEADY = "++++/0+*190 ----/1-*10"
OPEN = ["missing_outcomes", "interval_straddles_limit"]


def excess_rule(limit: float = 0.05, **more: Any) -> SwapRule:
    return SwapRule.model_validate({"id": "beyond", "max_excess_flip_rate": limit, **more})


def judged(rule: SwapRule, drawing: str, axes: Any = GENDER_REGION) -> RuleResult:
    grid, control = noisy(drawing, axes)
    return judge_rule(rule, grid, CONFIDENCE, [], control)


def suite(drawing: str, *rules: SwapRule, axes: Any = GENDER_REGION, **about: Any) -> SuiteResult:
    grid, control = noisy(drawing, axes)
    return judge("s", rules, Evidence(grid, control=control, **about), CONFIDENCE, system="loan")


@pytest.mark.parametrize(
    ("rule", "drawing", "verdict", "reasons"),
    [
        (excess_rule(), STEADY, "PASS", ["within_limit"]),
        (excess_rule(), "++++/0+*100 ++--/1+*100", "FAIL", ["beyond_limit"]),
        (excess_rule(), "++++/0+*180 ++--/1+*20", "INSUFFICIENT_EVIDENCE", ["interval_straddles_limit"]),
        # as much noise as flips: nothing beyond it
        (excess_rule(0.15), "++++/0+*100 ++--/1-*60 ----/0-*40", "PASS", ["within_limit"]),
        (excess_rule(), "++++/0+*56", "INSUFFICIENT_EVIDENCE", ["too_few_cases_to_pass"]),
        (excess_rule(), "++++/0+*56 +++?/0+", "INSUFFICIENT_EVIDENCE", OPEN),
        (excess_rule(), "++++/0+*58 +++-/1?", "INSUFFICIENT_EVIDENCE", OPEN),
        (excess_rule(), "++++/0?*80", "INSUFFICIENT_EVIDENCE", ["no_evidence", "missing_outcomes"]),
        (excess_rule(1), "++++/0?*80", "INSUFFICIENT_EVIDENCE", ["no_evidence", "missing_outcomes"]),
        (excess_rule(attribute="gender"), "++--/0+*100 ++++/1+*100", "FAIL", ["beyond_limit"]),
        (excess_rule(attribute="region"), "++--/0+*100 ++++/1+*100", "PASS", ["within_limit"]),
    ],
)  # fmt: skip
def test_verdicts(rule: SwapRule, drawing: str, verdict: str, reasons: list[str]) -> None:
    result = judged(rule, drawing)
    assert (result.verdict, result.reasons) == (verdict, reasons)
    assert (result.metric, result.limit, result.method) == (
        "excess_flip_rate",
        rule.max_excess_flip_rate,
        "mixture_bound",
    )
    assert result.attribute == rule.attribute


def test_two_variants_and_one_repeat_are_decided_by_the_exact_paired_test() -> None:
    result = judged(excess_rule(), "+-/0+*31 ++/1-*5 ++/0+*164", GENDER)
    assert (result.verdict, result.method) == ("FAIL", "exact_paired")
    assert result.estimate == pytest.approx(26 / 200)
    assert judged(excess_rule(), "++/0+*59", GENDER).verdict is Verdict.PASS
    assert judged(excess_rule(), "++/0+*58", GENDER).reasons == ["too_few_cases_to_pass"]


@pytest.mark.parametrize(("rule", "drawing", "about"), [
    (excess_rule(), "++++/0+*100 ++--/1+*96 ++++/1-*4",
     "Pairs of answers to different people differ 30 points more often than pairs of answers to the same call, which "
     "differ in 2 %; 200 cases. With 95 % confidence at least"),
    (excess_rule(attribute="gender"), STEADY, "different people (alike in all but gender) differ as often as pairs"),
    (excess_rule(), "++++/0+*56", "With 56 cases a limit of 5 % on flips beyond noise does not pass even where no "
     "answer ever differs; 57 are needed."),
    (excess_rule(), "++++/0+*96 ++++/1-*4", "differ 4 points less often than pairs of answers to the same call, which "
     "differ in 4 %; 100 cases. That is chance: where nothing is beyond noise, it is measured below 0 about as often "
     "as above. With"),
    (excess_rule(), "++++/0+*60 ++++/1-*8 ++--/1+*6", "may be anything from -19.6 % to 6.2 % of pairs; the"),
    (excess_rule(0), "++++/0+*56", "no number of cases can prove a limit of 0 %"),
    (excess_rule(), "++++/0+*180 ++--/1+*20", "If the rate stays as it is, about"),
    (excess_rule(), "++++/0+*60 +++?/0+*9", "69 cases, 9 of them incomplete."),
    (excess_rule(), "++++/0+*60 +++?/0+*9", "9 missing outcomes keep it open: with them answered it can be settled."),
    (excess_rule(), "++++/0?*80", "No case has all people and its repeats answered; 80 cases, 80 of them incomplete."),
])  # fmt: skip
def test_sentences(rule: SwapRule, drawing: str, about: str) -> None:
    assert about in judged(rule, drawing).message


def test_what_would_settle_it_does() -> None:
    result = judged(excess_rule(), "++++/0+*180 ++--/1+*20")
    more = int(result.message.split("about ")[1].split(" more")[0].replace(",", ""))
    size = (200 + more) / 200
    bigger = judged(excess_rule(), f"++++/0+*{round(180 * size)} ++--/1+*{round(20 * size) + 1}")
    assert bigger.verdict in (Verdict.PASS, Verdict.FAIL)


def test_what_is_shown_agrees_with_what_is_decided() -> None:
    for flipped in (0, 4, 11, 17, 40):
        result = judged(excess_rule(), f"+-/0+*{flipped} ++/0+*{200 - flipped}", GENDER)
        lower, upper = result.interval
        assert (result.verdict == "PASS") == (upper <= 0.05) or result.verdict == "FAIL"
        assert (result.verdict == "FAIL") == (lower >= 0.05)


def test_a_rule_without_a_control_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="need a control"):
        judge_rule(excess_rule(), noisy("++/0+", GENDER)[0], CONFIDENCE, [])


# --- a system that is too noisy --------------------------------------------------------------------------------------

NOISY = "++--/0-*30 ++--/0+*20 ++++/1+*50"
"""Identical calls differ in 30 of 100 cases, pairs of different ones in 33 %."""
FLIPS = SwapRule(id="flips", max_flip_rate=0.1)


@pytest.mark.parametrize(
    ("rule", "drawing", "verdict", "noisy"),
    [
        (excess_rule(), NOISY, "MANUAL_REVIEW", True),
        (excess_rule(0.3), NOISY, "PASS", False),
        (excess_rule(0.05), "++++/0+*90 ++--/1+*10", "INSUFFICIENT_EVIDENCE", False),
        # a rule over all flips: open for what is missing, and by its noise it could only come to fail
        (FLIPS, "+++?/0-*30 ++++/1+*70", "MANUAL_REVIEW", True),
        (FLIPS, "+++?/0+*30 ++++/1+*70", "INSUFFICIENT_EVIDENCE", False),
        (FLIPS, NOISY, "FAIL", False),
        (FLIPS, "++++/0-*100", "PASS", False),
    ],
)
def test_only_an_undecided_rule_over_flips_becomes_a_review(
    rule: SwapRule, drawing: str, verdict: str, noisy: bool
) -> None:
    result = judged(rule, drawing)
    assert result.verdict == verdict
    assert ("system_too_noisy" in result.reasons) is noisy
    if noisy:
        assert result.underlying is Verdict.INSUFFICIENT_EVIDENCE
        assert "Identical calls already differ more often than the limit allows" in result.message


def test_noise_is_no_matter_of_selection_rates() -> None:
    rule = SwapRule.model_validate({"id": "g", "rate": "selection", "attribute": "gender", "max_group_gap": 0.05})
    assert "system_too_noisy" not in judged(rule, NOISY).reasons


def test_a_sign_off_leaves_what_the_numbers_left_open() -> None:
    result = judged(excess_rule(), NOISY)
    assert without_review(result) is Verdict.INSUFFICIENT_EVIDENCE


# --- in the suite ----------------------------------------------------------------------------------------------------


def test_a_control_enters_no_count_of_flips_rates_or_gaps() -> None:
    floor = SwapRule.model_validate(
        {"id": "g", "rate": "selection", "attribute": "gender", "worst_group": {"min": 0.2}}
    )
    drawing = "++++/0-*20 +-+-/1?*20 ----/3+*20"
    grid, control = noisy(drawing, GENDER_REGION)
    with_it, without = (judge("s", [FLIPS, floor], Evidence(grid, control=one), CONFIDENCE) for one in (control, None))
    assert with_it.rules == without.rules
    assert with_it.selection == without.selection
    assert with_it.outcomes == without.outcomes
    assert with_it.examples == without.examples
    assert with_it.flips is not None
    assert without.flips is not None
    assert with_it.flips.model_copy(update={"control": None}) == without.flips
    assert without.flips.control is None


def test_repeats_are_expected_counted_and_part_of_the_evidence() -> None:
    grid, control = noisy("++++/0+?*3", GENDER_REGION)
    evidence = Evidence(grid, control=control)
    result = judge("s", [FLIPS], evidence, CONFIDENCE)
    assert (result.counts.cases, result.counts.expected, result.counts.missing) == (3, 18, 3)
    assert len(evidence_lines(evidence)) == 18


def test_a_repeat_does_not_show_that_a_suite_can_see_anything() -> None:
    result = suite("++++/0-*3 ++++/0+*90", FLIPS)
    assert result.rules[0].reasons == ["within_limit", "one_sided_suite"]


def test_the_report_has_the_control() -> None:
    flips = suite("++++/0+*70 ++--/1-*8 ++++/0?*2", FLIPS).flips
    assert flips is not None
    assert flips.control is not None
    control = flips.control
    assert (control.repeats, control.bases, control.asked, control.answered, control.differed) == (1, 80, 80, 78, 8)
    assert control.noise == pytest.approx(8 / 78)
    assert control.excess == pytest.approx((8 * (4 / 6) - 8) / 78)
    assert control.noise_interval[0] < control.noise < control.noise_interval[1]
    assert control.excess_interval[0] < control.excess < control.excess_interval[1]


@pytest.mark.parametrize(
    ("drawing", "temperature", "said", "unsaid"),
    [
        ("++/0+*10", 0, None, ""),
        ("++/0+*8 ++/1-*2", 0, "enough for a local server to vary. Ask it with concurrency: 1, or set a seed", ""),
        ("++/0+*8 ++/1-*2", 0.7, "in 2 of 10 cases the same call", "concurrency"),
        ("++/0+*8 ++/1-*2", None, "(20 % of pairs of identical calls)", "concurrency"),
    ],
)  # fmt: skip
def test_noise_is_remarked_on(drawing: str, temperature: Any, said: str | None, unsaid: str) -> None:
    found = [
        one
        for one in suite(drawing, FLIPS, axes=GENDER, temperature=temperature).warnings
        if one.code == "noisy_system"
    ]
    assert len(found) == (said is not None)
    if said:
        assert said in found[0].message
        assert not unsaid or unsaid not in found[0].message


# --- the law ---------------------------------------------------------------------------------------------------------

RULES = [
    *(excess_rule(limit) for limit in (0.02, 0.2, 0.5, 1)),
    excess_rule(0.1, attribute="gender"),
    excess_rule(0.3, attribute="region", requires_manual_review=True),
    SwapRule(id="flips", max_flip_rate=0.3),
]
PAIR_RULES = [excess_rule(limit) for limit in (0.05, 0.3, 0.6)]
DECIDED = {Verdict.PASS, Verdict.FAIL}


@st.composite
def finished_runs(draw: st.DrawFn, axes: Any, variants: int, signs: str) -> tuple[Evidence, Evidence]:
    """The evidence of a run, and the same with some answers hidden, repeats among them."""
    repeats = draw(st.integers(1, 2 if variants > 2 else 1))
    length = variants + repeats
    common = draw(st.sampled_from(["+" * length, "+" * (length - 1) + "-", "+-" * length]))[:length]
    words = []
    for _ in range(draw(st.integers(1, 12))):
        word = draw(st.one_of(st.just(common), st.text(signs, min_size=length, max_size=length)))
        cell, times = draw(st.integers(0, variants - 1)), draw(st.sampled_from([1, 5, 20] if variants > 2 else [1, 5]))
        words.append(f"{word[:variants]}/{cell}{word[variants:]}*{times}")
    grid, control = noisy(" ".join(words), axes, kinds=3 if "r" in signs else 2)
    share = draw(st.sampled_from([0.02, 0.2, 0.9]))
    random = draw(st.randoms(use_true_random=False))

    def hide(one: Observation) -> Observation:
        return replace(one, outcome=None, refused=False, reason="timeout") if random.random() < share else one

    bases = (Base(base.id, tuple(tuple(map(hide, cell)) for cell in base.cells)) for base in grid.bases)
    again = (Repeats(one.cell, tuple(map(hide, one.again))) for one in control.bases)
    hidden = Evidence(Grid(grid.axes, tuple(bases)), control=Control(tuple(again), control.repeats, control.kinds))
    return Evidence(grid, control=control), hidden


def holds_the_law(full: Evidence, hidden: Evidence, rules: list[SwapRule]) -> None:
    before, after = (judge("s", rules, run, CONFIDENCE) for run in (full, hidden))
    for known, less in zip(before.rules, after.rules, strict=True):
        for one, other in ((known.verdict, less.verdict), (known.underlying, less.underlying)):
            assert other == one or other not in DECIDED, (known, less)
    assert after.counts.expected == before.counts.expected


@settings(deadline=None, max_examples=10)
@given(finished_runs(GENDER_REGION, 4, "+-?"))
def test_hiding_any_answer_never_improves_a_verdict(runs: tuple[Evidence, Evidence]) -> None:
    holds_the_law(*runs, RULES)


@settings(deadline=None, max_examples=8)
@given(finished_runs(GENDER_REGION, 4, "+-r?"))
def test_nor_where_refusals_are_an_answer_of_their_own(runs: tuple[Evidence, Evidence]) -> None:
    holds_the_law(*runs, RULES)


@settings(deadline=None, max_examples=3)
@given(finished_runs(GENDER, 2, "+-?"))
def test_nor_by_the_exact_test(runs: tuple[Evidence, Evidence]) -> None:
    holds_the_law(*runs, PAIR_RULES)


# --- size ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cases", "limit", "about"),
    [(57, 0.05, None), (56, 0.05, "57 are needed"), (146, 0.02, "147 are needed"), (500, 0, "no number of cases")],
)
def test_sizes_at_which_nothing_passes(cases: int, limit: float, about: str | None) -> None:
    grid, control = noisy(f"????/0?*{cases}", GENDER_REGION)
    problem = excess_size_problem(measure(grid, control).excess, limit, 1 - CONFIDENCE)
    assert (about in problem) if about and problem else problem is None is about
