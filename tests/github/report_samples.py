"""Small real reports, in each verdict."""

from fairgate.report import Evidence, Report
from fairgate.results import Counts, Flips, RuleResult, SuiteResult
from fairgate.verdict import Verdict, worst


def rule(verdict: Verdict, name: str = "flips", message: str = "2 of 40 decisions changed.") -> RuleResult:
    return RuleResult(
        id=name,
        verdict=verdict,
        underlying=verdict,
        reasons=[],
        message=message,
        metric="flip_rate",
        limit=0.05,
        estimate=0.05,
        interval=(0.0, 0.2),
        confidence=0.95,
    )


def suite(*rules: RuleResult, name: str = "loan-screen", flipped: int | None = 2) -> SuiteResult:
    flips = None
    if flipped is not None:
        flips = Flips(bases=40, complete=40, flipped=flipped, rate=flipped / 40, interval=(0.0, 0.2), favoured={})
    return SuiteResult(
        name=name,
        kind="fairness" if flipped is None else "swap",
        verdict=worst(found.verdict for found in rules),
        counts=Counts(cases=40, expected=80, observed=80, missing=0),
        rules=list(rules),
        flips=flips,
    )


def report(*suites: SuiteResult) -> Report:
    verdict = worst(found.verdict for found in suites)
    return Report(
        verdict=verdict,
        exit_code=verdict.exit_code,
        name="loan-assistant",
        suites=list(suites),
        cannot_tell=["Which rate ought to be equal."],
        evidence=Evidence(calls=80),
        fingerprint="0" * 64,
        system={},
        git=None,
        versions={"fairgate": "0.1.0"},
    )


def report_with(verdict: Verdict) -> Report:
    """One suite, one rule, this verdict."""
    return report(suite(rule(verdict)))
