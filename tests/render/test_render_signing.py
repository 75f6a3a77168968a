"""Who is asked for a sign-off: nobody whom it would not help."""

import pytest
from report_samples import report, rule, swap_suite

from fairgate.render import bar
from fairgate.results import RuleResult, SuiteResult
from fairgate.verdict import Verdict

P, F, M, I = Verdict.PASS, Verdict.FAIL, Verdict.MANUAL_REVIEW, Verdict.INSUFFICIENT_EVIDENCE  # noqa: E741


def reviewed(underlying: Verdict, reason: str = "requires_manual_review") -> RuleResult:
    return rule("look", M, "flip_rate", 0.05, "A person has to look.", underlying=underlying, reasons=[reason])


def plain(verdict: Verdict) -> RuleResult:
    return rule("plain", verdict, "flip_rate", 0.05, "As it is.")


def suite(*rules: RuleResult, name: str = "screen") -> SuiteResult:
    verdict = max((one.verdict for one in rules), key=lambda one: one.severity)
    about = {"name": name, "rules": list(rules), "verdict": verdict, "fingerprint": "9f2c1b7ad0e84c55b1de"}
    return swap_suite().model_copy(update=about)


@pytest.mark.parametrize(
    ("suites", "asked"),
    [
        ([suite(reviewed(P), plain(P))], ["screen"]),
        ([suite(reviewed(P), plain(I))], ["screen"]),  # an answer that comes in may settle the other one
        ([suite(reviewed(P), plain(F))], []),
        ([suite(reviewed(F))], []),  # what is left is the failure
        ([suite(reviewed(I, "system_too_noisy"), plain(P))], []),  # what is left is too little evidence
        ([suite(reviewed(P)), suite(plain(F), name="other")], []),
        ([suite(reviewed(P)), suite(plain(P), name="other")], ["screen"]),
    ],
)
def test_a_signature_is_asked_for_where_it_helps(suites: list[SuiteResult], asked: list[str]) -> None:
    entries = bar.to_sign(report(*suites))
    assert [one.name for one in suites if f'suite: "{one.name}"' in entries] == asked
    assert bool(entries) == bool(asked)
