"""Real files with published answers, and inputs of the kinds that people really feed to such tools."""

import os
from pathlib import Path

import pytest

from fairgate.config import load
from fairgate.errors import FairgateError
from fairgate.parity.suite import judge_fairness
from fairgate.results import SuiteResult

SHARED = Path(os.environ.get("FAIRGATE_SHARED") or Path(__file__).resolve().parents[2].parent / "shared")
FIELD = SHARED / "cases" / "field"

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="../shared is not here")

RATES = ("error", "false_positive", "false_negative", "selection")
FIRST = {"error": (2, 6), "false_positive": (1, 3), "false_negative": (1, 3), "selection": (3, 6)}
SECOND = {"error": (2, 6), "false_positive": (0, 3), "false_negative": (2, 3), "selection": (1, 6)}


def judge(folder: Path, text: str, data: Path) -> SuiteResult:
    (folder / data.name).write_bytes(data.read_bytes())
    (folder / "fairness.yaml").write_text(text)
    project = load(folder / "fairness.yaml")
    return judge_fairness(project.config.fairness[0], project, ("fairness",), project.config.confidence)


def counted(result: SuiteResult) -> dict[tuple[str | None, str], tuple[int, int]]:
    return {
        (rule.rate, " ".join(group.group.values())): (group.events, group.observed)
        for rule in result.rules
        for group in rule.groups or []
    }


def test_compas_as_published(tmp_path: Path) -> None:
    rules = "".join(
        f"    - {{id: {rate}, rate: {rate}, attribute: race, max_group_gap: 0.05, max_left_out: 0.2}}\n"
        for rate in RATES
    )
    text = (
        "fairness:\n  name: compas\n  cases: compas_aequitas_floatpred.csv\n  label: label\n  prediction: prediction\n"
        f"  attributes: {{race: [African-American, Caucasian, Asian]}}\n  rules:\n{rules}"
    )
    result = judge(tmp_path, text, SHARED / "data" / "parity" / "compas_aequitas_floatpred.csv")
    found = counted(result)
    assert result.counts.cases == 7214
    assert found["false_positive", "African-American"] == (805, 1795)
    assert found["false_positive", "Caucasian"] == (349, 1488)
    assert found["false_negative", "African-American"] == (532, 1901)
    assert found["false_negative", "Caucasian"] == (461, 966)
    assert found["false_positive", "Asian"] == (2, 23)
    assert found["false_negative", "Asian"] == (3, 9)
    assert found["selection", "African-American"] == (2174, 3696)
    assert found["selection", "Caucasian"] == (854, 2454)


def test_groups_that_are_integers(tmp_path: Path) -> None:
    text = (
        "fairness:\n  name: acs\n  cases: acsincome_lightgbm_20k.csv\n  label: label\n  prediction: prediction\n"
        "  attributes: {sex: [1, 2], race: [0, 1, 2, 3, 4, 5, 6, 7, 8]}\n  intersections: [[sex, race]]\n"
        "  rules:\n    - {id: x, rate: false_negative, attribute: [sex, race], max_group_gap: 0.1}\n"
    )
    result = judge(tmp_path, text, SHARED / "data" / "parity" / "acsincome_lightgbm_20k.csv")
    (rule,) = result.rules
    assert rule.groups is not None
    assert len(rule.groups) == 18
    assert rule.left_out is not None
    assert rule.left_out.cases == 0


@pytest.mark.parametrize(
    ("case", "data"),
    [
        ("02-semicolon-decimal-comma", "cases.csv"),
        ("04-tab-in-csv", "cases.csv"),
        ("06-utf16-excel-unicode-text", "cases.csv"),
        ("10-quoted-newlines", "cases.csv"),
        ("20-na-namibia", "cases.csv"),
        ("24-nfd-column-name", "cases.csv"),
        ("34-probability-out-of-range", "cases.csv"),
        ("36-ids-over-2-53", "cases.csv"),
        ("36-ids-over-2-53", "cases.jsonl"),
        ("52-jsonl-blank-lines", "cases.jsonl"),
        ("58-md-pipes-newlines", "cases.csv"),
        ("64-csv-formula", "cases.csv"),
    ],
)
def test_field_cases_with_a_right_value(tmp_path: Path, case: str, data: str) -> None:
    folder = FIELD / case
    text = (folder / "fairness.yaml").read_text().replace("cases.csv", data)
    before, rule = text.split("    - {id: r1, rate: false_negative, ")
    text = before + "".join(f"    - {{id: {rate}, rate: {rate}, {rule}" for rate in RATES)
    result = judge(tmp_path, text, folder / data)
    for judged in result.rules:
        groups = [(group.events, group.observed) for group in judged.groups or []]
        assert groups == [FIRST[str(judged.rate)], SECOND[str(judged.rate)]], judged.rate
    assert result.counts.cases == 12


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("08-nul-bytes", ["line 4", "NUL"]),
        ("12-ragged-rows", ["line 5", "line 10"]),
        ("14-trailing-prose", ["line 15", "All 12 cases"]),
        ("16-duplicate-header", ["'label'", "positions 2 and 4"]),
        ("18-no-header", ["no header row with id, label, prediction", "c01,1,1,0.91,female"]),
        ("26-fullwidth", ["label '１'", "column 'prediction' holds"]),
        ("30-bool-and-word-labels", ["label 'True'", "'no' (8 times), 'yes' (4 times)"]),
        ("32-vietnamese-decisions", ["prediction 'DUYỆT'", "'XEM LẠI' (6 times)"]),
        ("54-jsonl-trailing-comma-comments", ["line 1", "line 5", "'// half way'"]),
        ("56-jsonl-log-lines", ["line 1", "line 2", "WARN row 2"]),
    ],
)
def test_field_cases_that_are_refused(tmp_path: Path, case: str, expected: list[str]) -> None:
    folder = FIELD / case
    (data,) = folder.glob("cases.*")
    with pytest.raises(FairgateError) as refused:
        judge(tmp_path, (folder / "fairness.yaml").read_text(), data)
    assert all(words in str(refused.value) for words in expected), refused.value


@pytest.mark.parametrize(
    ("case", "undeclared", "blank", "remark"),
    [
        ("22-padded-group-values", {"Male ": 2, "male": 2, "\xa0Male": 2, " NA ": 2}, 0, "undeclared_values"),
        ("28-float-groups", {}, 1, None),
        ("38-missing-attribute", {}, 4, None),
        ("40-age-boundary", {"25": 2, "25.0": 2, "18–25": 2}, 0, "undeclared_values"),
        ("42-inverted-prediction", {}, 0, "error_above_half"),
    ],
)
def test_field_cases_that_are_judged_with_a_remark(
    tmp_path: Path, case: str, undeclared: dict[str, int], blank: int, remark: str | None
) -> None:
    folder = FIELD / case
    result = judge(tmp_path, (folder / "fairness.yaml").read_text(), folder / "cases.csv")
    left_out = result.rules[0].left_out
    assert left_out is not None
    assert (left_out.undeclared, left_out.missing_attribute) == (undeclared, blank)
    assert (left_out.undeclared_value, result.verdict) == (sum(undeclared.values()), "INSUFFICIENT_EVIDENCE")
    assert [warning.code for warning in result.warnings] == ([remark] if remark else [])
