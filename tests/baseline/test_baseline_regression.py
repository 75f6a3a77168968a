"""How much worse: the reference values of the statistics, and the law over every rule about the change."""

from collections.abc import Sequence
from typing import Any

import pytest
from baseline_desk import FLIPS, comparison, rag_suite, swap_grid, swap_suite
from hypothesis import given, settings
from hypothesis import strategies as st

from fairgate.baseline.compare import compare_suite
from fairgate.baseline.regression import flip_regression, gap_regression, score_regression
from fairgate.baseline.rules import blindness, judge_rule, size_problem
from fairgate.config.compared import ComparisonRule
from fairgate.config.triad import TriadComparison
from fairgate.results import SuiteResult
from fairgate.stats import bounded_mean
from fairgate.stats.discordance import mcnemar
from fairgate.swap.grid import Response
from fairgate.swap.suite import Evidence, judge
from fairgate.swap.suite import blindness as blindness_of
from fairgate.verdict import Verdict

PASS, FAIL, OPEN = Verdict.PASS, Verdict.FAIL, Verdict.INSUFFICIENT_EVIDENCE
TAIL = 0.05


def judged(rule: ComparisonRule, before: SuiteResult, now: SuiteResult, min_coverage: float = 0.9) -> Verdict:
    return judge_rule(rule, compare_suite(before, now), 0.95, min_coverage).verdict


@pytest.mark.parametrize(
    ("bad", "good", "verdict"),
    [(0, 0, PASS), (1, 1, PASS), (3, 5, PASS), (2, 0, OPEN), (15, 1, FAIL), (12, 2, OPEN)],
)
def test_the_reference_values_of_a_flip_rate(bad: int, good: int, verdict: Verdict) -> None:
    """At a margin of 2 points and n = 200, p = .022397, .038473, .030558, .235148; .003611, .054482."""
    same = 200 - bad - good
    before = swap_suite(f"++*{bad} +-*{good} ++*{same - 50} --*50")
    now = swap_suite(f"+-*{bad} ++*{good} ++*{same - 50} --*50")
    assert judged(comparison(max_regression=0.02), before, now) is verdict


@pytest.mark.parametrize(("margin", "needed"), [(0.01, 299), (0.02, 149), (0.05, 59), (0.10, 29)])
def test_pairs_that_a_rate_which_did_not_rise_takes(margin: float, needed: int) -> None:
    assert size_problem(needed, margin, TAIL) is None
    assert f"{needed} are needed" in (size_problem(needed - 1, margin, TAIL) or "")


def test_a_limit_of_nothing_says_that_no_number_of_cases_proves_it() -> None:
    result = judge_rule(
        comparison(max_regression=0), compare_suite(swap_suite("++*30 --*30"), swap_suite("++*30 --*30")), 0.95, 0.9
    )
    assert (result.verdict, result.reasons) == (OPEN, ["too_few_cases_to_pass"])
    assert "no number of cases" in result.message


def test_a_missing_outcome_stands_at_its_worst_for_both_sides() -> None:
    before, now = swap_suite("++*60 --*40"), swap_suite("++*50 +?*10 --*40")
    pairs = list(zip(before.outcomes.bases, now.outcomes.bases, strict=True))  # type: ignore[union-attr]
    found = flip_regression(pairs, 0.05, TAIL)
    assert (found.verdict, found.missing, found.estimate) == (OPEN, 10, 0.0)
    assert found.interval[0] < 0 < 0.1 < found.interval[1]


def test_a_gap_is_bounded_by_the_formula() -> None:
    """statistics.md section 8: for both s some t with the upper bound (alpha/2) of mean(s·D_new − t·D_old)."""
    before, now = swap_suite("++*70 +-*20 -+*10"), swap_suite("++*60 +-*35 -+*5")
    old, new = [0] * 70 + [1] * 20 + [-1] * 10, [0] * 60 + [1] * 35 + [-1] * 5

    def bound(s: int, t: int, upper: bool) -> float:
        values = [(s * b - t * a + 2) / 4 for a, b in zip(old, new, strict=True)]
        counts = {value: float(values.count(value)) for value in set(values)}
        return (bounded_mean.upper_bound if upper else bounded_mean.lower_bound)(counts, TAIL / 2) * 4 - 2

    assert before.outcomes is not None
    assert now.outcomes is not None
    pairs = list(zip(before.outcomes.bases, now.outcomes.bases, strict=True))
    found = gap_regression(pairs, before.outcomes, now.outcomes, ["gender"], 0.1, TAIL)
    upper = max(min(bound(s, t, True) for t in (1, -1)) for s in (1, -1))
    lower = max(min(bound(s, t, False) for t in (1, -1)) for s in (1, -1))
    assert found.interval == pytest.approx((lower, upper), abs=1e-6)
    assert found.estimate == pytest.approx(0.30 - 0.10)


GAP = comparison(max_regression=0.1, rate="selection", attribute=["gender"])


@pytest.mark.parametrize(
    ("before", "now", "verdict"),
    [
        ("++*300 --*300", "++*300 --*300", PASS),
        ("++*300 +-*300", "++*300 --*300", PASS),  # a gap that closes is no regression
        ("++*300 +-*300", "++*300 -+*300", PASS),  # as large as before, the other way round
        ("++*300 --*300", "++*300 +-*300", FAIL),
        ("++*5 --*5", "++*5 --*5", OPEN),
    ],
)
def test_the_regression_of_a_gap(before: str, now: str, verdict: Verdict) -> None:
    assert judged(GAP, swap_suite(before), swap_suite(now)) is verdict


def scored(values: Sequence[float | tuple[float, float] | str | None]) -> SuiteResult:
    return rag_suite({f"s{number}": value for number, value in enumerate(values)})


DROP = TriadComparison(id="drop", max_regression=0.1, metric="faithfulness")


@pytest.mark.parametrize(
    ("before", "now", "verdict"),
    [
        ([0.9] * 100, [0.9] * 100, PASS),
        ([0.9] * 100, [0.5] * 100, FAIL),
        ([0.9] * 5, [0.9] * 5, OPEN),
        ([0.9] * 100, [0.9] * 80 + [None] * 20, OPEN),
        ([0.9] * 100, [0.9] * 95 + ["no_claims"] * 5, PASS),
        ([0.9] * 100, [0.9] * 80 + ["no_claims"] * 20, OPEN),  # below the coverage
        ([0.9] * 10, ["no_claims"] * 10, OPEN),
    ],
)
def test_the_drop_of_a_mean_score(before: list[float], now: list[float | str | None], verdict: Verdict) -> None:
    assert judged(DROP, scored(before), scored(now)) is verdict


def test_a_score_known_in_part_stands_at_both_its_ends() -> None:
    suite = scored([0.5] * 10), scored([(0.25, 1.0)] * 10)
    found = score_regression(compare_suite(*suite).answers, "faithfulness", 0.1, TAIL, 0.9)
    assert found.interval[0] < -0.3
    assert found.interval[1] > 0.25
    assert (found.estimate, found.missing) == (None, 10)


@pytest.mark.parametrize(
    ("rule", "before", "now", "verdict", "reason"),
    [
        (comparison(no_new_flips=True), "++ -- +-", "++ -- +-", PASS, "within_limit"),
        (comparison(no_new_flips=True), "++ -- +-", "+- -- +-", FAIL, "beyond_limit"),
        (comparison(no_new_flips=True), "++ -- +-", "+? -- +-", OPEN, "missing_outcomes"),
        (comparison(no_new_flips=True), "+? -- +-", "+- -- +-", OPEN, "missing_outcomes"),
        (comparison(no_new_flips=True), "++ -- +-", "++ -- +?", PASS, "within_limit"),
        (comparison(no_new_failures=True), "++*30 --*30", "+-*60", FAIL, "beyond_limit"),
        (comparison(no_new_failures=True), "+-*60", "+-*60", PASS, "within_limit"),
        (comparison(no_new_failures=True), "++*30 +-*30", "+-*60", OPEN, "undecided"),
    ],
)
def test_nothing_new(rule: ComparisonRule, before: str, now: str, verdict: Verdict, reason: str) -> None:
    result = judge_rule(rule, compare_suite(swap_suite(before), swap_suite(now)), 0.95, 0.9)
    assert (result.underlying, result.reasons[0]) == (verdict, reason)


def test_a_suite_that_cannot_see_anything_is_for_a_person() -> None:
    result = judge_rule(comparison(no_new_flips=True), compare_suite(swap_suite("++*9"), swap_suite("++*9")), 0.95, 0.9)
    assert (result.underlying, result.verdict) == (PASS, Verdict.MANUAL_REVIEW)
    assert "one_sided_suite" in result.reasons


@pytest.mark.parametrize(
    ("drawing", "of_flips", "of_selections"),
    [
        ("rr*30 --*30", PASS, Verdict.MANUAL_REVIEW),
        ("rr*60", Verdict.MANUAL_REVIEW, Verdict.MANUAL_REVIEW),
        ("rr*30 ++*30", PASS, PASS),
        ("--*30 ++*30", PASS, PASS),
    ],
)
def test_whoever_refuses_selects_nobody(drawing: str, of_flips: Verdict, of_selections: Verdict) -> None:
    """As for the rules over the run alone: a suite in which nobody is selected cannot see who is."""
    compared = compare_suite(swap_suite(drawing), swap_suite(drawing))
    gap = comparison(max_regression=0.9, rate="selection", attribute=["gender"])
    for rule, verdict in ((comparison(max_regression=0.9), of_flips), (gap, of_selections)):
        result = judge_rule(rule, compared, 0.95, 0.9)
        assert (result.underlying, result.verdict) == (PASS, verdict)
        assert ("one_sided_suite" in result.reasons) is (verdict is Verdict.MANUAL_REVIEW)


SEEN = st.lists(st.sampled_from("+-r?"), min_size=2, max_size=2).map("".join)


@given(st.lists(SEEN, min_size=1, max_size=4), st.lists(st.lists(SEEN, max_size=3), max_size=2), st.booleans())
def test_a_suite_is_as_blind_to_a_change_as_to_itself(bases: list[str], changes: list[list[str]], gap: bool) -> None:
    """The rules over a change have the report alone, and come to what the suite's own rules say of the evidence."""
    asked = [[(base.cells[0][0], base.cells[1][0]) for base in swap_grid(" ".join(one)).bases] for one in changes]
    responses = tuple(Response({"income": 1}, tuple(pairs)) for pairs in asked)
    drawn = Evidence(swap_grid(" ".join(bases)), responses)
    keys: dict[str, Any] = {"rate": "selection", "attribute": ["gender"]} if gap else {}
    suite = judge("screen", [FLIPS], drawn, 0.95)
    assert blindness(suite, comparison(max_regression=0.5, **keys)) == blindness_of(drawn, selection=gap)


def test_nothing_in_common_is_never_a_pass() -> None:
    before, now = swap_suite("++ --", names=["a", "b"]), swap_suite("++ --", names=["c", "d"])
    for rule in (comparison(no_new_flips=True), comparison(max_regression=0.5), GAP):
        result = judge_rule(rule, compare_suite(before, now), 0.95, 0.9)
        assert (result.verdict, result.reasons) == (OPEN, ["nothing_comparable"])


@pytest.mark.parametrize(("one", "other", "p"), [(1, 7, 0.0703125), (12, 2, 0.0129), (0, 0, 1.0), (3, 3, 1.0)])
def test_mcnemar(one: int, other: int, p: float) -> None:
    assert mcnemar(one, other) == pytest.approx(p, abs=5e-5)


# --- the law ---------------------------------------------------------------------------------------------------------

SWAP_RULES = [
    comparison(no_new_flips=True),
    comparison(no_new_failures=True),
    comparison(max_regression=0.3, rate="selection", attribute=["gender"]),
]
DECIDED = (PASS, FAIL)


def never_improved(full: Verdict, hidden: Verdict) -> None:
    assert hidden not in DECIDED or hidden is full, f"{full} became {hidden}"


@st.composite
def runs(draw: st.DrawFn, size: int) -> tuple[list[list[str]], list[list[str]]]:
    """Two runs of as many bases, often the same outcomes twice, and both with some outcomes hidden."""
    word = st.sampled_from(["++", "--", "++", "--", "+-", "-+", "+?"])
    before = draw(st.lists(word, min_size=size, max_size=size))
    now = list(before) if draw(st.booleans()) else draw(st.lists(word, min_size=size, max_size=size))
    hide = draw(st.lists(st.integers(0, 9), min_size=4 * size, max_size=4 * size))
    lost = iter(hide)
    hidden = [["".join("?" if next(lost) == 0 else sign for sign in one) for one in run] for run in (before, now)]
    return [before, now], hidden


def check_the_law(rule: ComparisonRule, drawn: list[list[str]], hidden: list[list[str]]) -> None:
    full = [swap_suite(" ".join(run)) for run in drawn]
    less = [swap_suite(" ".join(run)) for run in hidden]
    for before, now in ((full[0], less[1]), (less[0], full[1]), (less[0], less[1])):
        never_improved(_underlying(rule, *full), _underlying(rule, before, now))


@settings(max_examples=25, deadline=None)
@given(found=st.one_of(runs(6), runs(40)))
def test_hiding_outcomes_of_either_run_never_improves_a_verdict(
    found: tuple[list[list[str]], list[list[str]]],
) -> None:
    for rule in SWAP_RULES:
        check_the_law(rule, *found)


@settings(max_examples=10, deadline=None)
@given(found=runs(8))
def test_hiding_outcomes_never_improves_the_exact_test(found: tuple[list[list[str]], list[list[str]]]) -> None:
    check_the_law(comparison(max_regression=0.35), *found)


def _underlying(rule: ComparisonRule, before: SuiteResult, now: SuiteResult) -> Verdict:
    return judge_rule(rule, compare_suite(before, now), 0.95, 0.9).underlying


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_hiding_scores_of_either_run_never_improves_a_verdict(data: st.DataObject) -> None:
    size = data.draw(st.sampled_from([4, 60]))
    values = st.sampled_from([1.0, 0.9, 0.8, 0.5, 0.2, "no_claims", None])
    drawn = [data.draw(st.lists(values, min_size=size, max_size=size)) for _ in range(2)]
    if data.draw(st.booleans()):
        drawn[1] = list(drawn[0])
    hidden = [[None if data.draw(st.integers(0, 9)) == 0 else value for value in run] for run in drawn]
    rules = [DROP, TriadComparison(id="none", no_new_failures=True)]
    for rule in rules:
        full = _underlying(rule, scored(drawn[0]), scored(drawn[1]))
        for before, now in ((drawn[0], hidden[1]), (hidden[0], drawn[1]), (hidden[0], hidden[1])):
            never_improved(full, _underlying(rule, scored(before), scored(now)))
