"""What the forms say about the bar, the sign-offs, a single case and a verdict that was taken over."""

import json

from fairgate.bar.findings import Change
from fairgate.bar.review import without_review
from fairgate.bar.signoffs import SHORT
from fairgate.render import facts
from fairgate.report import Report
from fairgate.results import RuleResult, SuiteResult
from fairgate.verdict import Verdict, worst
from fairgate.wording import sentence


def notes(report: Report) -> list[str]:
    """What a reader has to know before any number: only one case was run, or nothing was asked at all."""
    said = [sentence("bar_single_case", case=report.case)] if report.case is not None else []
    if report.changes is not None and report.changes.state == "unknown" and not report.changes.lowered:
        said.append(report.changes.message)
    if report.reused is not None:
        return [*said, report.reused.message]
    return [*said, report.not_reused] if report.not_reused is not None else said


def lowered(report: Report, signed_off: bool) -> list[Change]:
    """The ways in which the change lowers the bar, those that were signed off or the others."""
    return [change for change in (report.changes.lowered if report.changes else ()) if change.signed_off is signed_off]


def nothing_lowered(report: Report) -> str:
    """What the bar was held against, where that was done and nothing was lowered; else empty."""
    changes = report.changes
    if changes is None or changes.state == "unknown" or changes.lowered:
        return ""
    return sentence("bar_nothing", changes=changes)


def title(report: Report) -> str:
    """What the list of them is called."""
    unknown = report.changes is not None and report.changes.state == "unknown"
    return sentence("bar_title", unknown=unknown, open=len(lowered(report, signed_off=False)))


def headline(report: Report) -> str:
    """The sentence that is read first where the lowered bar is what keeps the run from passing; else empty."""
    found = lowered(report, signed_off=False)
    if not found or report.verdict is not Verdict.MANUAL_REVIEW:
        return ""
    return sentence("bar_headline", first=found[0].message, more=len(found) - 1)


def to_sign(report: Report) -> str:
    """Entries for ``.fairgate/signoffs.yaml`` that would settle what is open; empty where nothing is.

    Who, why and until when are for whoever signs to fill in. Nobody is asked where it would not help: in a suite that
    fails all the same, in a run that does, and where a review leaves too little evidence behind.
    """
    if report.case is not None or Verdict.FAIL in map(_once_signed, report.suites):
        return ""
    marks = {suite.name: suite.fingerprint or "" for suite in report.suites}
    open_ends = {change.suite for change in lowered(report, signed_off=False)}
    open_ends |= {suite.name for suite in report.suites if any(map(_settled_by_signing, suite.rules))}
    open_ends |= {item.suite.name for item in facts.waiting(report)}
    lines = []
    for name in (None, *marks):
        if name in open_ends:
            target = f"run: {_quoted(report.name)}" if name is None else f"suite: {_quoted(name)}"
            mark = report.fingerprint if name is None else marks[name]
            lines.append(f'  - {target}\n    fingerprint: "{mark[:SHORT]}"\n    who: \n    reason: \n    until: ')
    return "\n".join(["signoffs:", *lines]) if lines else ""


def _once_signed(suite: SuiteResult) -> Verdict:
    """What a suite comes to when everything in it that asks for a person is signed off."""
    return worst([without_review(rule) for rule in suite.rules]) if suite.rules else suite.verdict


def _settled_by_signing(rule: RuleResult) -> bool:
    return rule.verdict is Verdict.MANUAL_REVIEW and without_review(rule) is Verdict.PASS


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


FILTERS = {
    "notes": notes,
    "lowered": lowered,
    "bar_title": title,
    "nothing_lowered": nothing_lowered,
    "to_sign": to_sign,
    "sign_title": lambda report: sentence("bar_sign_title"),
}
"""For ``templates/parts.md.j2``."""
