"""What a change made worse: the rules that it broke, and whether a job that asks only for that has to fail."""

from collections.abc import Iterator, Mapping, Sequence

from fairgate.baseline.compare import OF_CHANGE, definition, measured
from fairgate.comparison import Worse
from fairgate.report import Report
from fairgate.results import SuiteResult
from fairgate.verdict import Verdict


def made_worse(report: Report) -> bool:
    """Whether a change has to answer for something: what ``fail-on: regression`` goes by.

    That is a rule that it broke. Where a suite has nothing to be compared with, nobody can tell its failures from older
    ones: what fails there counts, and so does a rule that would need the baseline, unless a missing
    baseline is to be ignored.
    """
    if report.comparison is not None and report.comparison.worse:
        return True
    if report.baseline is not None and report.baseline.on_missing == "ignore":
        return False
    told = report.comparison.suites if report.comparison is not None else []
    compared = {suite.suite for suite in told if suite.state == "compared"}
    return any(
        "no_baseline" in rule.reasons or (rule.underlying is Verdict.FAIL and suite.name not in compared)
        for suite in report.suites
        for rule in suite.rules
    )


def broken(suites: Sequence[SuiteResult], earlier: Mapping[str, SuiteResult]) -> Iterator[Worse]:
    """The rules about the change that fail, and those that fail, demand what they demanded, and did not fail before."""
    for suite in suites:
        before = earlier.get(suite.name)
        old = {rule.id: rule for rule in measured(before)} if before else {}
        for rule in suite.rules:
            if rule.underlying is not Verdict.FAIL:
                continue
            was = old.get(rule.id)
            broke = was is not None and definition(was) == definition(rule) and was.underlying is not Verdict.FAIL
            if rule.metric in OF_CHANGE or broke:
                yield Worse(suite=suite.name, rule=rule.id)
