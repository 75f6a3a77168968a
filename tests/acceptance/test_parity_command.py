"""Every case with a known answer, through the command itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from fairgate.cli import main

GROUP_KEYS = ("group", "eligible", "observed", "missing", "events")


def cases(shared: Path) -> list[Path]:
    found = sorted((shared / "cases" / "parity").iterdir())
    assert len(found) >= 20
    return found


def report_of(case: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    policy = case / "release.yaml"
    arguments = ["fairness", str(case / "fairness.yaml"), "--json"]
    code = main(arguments + (["--policy", str(policy)] if policy.exists() else []))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_every_parity_case_comes_out_exactly(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for case in cases(shared):
        expected = json.loads((case / "expected.json").read_text())
        code, out, err = report_of(case, capsys)
        assert code == expected["exit_code"], (case.name, err)
        if expected.get("error"):
            assert out == ""
            assert err.startswith("fairgate: ")
            assert "Traceback" not in err
            continue
        report = json.loads(out)
        assert report["verdict"] == expected["verdict"], case.name
        assert report["exit_code"] == expected["exit_code"], case.name
        (suite,) = report["suites"]
        assert suite["counts"]["cases"] == expected["cases"], case.name
        for rule, wanted in zip(suite["rules"], expected["rules"], strict=True):
            check_rule(rule, wanted, case.name)
        if "calibration" in expected:
            check_calibration(suite["calibration"], expected["calibration"])


def check_rule(rule: dict[str, Any], wanted: dict[str, Any], name: str) -> None:
    for key in ("id", "rate", "attribute", "limit", "verdict"):
        assert rule[key] == wanted[key], (name, key)
    assert rule["metric"] == wanted["metric"].partition(".")[0]
    assert rule["confidence_per_group"] == pytest.approx(wanted["confidence_per_group"], abs=1e-12)
    for group, want in zip(rule["groups"], wanted["groups"], strict=True):
        assert [group[key] for key in GROUP_KEYS] == [want[key] for key in GROUP_KEYS], name
        assert group["estimate"] == pytest.approx(want["estimate"], abs=1e-9), name
        assert group["interval"] == pytest.approx(want["interval"], abs=1e-9), name
    if "gap" in wanted:
        assert rule["gap"]["estimate"] == pytest.approx(wanted["gap"]["estimate"], abs=1e-9), name
        assert rule["gap"]["interval"] == pytest.approx(wanted["gap"]["interval"], abs=1e-9), name
    for key, value in wanted["left_out"].items():
        assert rule["left_out"][key] == pytest.approx(value, abs=1e-12), (name, key)


def check_calibration(found: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> None:
    by_group = {entry["group"]: entry for entry in found}
    for want in wanted:
        assert by_group[want["group"]]["n"] == want["n"]
        assert by_group[want["group"]]["ece"] == pytest.approx(want["ece"], abs=1e-9)
