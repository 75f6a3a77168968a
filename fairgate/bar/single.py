"""One case by itself, with everything shown: which suites have it, and what may be said of it."""

import difflib
from collections.abc import Iterable

from fairgate.bar.cases import read_golden
from fairgate.config.model import HarnessSuite, RagSuite
from fairgate.config.project import Project
from fairgate.config.section import Where
from fairgate.config.values import shown
from fairgate.errors import UsageError
from fairgate.report import Report
from fairgate.results import RuleResult, SuiteResult
from fairgate.verdict import Verdict, worst
from fairgate.wording import sentence

SINGLE = "single_case"

Suites = Iterable[tuple[object, Where]]


def suites_with(case: str, suites: Suites, project: Project) -> list[str]:
    """The names of the suites that have a case and ask or judge it one by one.

    Decided cases have no say here: a rate of one case is none.

    :raises UsageError: no suite has it; the nearest ids are named
    """
    ids: dict[str, list[str]] = {}
    for suite, where in suites:
        if isinstance(suite, HarnessSuite | RagSuite):
            ids[suite.name] = list(read_golden(suite, project, where))
    found = [name for name, known in ids.items() if case in known]
    if not found:
        near = difflib.get_close_matches(case, [one for known in ids.values() for one in known], n=3)
        hint = f"did you mean {', '.join(near)}?" if near else f"looked in: {', '.join(ids) or 'no suite that asks'}"
        raise UsageError(f"--case {shown(case)}: no case of this id; {hint}")
    return found


def of_one_case(report: Report, case: str) -> Report:
    """The report of one case, which proves nothing about its suite: no PASS, and no rate of one.

    Only where every case has to pass by itself (``require: all``) does one that fails, or splits the panel, count.
    """
    suites = [_suite(suite) for suite in report.suites]
    verdict = worst(suite.verdict for suite in suites)
    return report.model_copy(
        update={"case": case, "suites": suites, "verdict": verdict, "exit_code": verdict.exit_code}
    )


def _suite(suite: SuiteResult) -> SuiteResult:
    rules = [_rule(rule) for rule in suite.rules]
    verdict = worst(rule.verdict for rule in rules)
    return suite.model_copy(update={"rules": rules, "verdict": verdict, "reviews": []})  # one case is nothing to sign


def _rule(rule: RuleResult) -> RuleResult:
    failed = rule.underlying in (Verdict.FAIL, Verdict.MANUAL_REVIEW) and rule.verdict is not Verdict.PASS
    stands = rule.require == "all" and failed
    if stands or rule.verdict is Verdict.INSUFFICIENT_EVIDENCE:
        return rule
    return rule.model_copy(
        update={
            "verdict": Verdict.INSUFFICIENT_EVIDENCE,
            "underlying": Verdict.INSUFFICIENT_EVIDENCE,
            "reasons": [*rule.reasons, SINGLE],
            "message": f"{rule.message} {sentence('bar_single_rule')}",
        }
    )
