"""A suite from file to result: counts, remarks, what validate says, and sentences with numbers."""

from collections.abc import Callable
from typing import Any

import pytest
from parity_desk import COLUMNS, Desk

from fairgate.errors import FairgateError
from fairgate.verdict import Verdict

People = Callable[..., list[dict[str, object]]]
SELECTION = "{id: sel, rate: selection, attribute: sex, max_group_gap: 0.2}"
GAP = "{id: gap, rate: false_negative, attribute: sex, max_group_gap: 0.2}"
FLOOR = "{id: floor, rate: false_negative, attribute: sex, worst_group: {max: 0.4}}"


def codes(result: Any) -> list[str]:
    return [remark.code for remark in result.warnings]


def test_a_result_in_full(desk: Desk, people: People) -> None:
    desk.write("decided.csv", people(female=(6, 300), male=(9, 300)))
    rule = GAP.replace("}", ", decided_by: Credit, why: policy 12}")
    result = desk.judge(rule)
    assert (result.name, result.kind, result.verdict) == ("suite", "fairness", Verdict.PASS)
    assert (result.counts.cases, result.counts.observed, result.counts.missing) == (600, 600, 0)
    assert result.counts.completeness == "not_declared"
    assert result.assumption is not None
    assert "different person" in result.assumption
    (judged,) = result.rules
    assert (judged.metric, judged.bound, judged.method, judged.limit) == ("max_group_gap", None, "interval", 0.2)
    assert (judged.decided_by, judged.why) == ("Credit", "policy 12")
    assert judged.gap is not None
    assert (judged.estimate, judged.interval) == (judged.gap.estimate, judged.gap.interval)
    assert judged.gap.between == ({"sex": "female"}, {"sex": "male"})
    assert judged.estimate == pytest.approx(0.01)
    assert judged.message == (
        "The false negative rate differs by at most 5.4 points, within the limit of 20 points "
        "(female: 6 of 300 cases with label 1 (2 %); male: 9 of 300 cases with label 1 (3 %))."
    )


def test_worst_group(desk: Desk, people: People) -> None:
    desk.write("decided.csv", people(female=(6, 300), male=(190, 300)))
    (rule,) = desk.judge(FLOOR).rules
    assert (rule.metric, rule.bound, rule.verdict, rule.reasons) == ("worst_group", "max", "FAIL", ["beyond_limit"])
    assert rule.groups is not None
    assert [group.verdict for group in rule.groups] == ["PASS", "FAIL"]
    assert (rule.estimate, rule.interval) == (rule.groups[1].estimate, rule.groups[1].interval)
    assert rule.gap is None
    assert rule.message.startswith("The false negative rate of the highest of 2 groups (male: 190 of 300")
    assert rule.message.endswith("above the ceiling of 40 %.")


def test_a_review_never_hides_a_failure(desk: Desk, people: People) -> None:
    asked = GAP.replace("}", ", requires_manual_review: true}")
    for events, underlying, verdict in ((9, "PASS", "MANUAL_REVIEW"), (200, "FAIL", "FAIL")):
        desk.write("decided.csv", people(female=(6, 300), male=(events, 300)))
        (rule,) = desk.judge(asked).rules
        assert (rule.underlying, rule.verdict) == (underlying, verdict)
        assert rule.reasons[-1] == "requires_manual_review"
        assert rule.message.endswith("The rule asks for a person to look in any case.")


def test_too_few_cases_to_pass(desk: Desk, people: People) -> None:
    desk.write("decided.csv", people(female=(0, 10), male=(0, 10)))
    (rule,) = desk.judge(GAP).rules
    assert rule.verdict is Verdict.INSUFFICIENT_EVIDENCE
    assert rule.reasons == ["interval_straddles_limit", "small_cell", "too_few_cases_to_pass"]
    (error,) = (finding for finding in desk.check(GAP) if finding.severity == "error")
    assert error.where == ("fairness", "rules", 0)
    assert error.message == (
        "rule gap cannot pass on this file, whatever comes out: 10 cases with label 1 in female; "
        "a gap of 20 % needs at least 30 cases with label 1 in each of 2 equal groups (min_cell)."
    )


def test_too_few_cases_to_pass_does_not_hide_a_failure(desk: Desk, people: People) -> None:
    desk.write("decided.csv", people(female=(0, 20), male=(20, 20)))
    (rule,) = desk.judge(GAP).rules
    assert (rule.verdict, rule.reasons) == (Verdict.FAIL, ["beyond_limit"])


def test_validate_refuses_a_rule_that_leaves_out_too_many(desk: Desk, people: People) -> None:
    rows = [*people(female=(0, 300), male=(0, 300)), *people(**{"": (0, 100)})]
    desk.write("decided.csv", rows)
    (error,) = (finding for finding in desk.check(GAP) if finding.severity == "error")
    assert "100 of 700 cases (14.3 %) belong to no declared group of sex" in error.message
    (rule,) = desk.judge(GAP).rules
    assert (rule.verdict, rule.reasons) == (Verdict.INSUFFICIENT_EVIDENCE, ["too_many_left_out"])


def test_a_gap_wants_a_floor_and_a_floor_a_gap(desk: Desk, people: People) -> None:
    desk.write("decided.csv", people(female=(6, 300), male=(9, 300)))
    assert desk.check(GAP, FLOOR) == []
    for rule, words in ((GAP, "no rule bounds its worst group"), (FLOOR, "no rule limits the gap")):
        (remark,) = desk.check(rule)
        assert (remark.severity, remark.where) == ("remark", ("fairness", "rules", 0))
        assert words in remark.message


def test_a_crossing_without_a_rule_is_reported(desk: Desk) -> None:
    columns = COLUMNS.replace("male]", "male], band: [a, b]") + "min_cell: 0\n"
    rows = [
        {"id": f"{s}{b}{i}", "label": 1, "prediction": 1, "sex": s, "band": b}
        for s in ("female", "male")
        for b in "ab"
        for i in range(40)
    ]
    desk.write("decided.csv", rows)
    crossed = "intersections: [[sex, band]]"
    messages = [finding.message for finding in desk.check(GAP, FLOOR, columns=columns, more=crossed)]
    assert messages == ["the crossing sex × band is declared and no rule looks at it."]
    rule = "{id: x, rate: error, attribute: [band, sex], max_group_gap: 0.5}"
    floor = "{id: y, rate: error, attribute: [sex, band], worst_group: {max: 0.5}}"
    assert desk.check(rule, floor, columns=columns, more=crossed) == []
    (judged,) = desk.judge(rule, columns=columns).rules
    assert judged.groups is not None
    assert [tuple(group.group.values()) for group in judged.groups] == [
        ("a", "female"),
        ("a", "male"),
        ("b", "female"),
        ("b", "male"),
    ]


def test_a_crossing_leaves_a_case_out_once(desk: Desk) -> None:
    columns = COLUMNS.replace("male]", "male], band: [a, b]")
    levels = [("female", "a"), ("", ""), ("", "z"), ("female", "z"), ("x", "z"), ("male", "b")]
    rows = [{"id": i, "label": 1, "prediction": 1, "sex": s, "band": b} for i, (s, b) in enumerate(levels)]
    desk.write("decided.csv", rows)
    (rule,) = desk.judge("{id: x, rate: error, attribute: [sex, band], max_group_gap: 0.5}", columns=columns).rules
    assert rule.left_out is not None
    assert (rule.left_out.cases, rule.left_out.missing_attribute, rule.left_out.undeclared_value) == (4, 2, 2)
    assert rule.left_out.undeclared == {"z": 2, "x": 1}


def test_the_left_out_share_of_the_denominator_is_shown(desk: Desk, people: People) -> None:
    rows = [*people(female=(0, 20), male=(0, 20)), *people(**{"": (0, 10)})]
    rows += [{"id": f"n{i}", "label": 0, "prediction": 0, "sex": "female"} for i in range(400)]
    desk.write("decided.csv", rows)
    result = desk.judge(GAP)
    left_out = result.rules[0].left_out
    assert left_out is not None
    assert left_out.denominator is not None
    assert (left_out.cases, left_out.of, left_out.denominator.cases, left_out.denominator.of) == (10, 450, 10, 50)
    assert "left_out_of_denominator" in codes(result)
    assert "Of 50 cases with label 1, 10 (20 %) belong to no declared group" in result.warnings[-1].message


def test_odd_spellings_are_listed_with_the_nearest_group(desk: Desk, people: People) -> None:
    rows = [*people(female=(6, 300), male=(9, 300)), *people(**{"Male ": (0, 2), "martian": (0, 1)})]
    desk.write("decided.csv", rows)
    result = desk.judge(GAP)
    (remark,) = (remark for remark in result.warnings if remark.code == "undeclared_values")
    assert "3 cases have an undeclared value in sex: 'Male ' (2 cases, nearest declared group 'male')" in remark.message
    assert result.rules[0].left_out is not None
    assert result.rules[0].left_out.undeclared == {"Male ": 2, "martian": 1}


def test_inverted_predictions_are_pointed_out(desk: Desk, people: People) -> None:
    desk.write("decided.csv", people(female=(200, 300), male=(190, 300)))
    assert "error_above_half" in codes(desk.judge(GAP))
    desk.write("decided.csv", people(female=(200, 300), male=(100, 300)))
    assert "error_above_half" not in codes(desk.judge(GAP))


def test_calibration_leaves_out_what_is_no_probability(desk: Desk) -> None:
    values = [("female", 1, 0.9), ("female", 0, 0.9), ("female", 1, 1), ("female", 1, ""), ("male", 0, 1.2)]
    rows = [{"id": i, "label": y, "prediction": 1, "sex": s, "p": p} for i, (s, y, p) in enumerate(values)]
    desk.write("decided.csv", rows)
    result = desk.judge(GAP, columns=COLUMNS + "probability: p\n")
    assert result.calibration is not None
    female, male = result.calibration
    # 0.9, 0.9 and 1 share the last bin: (2.8 - 2) / 3
    assert (female.group, female.n, female.left_out) == ("female", 3, 1)
    assert female.ece == pytest.approx(0.8 / 3)
    assert (male.n, male.ece, male.left_out) == (0, None, 1)
    (remark,) = (remark for remark in result.warnings if remark.code == "unusable_probabilities")
    assert "1 probability is no number between 0 and 1: '1.2' (1 case). 1 probability is blank." in remark.message


def test_a_selection_rule_needs_no_labels_and_says_that_calibration_does(desk: Desk) -> None:
    desk.write("decided.csv", [{"id": i, "prediction": 1, "sex": "male", "p": 0.5} for i in range(3)])
    columns = COLUMNS.replace("label: label\n", "") + "probability: p\n"
    result = desk.judge(SELECTION, columns=columns)
    assert result.calibration is None
    assert codes(result) == ["no_calibration"]


def test_hidden_rows_count_as_possibly_left_out(desk: Desk, people: People) -> None:
    desk.write("decided.csv", people(female=(6, 300), male=(9, 300)))
    result = desk.judge(GAP, more="expected: {cases: 610}")
    assert result.counts.missing_reasons == {"row_absent": 10}
    assert result.counts.completeness == "declared"
    assert result.verdict is Verdict.PASS
    (rule,) = desk.judge(GAP, more="expected: {cases: 900}").rules
    assert rule.reasons == ["too_many_left_out"]
    assert "300 more are absent, which may belong to none either" in rule.message


def test_absent_rows_whose_group_is_known_count_as_missing_predictions(desk: Desk, people: People) -> None:
    rows = people(female=(6, 300), male=(9, 300))
    desk.write("ids.csv", rows)
    desk.write("decided.csv", rows[:-100])
    result = desk.judge(GAP, more="expected: {ids: ids.csv}")
    (rule,) = result.rules
    assert rule.groups is not None
    assert [(group.eligible, group.missing) for group in rule.groups] == [(300, 0), (300, 100)]
    assert result.counts.missing_reasons == {"row_absent": 100}
    assert rule.reasons == ["interval_straddles_limit", "missing_predictions"]
    assert rule.message.endswith("filling in what is missing would settle it as PASS.")


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("{id: x, rate: error, attribute: race, max_group_gap: 0.1}", "rule x: attribute .race. is not declared"),
        ("{id: x, rate: error, attribute: [sex, sex], max_group_gap: 0.1}", "named twice"),
        ("{id: x, rate: error, attribute: sex}", "rule x"),
    ],
)
def test_rules_that_are_refused(desk: Desk, people: People, rule: str, expected: str) -> None:
    desk.write("decided.csv", people(female=(6, 300), male=(9, 300)))
    with pytest.raises(FairgateError, match=expected):
        desk.judge(rule)
