"""What the lowered bar and sign-offs do to verdicts: a table of reports, and no failure is ever hidden."""

from datetime import date

import pytest

from fairgate.bar.compare import Difference, change_of
from fairgate.bar.findings import Change, Changes
from fairgate.bar.review import reviewed, without_review
from fairgate.bar.signoffs import SignOff
from fairgate.report import Evidence, Report
from fairgate.results import Counts, RuleResult, SuiteResult
from fairgate.verdict import Verdict, worst

P, F, OPEN, M = Verdict.PASS, Verdict.FAIL, Verdict.INSUFFICIENT_EVIDENCE, Verdict.MANUAL_REVIEW
MARK = "ab" * 32
TODAY = date(2026, 12, 1)


def rule(verdict: Verdict, underlying: Verdict | None = None, *reasons: str, id: str = "flips") -> RuleResult:
    return RuleResult(
        id=id, verdict=verdict, underlying=underlying or verdict, reasons=list(reasons), message="So many.",
        metric="flip_rate", limit=0.05, estimate=0.0, interval=(0.0, 0.1), confidence=0.95,
    )  # fmt: skip


def report(*rules: RuleResult) -> Report:
    verdict = worst(one.verdict for one in rules)
    suite = SuiteResult(
        name="screen", kind="swap", verdict=verdict, counts=Counts(cases=1, expected=2, observed=2, missing=0),
        rules=list(rules), fingerprint=MARK,
    )  # fmt: skip
    return Report(
        verdict=verdict, exit_code=verdict.exit_code, name="loan", suites=[suite], cannot_tell=[], evidence=Evidence(),
        fingerprint="cd" * 32, system={}, git=None, versions={},
    )  # fmt: skip


def signoff(fingerprint: str = MARK[:16], until: str = "2026-12-31", **target: str) -> SignOff:
    return SignOff(**{"fingerprint": fingerprint, "who": "An", "reason": "policy 12", "until": until, **target})


OF_RULE = change_of(Difference("relaxed", "rules[flips].max_flip_rate", 0.05, 0.1), "screen", "flips")
OF_SUITE = change_of(Difference("relaxed", "min_cell", 30, 10), "screen")
OF_RUN = change_of(Difference("relaxed", "confidence", 0.95, 0.9))
GONE = change_of(Difference("removed", "rules[floor]", "min 0.4"), "screen", "floor")


def under(found: Report, *lowered: Change, signoffs: tuple[SignOff, ...] = ()) -> Report:
    changes = Changes(state="compared", base="0" * 40, message="m", lowered=list(lowered))
    return reviewed(found, changes, signoffs, TODAY)


@pytest.mark.parametrize(
    ("change", "verdicts"),
    [(OF_RULE, (M, M, M)), (OF_SUITE, (P, M, M)), (GONE, (P, M, M)), (OF_RUN, (P, P, M))],
)
def test_a_lowered_bar_asks_for_a_person(change: Change, verdicts: tuple[Verdict, ...]) -> None:
    found = under(report(rule(P)), change)
    (suite,) = found.suites
    assert (suite.rules[0].verdict, suite.verdict, found.verdict) == verdicts
    assert found.exit_code == 4
    assert ("lowered_bar" in suite.rules[0].reasons) == (change is OF_RULE)


@pytest.mark.parametrize("change", [OF_RULE, OF_SUITE, GONE, OF_RUN])
def test_a_failure_stays_one(change: Change) -> None:
    assert under(report(rule(F)), change).verdict is F


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (rule(M, P, "within_limit", "requires_manual_review"), P),
        (rule(M, P, "within_limit", "no_response"), P),
        (rule(M, OPEN, "missing_outcomes", "requires_manual_review"), OPEN),
        (rule(F, F, "beyond_limit", "requires_manual_review"), F),
        (rule(OPEN, OPEN, "missing_outcomes"), OPEN),
        (rule(M, M, "panel_split"), P),
        (rule(M, M, "panel_split", "requires_manual_review"), P),
        (rule(M, M, "panel_split", "missing_scores"), OPEN),
        (rule(M, M, "panel_split", "coverage_too_low"), OPEN),
        (rule(P), P),
    ],
)
def test_a_signoff_takes_a_review_away_and_nothing_else(before: RuleResult, after: Verdict) -> None:
    assert without_review(before) is after
    found = under(report(before), signoffs=(signoff(suite="screen"),))
    assert found.verdict is after
    assert found.signoffs[0].state == ("used" if before.verdict is M else "unneeded")


@pytest.mark.parametrize(
    ("change", "entry", "settled"),
    [
        (OF_RULE, signoff(rule="flips"), True),
        (OF_RULE, signoff(rule="flips", suite="screen"), True),
        (OF_RULE, signoff(suite="screen"), True),
        (OF_RULE, signoff(rule="floor"), False),
        (OF_RULE, signoff("cd" * 8, run="loan"), False),
        (GONE, signoff(rule="floor"), True),
        (OF_SUITE, signoff(suite="screen"), True),
        (OF_SUITE, signoff(rule="flips"), False),
        (OF_RUN, signoff("cd" * 8, run="loan"), True),
        (OF_RUN, signoff(suite="screen"), False),
    ],
)
def test_what_a_signoff_is_for(change: Change, entry: SignOff, settled: bool) -> None:
    found = under(report(rule(P)), change, signoffs=(entry,))
    assert found.verdict is (P if settled else M)
    assert found.changes is not None
    assert found.changes.lowered[0].signed_off is settled


@pytest.mark.parametrize(
    ("entry", "state"),
    [
        (signoff(suite="screen", until="2026-12-01"), "used"),  # the last day counts
        (signoff(suite="screen", until="2026-11-30"), "expired"),
        (signoff("ff" * 8, suite="screen"), "not_matching"),
        (signoff(suite="other"), "not_matching"),
        (signoff(rule="other"), "not_matching"),
        (signoff(rule="flips", suite="other"), "not_matching"),
    ],
)
def test_what_does_not_hold_is_said_and_does_nothing(entry: SignOff, state: str) -> None:
    found = under(report(rule(M, P, "requires_manual_review")), signoffs=(entry,))
    assert (found.signoffs[0].state, found.verdict) == (state, P if state == "used" else M)
    assert ("ignored" in found.signoffs[0].message) == (state != "used")


def test_a_rule_of_that_name_in_two_suites_is_nobodys() -> None:
    one = report(rule(M, P, "requires_manual_review"))
    both = one.model_copy(update={"suites": [*one.suites, one.suites[0].model_copy(update={"name": "second"})]})
    assert under(both, signoffs=(signoff(rule="flips"),)).signoffs[0].state == "not_matching"
    assert under(both, signoffs=(signoff(rule="flips", suite="second"),)).signoffs[0].state == "used"
