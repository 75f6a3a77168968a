"""The section about the baseline: escaped, bounded, and silent where nothing was compared."""

import pytest
from report_samples import report, swap_suite

from fairgate.comparison import BaselineInfo, Comparison, FlipChanges, NewFlip, OnMissing, SuiteComparison, Worse
from fairgate.render import markdown
from fairgate.report import Report

WHEN = "2026-11-29T08:00:00Z"


def compared(flips: list[str], suite: str = "loan-screen") -> Report:
    new = [NewFlip(case=case, positive=[{"gender": "male"}], negative=[{"gender": "female"}]) for case in flips]
    changes = FlipChanges(pairs=200, before=31, now=12, newly_flipped=new, newly_settled=["s"] * 22)
    told = SuiteComparison(suite=suite, kind="swap", state="compared", flips=changes, removed=["@gone"])
    return report(swap_suite()).model_copy(
        update={
            "baseline": BaselineInfo(source="b.json", commit="0123456789abcdef", when=WHEN, state="used"),
            "comparison": Comparison(suites=[told], worse=[Worse(suite=suite, rule="flips")]),
        }
    )  # fmt: skip


def test_the_numbers_come_first_then_the_names() -> None:
    page = markdown.comment(compared(["loan-1", "loan-2"]))
    assert "31 → 12 of 200 cases flip, 2 of them new (named below); 22 settled." in page
    assert "- loan-1: now positive for male; negative for female" in page
    assert " of 2026-11-29" in page


def test_a_comment_names_ten_and_the_document_all() -> None:
    found = compared([f"loan-{number}" for number in range(300)])
    page = markdown.comment(found)
    assert "loan-9:" in page
    assert "loan-10:" not in page
    assert "… and 290 more" in page
    assert "loan-299:" in markdown.document(found)


@pytest.mark.parametrize("limit", [65_536, 6_000, 2_000])
def test_a_small_budget_is_kept(limit: int) -> None:
    page = markdown.comment(compared(["x" * 500] * 300), limit=limit)
    assert len(page.encode()) <= limit


def test_what_a_file_holds_stays_text() -> None:
    page = markdown.comment(compared(["<img src=x>", "@everyone", "a|b\n# c"], suite="<b>`x`"))
    for hostile in ("<img", "@everyone", "@gone", "\n# c", "<b>`"):
        assert hostile not in page


@pytest.mark.parametrize("on_missing", ["insufficient", "ignore"])
def test_a_missing_baseline_is_said(on_missing: OnMissing) -> None:
    info = BaselineInfo(
        source="b.json", state="missing", reason="baseline_not_found", message="There is no report at b.json.",
        on_missing=on_missing,
    )  # fmt: skip
    page = markdown.comment(report(swap_suite()).model_copy(update={"baseline": info}))
    assert "Compared with nothing: the baseline is missing" in page
    assert "There is no report at b.json." in page


def test_nothing_is_said_where_nothing_was_compared() -> None:
    assert "Compared" not in markdown.document(report(swap_suite()))
