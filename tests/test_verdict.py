import pytest

from fairgate.verdict import Verdict, worst

P, F, I, M = Verdict.PASS, Verdict.FAIL, Verdict.INSUFFICIENT_EVIDENCE, Verdict.MANUAL_REVIEW


@pytest.mark.parametrize(("verdict", "code"), [(P, 0), (F, 1), (I, 3), (M, 4)])
def test_exit_codes_are_the_contract(verdict: Verdict, code: int) -> None:
    assert verdict.exit_code == code


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([], I),
        ([P], P),
        ([P, P], P),
        ([P, I], I),
        ([I, M], M),
        ([M, F, I, P], F),
        ([P, M], M),
        ([I, F], F),
    ],
)
def test_the_worst_wins_and_nothing_judged_is_no_pass(verdicts: list[Verdict], expected: Verdict) -> None:
    assert worst(verdicts) is expected
    assert worst(reversed(verdicts)) is expected
