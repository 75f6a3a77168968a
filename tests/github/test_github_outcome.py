"""What the step exits with: the verdict, or only what the change made worse."""

from pathlib import Path
from typing import Any

import pytest

from fairgate.comparison import BaselineInfo, Comparison, SuiteComparison, Worse
from fairgate.github.annotations import of_report
from fairgate.github.outcome import Judged
from fairgate.github.settings import REGRESSION, FailOn, Inputs, Job, Settings
from fairgate.render import markdown
from fairgate.report import Report
from fairgate.verdict import Verdict
from tests.github.report_samples import report_with

FAIL, OPEN = Verdict.FAIL, Verdict.INSUFFICIENT_EVIDENCE
JOB = Job("", "o/r", "push", None, "", "", "", 1, 1, Path(), None, None)


def compared(verdict: Verdict, *broken: str) -> Report:
    told = SuiteComparison(suite="loan-screen", kind="swap", state="compared")
    worse = [Worse(suite="loan-screen", rule=rule) for rule in broken]
    return report_with(verdict).model_copy(
        update={
            "baseline": BaselineInfo(source="b.json", state="used"),
            "comparison": Comparison(suites=[told], worse=worse),
        }
    )


@pytest.mark.parametrize(
    ("report", "fail_on", "status"),
    [
        (compared(FAIL, "flips"), {REGRESSION}, 1),
        (compared(FAIL), {REGRESSION}, 0),  # it failed before this change too
        (compared(FAIL), {REGRESSION, FAIL}, 1),
        (compared(OPEN), {REGRESSION}, 0),
        (compared(OPEN), {REGRESSION, OPEN}, 3),
        (compared(FAIL, "flips"), set(), 0),
        (report_with(FAIL), {REGRESSION}, 1),  # nothing to compare with: nobody can tell
        (report_with(Verdict.PASS), {REGRESSION}, 0),
    ],
)
def test_the_status_of_the_step(report: Report, fail_on: set[Any], status: int) -> None:
    judged = Judged(report, "report.json", Settings(Inputs(), JOB), markdown)
    assert judged.status(frozenset(fail_on)) == status


@pytest.mark.parametrize(("broken", "level"), [(["flips"], "error"), ([], "warning")])
def test_only_what_became_worse_is_an_error(broken: list[str], level: str) -> None:
    fail_on: FailOn = frozenset({REGRESSION})
    assert [found.level for found in of_report(compared(FAIL, *broken), fail_on, None)] == [level]
