"""What auditors ask for: predictive values, the run-level error, what would settle it, strata, reliability, plans."""

from collections.abc import Callable

import pytest
from parity_desk import COLUMNS, Desk

from fairgate.config.model import FairnessSuite
from fairgate.parity.planning import plan_fairness
from fairgate.verdict import Verdict

People = Callable[..., list[dict[str, object]]]
BERKELEY = {  # Bickel, Hammel & O'Connell (1975), Science 187, 398-404: admitted and refused by department, 1973
    "A": ((512, 313), (89, 19)),
    "B": ((353, 207), (17, 8)),
    "C": ((120, 205), (202, 391)),
    "D": ((138, 279), (131, 244)),
    "E": ((53, 138), (94, 299)),
    "F": ((22, 351), (24, 317)),
}


def rows_of(*cells: tuple[str, str, int, int]) -> list[dict[str, object]]:
    """(sex, label, prediction, how many) as rows."""
    return [
        {"id": f"{sex}{label}{prediction}{i}", "label": label, "prediction": prediction, "sex": sex}
        for sex, label, prediction, many in cells
        for i in range(many)
    ]


def test_predictive_values_count_the_cases_predicted_1(desk: Desk) -> None:
    cells = [("female", "1", "1", 6), ("female", "0", "1", 2), ("female", "1", "", 1), ("female", "0", "0", 5)]
    desk.write("decided.csv", rows_of(*cells, ("male", "1", "1", 3), ("male", "0", "1", 1), ("male", "0", "", 2)))
    rules = [
        f"{{id: {rate}, rate: {rate}, attribute: sex, max_group_gap: 0.2}}"
        for rate in ("positive_predictive_value", "false_discovery_rate")
    ]
    value, discovery = desk.judge(*rules).rules
    for rule, events in ((value, (6, 3)), (discovery, (2, 1))):
        assert rule.groups is not None
        assert [(group.eligible, group.observed, group.missing) for group in rule.groups] == [(9, 8, 1), (6, 4, 2)]
        assert tuple(group.events for group in rule.groups) == events
    assert "6 of 8 cases predicted 1 (75 %)" in value.message


def test_the_error_of_the_run_is_said(desk: Desk, people: People) -> None:
    desk.write("decided.csv", people(female=(6, 300), male=(9, 300)))
    rules = [f"{{id: g{i}, rate: error, attribute: sex, max_group_gap: 0.2}}" for i in range(4)]
    assert "of at most 5 % for each of 4 rules, 20 % for all together" in (desk.judge(*rules).error or "")
    corrected = desk.judge(*rules, more="fail_error: run").error
    assert corrected == (
        "A false PASS of the suite, and a false FAIL of any of its 4 rules, has a probability of at most 5 % each."
    )


def test_what_would_settle_it_by_both_methods(desk: Desk, people: People) -> None:
    desk.write("decided.csv", people(female=(10, 100), male=(10, 100)))
    (rule,) = desk.judge("{id: gap, rate: error, attribute: sex, max_group_gap: 0.1}").rules
    assert rule.settle is not None
    own, other = rule.settle
    assert (own.method, own.by, own.verdict, own.power) == ("interval", "cases", Verdict.PASS, 0.8)
    assert [need.cases for need in own.more] == [pytest.approx(371, rel=0.04)] * 2
    assert [need.cases for need in other.more] == [pytest.approx(163, rel=0.06)] * 2
    assert "would settle it as PASS with 80 % probability; method exact would need about" in rule.message


def test_the_exact_method_from_file_to_sentence(desk: Desk, people: People) -> None:
    desk.write("decided.csv", people(female=(10, 100), male=(10, 100)))
    rule_text = "{id: gap, rate: error, attribute: sex, max_group_gap: 0.1}"
    (rule,) = desk.judge(rule_text, more="method: exact").rules
    assert (rule.verdict, rule.method, rule.confidence_per_group, rule.settle) == (Verdict.PASS, "exact", None, None)
    assert rule.message.startswith("The error rate differs by at most 7.6 points, within the limit of 10 points")


def test_four_fifths(desk: Desk) -> None:
    desk.write("decided.csv", rows_of(("female", "1", "1", 30), ("female", "1", "0", 70), ("male", "1", "1", 60)))
    (rule,) = desk.judge("{id: ratio, rate: selection, attribute: sex, min_ratio: 0.8}").rules
    assert (rule.verdict, rule.metric, rule.gap) == (Verdict.FAIL, "min_ratio", None)
    assert rule.ratio is not None
    assert rule.ratio.between == ({"sex": "female"}, {"sex": "male"})
    assert rule.estimate == pytest.approx(0.3)
    assert "of that of male, beyond the limit of 80 %" in rule.message


def test_a_gap_that_turns_round_within_strata_is_told_with_its_numbers(desk: Desk) -> None:
    rows = [
        {"id": f"{dept}{sex}{decision}{i}", "prediction": decision, "sex": sex, "dept": dept}
        for dept, cells in BERKELEY.items()
        for sex, counts in zip(("male", "female"), cells, strict=True)
        for decision, many in zip((1, 0), counts, strict=True)
        for i in range(many)
    ]
    desk.write("decided.csv", rows)
    columns = COLUMNS.replace("label: label\n", "")
    rule = "{id: gap, rate: selection, attribute: sex, max_group_gap: 0.2}"
    result = desk.judge(rule, columns=columns, more="strata: dept")
    (remark,) = result.warnings
    assert remark.code == "simpson"
    assert "male: 1,198 of 2,691 cases (44.5 %); female: 557 of 1,835 cases (30.4 %)" in remark.message
    assert "below it in 4 of 6 strata" in remark.message
    assert "A 512 of 825 (62.1 %) against 89 of 108 (82.4 %)" in remark.message
    assert desk.judge(rule, columns=columns).warnings == []


def test_the_reliability_table_adds_up(desk: Desk) -> None:
    values = [(0.05, 0), (0.06, 1), (0.95, 1), (1, 1)]
    rows = [{"id": i, "label": y, "prediction": 1, "sex": "male", "p": p} for i, (p, y) in enumerate(values)]
    desk.write("decided.csv", rows)
    result = desk.judge(
        "{id: e, rate: error, attribute: sex, max_group_gap: 0.2}", columns=COLUMNS + "probability: p\n"
    )
    assert result.calibration is not None
    _, male = result.calibration
    assert [row.n for row in male.bins] == [2, 0, 0, 0, 0, 0, 0, 0, 0, 2]
    assert (male.bins[0].probability, male.bins[0].observed) == (pytest.approx(0.055), 0.5)
    assert male.bins[5].probability is None
    assert male.ece == pytest.approx(0.5 * 0.445 + 0.5 * 0.025)


@pytest.mark.parametrize(("groups", "interval", "exact"), [(2, 371, 163), (4, 561, 245), (8, 746, 317)])
def test_planning_before_any_data_exist(groups: int, interval: int, exact: int) -> None:
    suite = FairnessSuite.model_validate(
        {
            "name": "s",
            "cases": "none.csv",
            "label": "y",
            "prediction": "p",
            "attributes": {"g": [str(i) for i in range(groups)]},
            "rules": [
                {"id": "gap", "rate": "error", "attribute": ["g"], "max_group_gap": 0.1},
                {"id": "floor", "rate": "selection", "attribute": ["g"], "worst_group": {"min": 0.8}},
            ],
        }
    )
    gap, floor = plan_fairness(suite, 0.95)
    assert gap.groups == groups
    assert gap.cases == {"interval": pytest.approx(interval, rel=0.05), "exact": pytest.approx(exact, rel=0.05)}
    assert floor.rate == pytest.approx(0.9)
