"""Rules over drawn suites: every way to require a limit, with what is missing, idle, borderline or for a person."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from triad_desk import claimed, rag_suite, ranked

from fairgate.results import RuleResult
from fairgate.stats import bounded_mean
from fairgate.triad.evidence import Evidence
from fairgate.triad.rules import judge_rule, size_problem
from fairgate.verdict import Verdict

PASS, FAIL, OPEN, REVIEW = Verdict.PASS, Verdict.FAIL, Verdict.INSUFFICIENT_EVIDENCE, Verdict.MANUAL_REVIEW
PANEL = {"panel": ["a", "b", "c"], "min_coverage": 0.0}


def verdict(evidence: Evidence, *, unvalidated: bool = False) -> RuleResult:
    return judge_rule(evidence.suite.rules[0], evidence, 0.95, unvalidated=unvalidated)


def cases(*drawings: str) -> dict[str, str]:
    """``"++*3"`` stands for three such cases."""
    words = [word for part in drawings for word in [part.partition("*")[0]] * int(part.partition("*")[2] or 1)]
    return {f"c{at}": word for at, word in enumerate(words)}


@pytest.mark.parametrize(
    ("drawings", "expected", "reasons"),
    [
        (["+", "++"], PASS, ["within_limit"]),
        (["+", "+-"], FAIL, ["beyond_limit"]),
        (["+", "x"], FAIL, ["beyond_limit"]),  # on the judge's word alone
        (["+", "+?"], OPEN, ["missing_scores"]),
        (["+", "!"], OPEN, ["missing_scores"]),
        (["+", "."], OPEN, ["missing_scores", "coverage_too_low"]),
        (["+", "-", "."], FAIL, ["beyond_limit"]),  # what is missing hides no failure
        (["-?", "+"], FAIL, ["beyond_limit"]),
        (["+++++++?"], PASS, ["within_limit"]),  # 7/8 reaches .85 whatever is missing
        (["+++++++", "++++++++?-"], OPEN, ["missing_scores"]),
        (["+*9", "0"], PASS, ["within_limit"]),  # .9 of ten is covered
        (["+*8", "0", "_"], OPEN, ["coverage_too_low"]),
        (["+*8", "0", "-"], FAIL, ["beyond_limit"]),
        (["0", "0"], OPEN, ["no_evidence", "coverage_too_low"]),
    ],
)
def test_every_case_has_to_pass(drawings: list[str], expected: Verdict, reasons: list[str]) -> None:
    found = verdict(claimed(rag_suite(), cases(*drawings)))
    assert (found.verdict, found.reasons) == (expected, reasons)


def test_an_abstention_that_is_right_counts_as_one() -> None:
    assert verdict(claimed(rag_suite(), {"abstain-1": "0"})).verdict is PASS
    assert verdict(claimed(rag_suite(), {"abstain-1": "-", "c": "+"})).verdict is FAIL
    assert verdict(claimed(rag_suite(), {"abstain-1": "_", "c": "+"})).reasons == ["coverage_too_low"]


@pytest.mark.parametrize(
    ("passing", "failing", "missing", "expected"),
    [
        (49, 1, 0, PASS), (48, 2, 0, OPEN), (96, 4, 0, PASS), (95, 5, 0, OPEN), (188, 12, 0, PASS), (187, 13, 0, OPEN),
        (29, 0, 0, PASS), (28, 0, 0, OPEN), (49, 0, 1, PASS), (48, 0, 2, OPEN), (30, 20, 0, FAIL), (30, 0, 20, OPEN),
    ],
)  # fmt: skip
def test_pass_rate_as_specified(passing: int, failing: int, missing: int, expected: Verdict) -> None:
    suite = rag_suite({"require": "pass_rate", "pass_rate": 0.9}, min_coverage=0)
    evidence = claimed(suite, cases(f"+*{passing}", f"-*{failing}", f"!*{missing}"))
    assert len(evidence.samples) == passing + failing + missing
    assert verdict(evidence).verdict is expected


def test_the_mean_as_specified() -> None:
    values = {1.0: 40, 0.8: 5, 0.5: 5}
    bounds = bounded_mean.lower_bound(values, 0.05), bounded_mean.upper_bound(values, 0.05)
    assert bounds == pytest.approx((0.838084, 0.978510), abs=1e-6)
    suite = rag_suite({"require": "mean", "min": 0.83})
    found = verdict(claimed(suite, cases("+*40", "++++-*5", "+-*5")))
    assert found.interval == pytest.approx((0.838084, 0.978510), abs=1e-6)
    assert (found.verdict, found.estimate, found.method) == (PASS, pytest.approx(0.93), "mixture_bound")


def test_what_is_missing_is_not_dropped_from_a_mean() -> None:
    kept, dropped = {0.92: 90, 0.3: 10}, {0.92: 90}
    assert bounded_mean.lower_bound(kept, 0.05) == pytest.approx(0.7962, abs=1e-4)
    assert bounded_mean.lower_bound(dropped, 0.05) == pytest.approx(0.8756, abs=1e-4)
    suite = rag_suite({"require": "mean", "min": 0.8}, min_coverage=0)
    found = verdict(claimed(suite, cases("+*90", "!*10")))
    assert (found.verdict, found.estimate) == (OPEN, 1.0)
    assert found.interval[0] < 0.9 < 1 - 1e-9 < found.interval[1]


@pytest.mark.parametrize(
    ("rule", "size", "problem"),
    [
        ({"require": "pass_rate", "pass_rate": 0.9}, 28, "can never be shown, whatever the scores; 29 are"),
        ({"require": "pass_rate", "pass_rate": 0.9}, 29, None),
        ({"require": "pass_rate", "pass_rate": 1.0}, 9, "no number of cases can show it."),
        ({"require": "mean", "min": 1.0}, 9, "no number of cases can show it."),
        ({"require": "mean", "min": 0.85}, 5, "are needed."),
        ({"require": "all"}, 1, None),
    ],
)  # fmt: skip
def test_suites_that_are_too_small(rule: dict[str, Any], size: int, problem: str | None) -> None:
    found = size_problem(rag_suite(rule).rules[0], size, 0.05)
    assert found is None if problem is None else found is not None and problem in found


# --- the panel -------------------------------------------------------------------------------------------------------

BORDER = "++++++-"  # 6/7 = .857


@pytest.mark.parametrize(
    ("votes", "expected", "reasons"),
    [
        (("+++++++", "+++++++", "-------"), PASS, ["within_limit"]),
        (("+++++++", "-------", "-------"), FAIL, ["beyond_limit"]),
        (("+++++++", "-------", "!"), REVIEW, ["panel_split"]),
        (("+++++++", "+++++++", "!"), PASS, ["within_limit"]),
        (("-------", "-------", "!"), FAIL, ["beyond_limit"]),
        (("+++++++", "!", "!"), OPEN, ["panel_quorum"]),
        (("!", "!", "!"), OPEN, ["panel_quorum"]),
        (("+++++??", "+++++??", "+++++++"), REVIEW, ["panel_split"]),
    ],
)
def test_a_borderline_case_is_for_the_panel(votes: tuple[str, ...], expected: Verdict, reasons: list[str]) -> None:
    panel = {name: {"c0": drawing} for name, drawing in zip("abc", votes, strict=True)}
    evidence = claimed(rag_suite(**PANEL), {"c0": BORDER, "c1": "+"}, panel)
    assert evidence.arbitrated == {("r0", "c0")}
    found = verdict(evidence)
    assert (found.verdict, found.reasons) == (expected, reasons)


@pytest.mark.parametrize(
    ("drawing", "arbitrate", "asked"),
    [
        ("+", "band", False), ("-", "band", False), (BORDER, "band", True), ("!", "band", True), ("+?", "band", True),
        (".", "band", False), ("0", "band", False), ("_", "band", False),
        ("+", "pivotal", True), ("+++++++++", "pivotal", False), ("--", "pivotal", False), ("+-", "pivotal", True),
    ],
)  # fmt: skip
def test_what_is_put_to_the_panel(drawing: str, arbitrate: str, asked: bool) -> None:
    evidence = claimed(rag_suite(**PANEL, arbitrate=arbitrate), {"c0": drawing})
    assert (("r0", "c0") in evidence.arbitrated) is asked


@pytest.mark.parametrize(("supported", "asked"), [(81, False), (82, True), (85, True), (88, True), (89, False)])
def test_the_ends_of_the_band_belong_to_it(supported: int, asked: bool) -> None:
    evidence = claimed(rag_suite(**PANEL), {"c0": "+" * supported + "-" * (100 - supported)})
    assert bool(evidence.arbitrated) is asked


def test_a_mean_in_the_band_is_judged_anew_by_the_panel() -> None:
    suite = rag_suite({"require": "mean", "min": 0.6}, **PANEL)
    drawn = cases("+*60", "-*40")
    panel = {name: dict.fromkeys(drawn, "+") for name in "abc"}
    evidence = claimed(suite, drawn, panel)
    assert len(evidence.arbitrated) == 100
    assert (verdict(evidence).estimate, verdict(evidence).verdict) == (1.0, PASS)
    assert not claimed(suite, cases("+*99", "-*1")).arbitrated


def test_panels_rank_the_same_contexts() -> None:
    suite = rag_suite({"metric": "context_precision", "min": 0.8}, panel=["a", "b", "c"], arbitrate="pivotal")
    votes = {name: {"c0": drawing} for name, drawing in zip("abc", ("+-", "+-", "-+"), strict=True)}
    assert verdict(ranked(suite, {"c0": "+-"}, votes)).verdict is PASS
    votes["b"] = {"c0": "-+"}
    assert verdict(ranked(suite, {"c0": "+-"}, votes)).verdict is FAIL


# --- for a person ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("drawing", "manual", "unvalidated", "expected", "codes"),
    [
        ("+", False, True, REVIEW, ["unvalidated_judge"]),
        ("-", False, True, FAIL, []),
        ("!", False, True, OPEN, []),
        ("+", True, False, REVIEW, ["requires_manual_review"]),
        ("+", True, True, REVIEW, ["requires_manual_review", "unvalidated_judge"]),
        ("-", True, True, FAIL, ["requires_manual_review"]),
        ("!", True, False, REVIEW, ["requires_manual_review"]),
    ],
)
def test_reviews_hide_no_failure(
    drawing: str, manual: bool, unvalidated: bool, expected: Verdict, codes: list[str]
) -> None:
    evidence = claimed(rag_suite({"requires_manual_review": manual}), {"c0": drawing})
    found = verdict(evidence, unvalidated=unvalidated)
    assert found.verdict is expected
    assert [code for code in found.reasons if code in ("requires_manual_review", "unvalidated_judge")] == codes
    assert found.underlying is {"+": PASS, "-": FAIL, "!": OPEN}[drawing]


def test_messages_say_what_was_counted() -> None:
    found = verdict(claimed(rag_suite(min_coverage=0.5), cases("+*3", "+-", "!", "0")))
    assert found.message == (
        "3 of 5 answers reach a faithfulness of .85, 1 does not, 1 is open. Every answer has to. "
        "1 answer has nothing to score."
    )
    assert found.interval == (0.6, 0.8)


@settings(deadline=None)
@given(st.lists(st.sampled_from(["+", "+-", "-", "+?", "!", "0", ".", BORDER]), min_size=1, max_size=8))
def test_numbers_are_in_order(drawings: list[str]) -> None:
    for rule in ({}, {"require": "pass_rate", "pass_rate": 0.5}, {"require": "mean"}):
        found = verdict(claimed(rag_suite(rule), cases(*drawings)))
        assert 0 <= found.interval[0] <= found.interval[1] <= 1


def test_always_puts_every_score_to_the_panel() -> None:
    suite = rag_suite({}, panel=["a", "b", "c"], arbitrate="always")
    evidence = claimed(suite, {"clear": "++++", "poor": "----", "refusal": "0"})
    assert evidence.arbitrated == {("r0", "clear"), ("r0", "poor")}
