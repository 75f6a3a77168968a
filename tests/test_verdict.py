import pytest

from fairgate.verdict import Verdict, worst

PASS, FAIL, OPEN, REVIEW = Verdict.PASS, Verdict.FAIL, Verdict.INSUFFICIENT_EVIDENCE, Verdict.MANUAL_REVIEW


@pytest.mark.parametrize(("verdict", "code"), [(PASS, 0), (FAIL, 1), (OPEN, 3), (REVIEW, 4)])
def test_exit_codes_are_the_contract(verdict: Verdict, code: int) -> None:
    assert verdict.exit_code == code


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([], OPEN),
        ([PASS], PASS),
        ([PASS, PASS], PASS),
        ([PASS, OPEN], OPEN),
        ([OPEN, REVIEW], REVIEW),
        ([REVIEW, FAIL, OPEN, PASS], FAIL),
        ([PASS, REVIEW], REVIEW),
        ([OPEN, FAIL], FAIL),
    ],
)
def test_the_worst_wins_and_nothing_judged_is_no_pass(verdicts: list[Verdict], expected: Verdict) -> None:
    assert worst(verdicts) is expected
    assert worst(reversed(verdicts)) is expected
