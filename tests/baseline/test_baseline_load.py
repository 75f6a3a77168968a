"""A baseline that cannot be used is a value with a reason, and what a run without one comes to."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from baseline_desk import WHEN, comparison, report, swap_suite

from fairgate.baseline.conclude import Judged, conclude
from fairgate.baseline.load import Baseline, NoBaseline, load_baseline, no_baseline
from fairgate.baseline.worse import made_worse
from fairgate.comparison import OnMissing
from fairgate.config.compared import ComparisonRule
from fairgate.config.model import HarnessSuite
from fairgate.report import Report
from fairgate.results import SuiteResult
from fairgate.verdict import Verdict

GOOD = swap_suite("++*60 --*40")
BAD = swap_suite("+-*90 --*10")
UNRULED = BAD.model_copy(update={"rules": []})


def bytes_of(found: Report) -> bytes:
    return found.to_json().encode()


def test_a_report_is_read_with_its_commit_and_time(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(bytes_of(report(GOOD)))
    found = load_baseline(path, "report.json")
    assert isinstance(found, Baseline)
    assert (found.commit, found.when, found.source) == (report(GOOD).git.commit, WHEN, "report.json")  # type: ignore[union-attr]
    fetched = load_baseline(bytes_of(report(GOOD)), "artifact of main", commit="f" * 40, when="2026-01-01T00:00:00Z")
    assert isinstance(fetched, Baseline)
    assert (fetched.commit, fetched.when) == ("f" * 40, "2026-01-01T00:00:00Z")


def edited(change: Callable[[Any], None]) -> bytes:
    data = json.loads(bytes_of(report(GOOD)))
    change(data)
    return json.dumps(data, indent=2).encode()


def first_base(data: Any) -> Any:
    return data["suites"][0]["outcomes"]["bases"][0]


@pytest.mark.parametrize(
    ("content", "reason", "said"),
    [
        (b"", "baseline_unreadable", "cannot be read"),
        (b"not json", "baseline_unreadable", "cannot be read"),
        (b"\xff\xfe\x00", "baseline_unreadable", "cannot be read"),
        (b"[" * 100_000, "baseline_unreadable", "cannot be read"),
        (b'{"schema": "fairgate.report/1"}', "baseline_unreadable", "verdict"),
        (edited(lambda data: data.update(schema="fairgate.report/2")), "baseline_other_schema", "another schema"),
        (edited(lambda data: data.update(hostile=1)), "baseline_unreadable", "hostile"),
        (edited(lambda data: data["suites"][0]["flips"].update(flipped=7)), "baseline_inconsistent", "add up"),
        (edited(lambda data: data["suites"][0]["outcomes"]["bases"].pop()), "baseline_inconsistent", "add up"),
        (edited(lambda data: first_base(data).update(outcomes="+")), "baseline_unreadable", "one sign"),
        (edited(lambda data: first_base(data).update(outcomes="x+")), "baseline_unreadable", "pattern"),
    ],
)  # fmt: skip
def test_what_is_no_report_says_why(content: bytes, reason: str, said: str) -> None:
    found = load_baseline(content, "base.json")
    assert isinstance(found, NoBaseline)
    assert found.reason == reason
    assert said in found.sentence
    assert "base.json" in found.sentence


def test_a_path_that_is_not_there_or_no_file(tmp_path: Path) -> None:
    for path, reason in ((tmp_path / "nowhere.json", "baseline_not_found"), (tmp_path, "baseline_unreadable")):
        found = load_baseline(path, path.name)
        assert isinstance(found, NoBaseline)
        assert found.reason == reason


# --- a run without one -----------------------------------------------------------------------------------------------


def suite_of(*rules: ComparisonRule | dict[str, Any]) -> HarnessSuite:
    return HarnessSuite.model_validate(
        {
            "name": "screen", "system": "loan", "cases": "golden.csv", "rules": list(rules),
            "axes": {"gender": {"male": [{"ten": "a"}], "female": [{"ten": "b"}]}},
            "outcome": {"positive": ["YES"], "negative": ["NO"]},
        }
    )  # fmt: skip


FLIPS = {"id": "flips", "max_flip_rate": 0.5}
CHANGE = comparison(no_new_flips=True)


def concluded(
    now: SuiteResult,
    *rules: ComparisonRule | dict[str, Any],
    baseline: Baseline | NoBaseline | None = None,
    on_missing: OnMissing = "insufficient",
) -> Report:
    found = conclude([Judged(suite_of(*rules), now)], baseline, on_missing, 0.95)
    return report(*found.suites, baseline=found.baseline, comparison=found.comparison)


def usable(suite: SuiteResult) -> Baseline:
    found = load_baseline(bytes_of(report(suite)), "base.json")
    assert isinstance(found, Baseline)
    return found


MISSING = no_baseline("baseline_not_found", "base.json")


@pytest.mark.parametrize(
    ("baseline", "reason"),
    [
        (None, "baseline_not_named"),
        (MISSING, "baseline_not_found"),
        (usable(swap_suite("++", name="another")), "baseline_other_suites"),
        (usable(swap_suite("++*100", axes={"gender": ("man", "woman")})), "other_axes"),
        (usable(GOOD.model_copy(update={"outcomes": None})), "outcomes_not_kept"),
    ],
)
def test_without_a_baseline_a_rule_is_undecided_or_left_out_and_said_so(
    baseline: Baseline | NoBaseline | None, reason: str
) -> None:
    insufficient = concluded(GOOD, CHANGE, FLIPS, baseline=baseline)
    rule = insufficient.suites[0].rules[0]
    assert (rule.id, rule.verdict, rule.reasons) == ("change", Verdict.INSUFFICIENT_EVIDENCE, ["no_baseline", reason])
    ignored = concluded(GOOD, CHANGE, FLIPS, baseline=baseline, on_missing="ignore").suites[0]
    assert ([rule.id for rule in ignored.rules], ignored.verdict) == (["flips"], Verdict.PASS)
    assert [warning.code for warning in ignored.warnings] == ["rules_left_out"]
    assert "change" in ignored.warnings[0].message


def test_a_suite_whose_every_rule_was_left_out_is_never_a_pass() -> None:
    found = concluded(GOOD, CHANGE, baseline=MISSING, on_missing="ignore")
    assert (found.suites[0].rules, found.verdict) == ([], Verdict.INSUFFICIENT_EVIDENCE)


def test_a_run_that_asks_for_no_baseline_says_nothing_of_it() -> None:
    found = concluded(GOOD, FLIPS)
    assert (found.baseline, found.comparison, found.suites) == (None, None, [GOOD])


def test_the_rules_stand_in_the_order_in_which_they_are_written() -> None:
    found = concluded(GOOD, CHANGE, FLIPS, comparison(max_regression=0.2).model_copy(update={"id": "rise"}),
                      baseline=usable(GOOD)).suites[0]  # fmt: skip
    assert [(rule.id, rule.verdict) for rule in found.rules] == [
        ("change", Verdict.PASS), ("flips", Verdict.PASS), ("rise", Verdict.PASS)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("now", "baseline", "on_missing", "rules", "worse"),
    [
        (BAD, usable(BAD), "insufficient", [FLIPS], False),  # it failed before this change too
        (BAD, usable(GOOD), "insufficient", [FLIPS], True),
        (BAD, usable(GOOD), "insufficient", [FLIPS, CHANGE], True),
        (GOOD, usable(BAD), "insufficient", [FLIPS, CHANGE], False),
        (GOOD, None, "insufficient", [FLIPS], False),  # nothing fails
        (BAD, None, "insufficient", [FLIPS], True),  # nobody can tell
        (BAD, MISSING, "insufficient", [FLIPS], True),
        (BAD, MISSING, "ignore", [FLIPS], False),
        (GOOD, MISSING, "insufficient", [FLIPS, CHANGE], True),
        (BAD, usable(UNRULED), "insufficient", [FLIPS], False),  # a new rule broke nothing
    ],
)  # fmt: skip
def test_what_fails_a_job_that_only_asks_for_regressions(
    now: SuiteResult, baseline: Baseline | NoBaseline | None, on_missing: OnMissing, rules: list[Any], worse: bool
) -> None:
    assert made_worse(concluded(now, *rules, baseline=baseline, on_missing=on_missing)) is worse


def test_two_hundred_cases_stay_a_small_report() -> None:
    suite = swap_suite("++++*150 +-+-*50", axes={"gender": ("male", "female"), "region": ("north", "south")})
    assert len(bytes_of(report(suite))) < 100_000
