"""The shared cases with known answers, from file to result, exactly."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from fairgate.config import Project, load, with_policy
from fairgate.errors import FairgateError
from fairgate.parity.suite import judge_fairness
from fairgate.results import RuleResult, SuiteResult

SHARED = Path(os.environ.get("FAIRGATE_SHARED") or Path(__file__).resolve().parents[2].parent / "shared")
CASES = sorted((SHARED / "cases" / "parity").glob("[0-9]*"))

# Words of the refusal that have to be in ours: expected.json says in free words what it is about.
ABOUT = {
    "31_single_group_attribute": ["rule fnr-by-sex: a gap needs at least two declared groups"],
    "43_bad_prediction": ["line 5: prediction 'nan' is not 0, 1 or blank"],
    "45_duplicate_id": ["line 6: duplicate id 'c3'"],
    "47_header_only": ["no rows"],
    "49_undeclared_attribute_in_rule": ["rule x: attribute", "race", "is not declared"],
}
CLOSE = {"rel": 0, "abs": 1e-9}

pytestmark = pytest.mark.skipif(not CASES, reason="../shared is not here")


def project_of(folder: Path) -> Project:
    project = load(folder / "fairness.yaml")
    policy = folder / "release.yaml"
    return with_policy(project, policy) if policy.exists() else project


def judge(project: Project) -> SuiteResult:
    return judge_fairness(project.config.fairness[0], project, ("fairness",), project.config.confidence)


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_case(folder: Path) -> None:
    expected = json.loads((folder / "expected.json").read_text())
    if expected.get("error"):
        with pytest.raises(FairgateError) as refused:
            judge(project_of(folder))
        # A kept-back case has no words here; its own are then what ours have to hold.
        for words in ABOUT.get(folder.name, [expected["error_about"]]):
            assert words in str(refused.value)
        return
    project = project_of(folder)
    result = judge(project)
    assert (result.verdict, result.verdict.exit_code) == (expected["verdict"], expected["exit_code"])
    assert result.counts.cases == expected["cases"]
    assert project.config.confidence == expected["confidence"]
    assert (result.assumption is None) == ("unit" in (folder / "fairness.yaml").read_text())
    assert len(result.rules) == len(expected["rules"])
    for rule, values in zip(result.rules, expected["rules"], strict=True):
        check_rule(rule, values)
    check_calibration(result, expected.get("calibration"))


def check_rule(rule: RuleResult, expected: dict[str, Any]) -> None:
    metric = rule.metric if rule.bound is None else f"{rule.metric}.{rule.bound}"
    assert metric == expected["metric"]
    for key in ("id", "rate", "attribute", "limit", "verdict"):
        assert getattr(rule, key) == expected[key], key
    assert rule.confidence_per_group == pytest.approx(expected["confidence_per_group"], **CLOSE)
    assert rule.groups is not None
    assert len(rule.groups) == len(expected["groups"])
    for group, values in zip(rule.groups, expected["groups"], strict=True):
        for key in ("group", "eligible", "observed", "missing", "events"):
            assert getattr(group, key) == values[key], key
        check_span(group.estimate, group.interval, values)
    assert (rule.gap is None) == ("gap" not in expected)
    if rule.gap is not None:
        check_span(rule.gap.estimate, rule.gap.interval, expected["gap"])
    assert rule.left_out is not None
    for key, value in expected["left_out"].items():
        assert getattr(rule.left_out, key) == value, key
    if "underlying" in expected:
        assert rule.underlying == expected["underlying"]


def check_span(estimate: float | None, interval: tuple[float, float], expected: dict[str, Any]) -> None:
    assert interval == pytest.approx(tuple(expected["interval"]), **CLOSE)
    if expected["estimate"] is None:
        assert estimate is None
    else:
        assert estimate == pytest.approx(expected["estimate"], **CLOSE)


def check_calibration(result: SuiteResult, expected: list[dict[str, Any]] | None) -> None:
    if expected is None:
        assert result.calibration is None
        return
    assert result.calibration is not None
    for group, values in zip(result.calibration, expected, strict=True):
        assert (group.group, group.n) == (values["group"], values["n"])
        assert group.ece == pytest.approx(values["ece"], **CLOSE)
