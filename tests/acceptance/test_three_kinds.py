"""Swaps, decided cases and answers in one run, one report and one comment, through the command itself."""

import json
from pathlib import Path

import pytest

from fairgate.cli import main
from fairgate.render import markdown
from fairgate.report import Report
from tests.acceptance.three_kinds import KINDS, lay


@pytest.fixture(scope="module")
def report(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The report of one run over the three examples."""
    folder = tmp_path_factory.mktemp("three")
    (folder / ".git").mkdir()
    config = lay(repository / "examples", folder)
    assert main(["run", str(config), "--out", str(folder / "out")]) == 1
    assert sorted(path.stem for path in (folder / "out" / "evidence").iterdir()) == [
        "journal",
        "loan-screen",
        "support",
    ]
    return Report.model_validate(json.loads((folder / "out" / "report.json").read_text(encoding="utf-8")))


def test_one_report_holds_the_three_kinds(report: Report) -> None:
    assert {suite.kind: suite.name for suite in report.suites} == KINDS
    assert all(suite.verdict == "FAIL" for suite in report.suites)


def test_one_comment_says_all_of_it_within_its_budget(report: Report) -> None:
    page = markdown.comment(report)
    assert len(page.encode()) <= markdown.COMMENT_LIMIT
    table = page[page.index("| Verdict |") : page.index("<sub>Small below")]
    for suite in report.suites:
        assert all(f"<b>{rule.id}</b><br><sub>{suite.name}</sub>" in table for rule in suite.rules)
    assert "#### Changed decisions in loan-screen: 16 of 80 cases" in page
    assert "#### Answers in support: 5 of 14 did not pass" in page
    assert "Shortened" not in page
