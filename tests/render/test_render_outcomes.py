"""What a comment and a terminal say about refusals and differences of scores."""

import io

import pytest
from report_samples import report, swap_suite
from rich.console import Console

from fairgate.render import markdown, outcomes, phrases
from fairgate.render.terminal import print_report
from fairgate.results import Group, RefusedDirection, RuleResult, ScoreGap, Selection, SuiteResult
from fairgate.verdict import Verdict
from fairgate.wording.numbers import units


def refusals(attribute: str, **events: int) -> Selection:
    groups = [
        Group(
            group={attribute: level}, eligible=160, observed=160, missing=0, events=number,
            estimate=number / 160, interval=(0.0, 0.1),
        )
        for level, number in events.items()
    ]  # fmt: skip
    return Selection(attribute=[attribute], groups=groups)


GAP = ScoreGap(
    axis="gender", between=("male", "female"), bases=80, complete=78,
    estimate=2.125, interval=(-0.41, 4.66), range=(0.0, 100.0),
)  # fmt: skip
WAY = RefusedDirection(axis="gender", refused="female", answered="male", bases=2)


def suite() -> SuiteResult:
    sample = swap_suite()
    assert sample.flips is not None
    return sample.model_copy(
        update={
            "refusals": [refusals("gender", male=1, female=2), refusals("region", north=0, south=3)],
            "score_gaps": [GAP],
            "flips": sample.flips.model_copy(update={"refused": [WAY]}),
        }
    )


REFUSED = "Refused: 3 of 320 answers (male 1, female 2; north 0, south 3)."
SCORES = (
    "Scores by gender: male 2.1 above female on average (from -0.4 to 4.7; 80 cases, 2 without every score; "
    "scores from 0 to 100)."
)


def test_a_line_about_refusals_and_one_for_each_difference_of_scores() -> None:
    assert outcomes.lines(suite()) == [REFUSED, SCORES]
    assert outcomes.lines(swap_suite()) == []


def test_without_a_refusal_nobody_is_named() -> None:
    none = swap_suite().model_copy(update={"refusals": [refusals("gender", male=0, female=0)]})
    assert outcomes.lines(none) == ["Refused: 0 of 320 answers."]


def test_no_difference_where_no_score_came() -> None:
    nothing = GAP.model_copy(update={"estimate": None, "complete": 0})
    assert outcomes.score_gap(nothing) == "Scores by gender: no case has the scores of both male and female."


def test_a_comment_says_it_before_the_rules() -> None:
    page = markdown.comment(report(suite()))
    table = page.index("| Verdict |")
    assert page.index(f"loan-screen: {REFUSED}") < page.index("Scores by gender") < table
    assert "female was refused an answer where male got a decision in 2 cases." in page
    assert "refusal rate by region" in markdown.document(report(suite()))


def test_a_terminal_says_it_too() -> None:
    console = Console(file=io.StringIO(), width=200)
    print_report(report(suite()), console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert REFUSED in text
    assert "female was refused an answer where male got a decision in 2 cases." in text


def test_a_rule_over_refusals_reads_as_one() -> None:
    rule = RuleResult(
        id="refused", verdict=Verdict.PASS, underlying=Verdict.PASS, reasons=["within_limit"], message="m.",
        metric="max_refusal_gap", rate="refusal", limit=0.05, estimate=0.01, interval=(0.0, 0.04), confidence=0.95,
        attribute=["gender"], groups=refusals("gender", male=1, female=2).groups,
    )  # fmt: skip
    ruled = suite().model_copy(update={"rules": [rule]})
    assert phrases.measured(ruled, rule) == "gap in refusal rate by gender"
    assert (phrases.result(ruled, rule), phrases.limit(rule)) == ("1 point", "limit 5 points")
    assert phrases.spread(rule) == "0 to 4 points"
    assert [one.attribute for one in outcomes.unruled_refusals(ruled)] == [["region"]]


@pytest.mark.parametrize(
    ("value", "scale", "text"),
    [(2.125, (0, 100), "2.1"), (0.0213, (0, 1), "0.021"), (-0.01, (0, 100), "0"), (50.0, (0, 1000), "50")],
)
def test_a_difference_has_the_digits_of_its_range(value: float, scale: tuple[float, float], text: str) -> None:
    assert units(value, scale) == text
