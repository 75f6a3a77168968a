"""What the lowered bar and the sign-offs do to a report: a pure function of the report, the findings and the day.

A lowered bar asks for a person to look; a sign-off says that one has. It takes a review away and nothing else: a FAIL
stays a FAIL, and evidence that is missing stays missing.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from fairgate.bar.findings import Change, Changes, SignOffState
from fairgate.bar.signoffs import Marks, SignOff, Target, state_of, target_of, told
from fairgate.report import Report
from fairgate.results import Review, RuleResult, SuiteResult
from fairgate.verdict import Verdict, worst
from fairgate.wording import sentence

LOWERED = "lowered_bar"
SIGNED = "signed_off"

_REVIEWS = ("requires_manual_review", "unvalidated_judge", "one_sided_suite", "no_response", "panel_split", LOWERED)
"""Reasons that ask for a person. Beside any other, what is left without them is open for want of evidence."""


def reviewed(
    report: Report,
    changes: Changes | None,
    signoffs: Sequence[SignOff],
    today: date,
    base_signoffs: Sequence[SignOff] | None = None,
) -> Report:
    """The report under what the change does to the bar, and under the sign-offs that hold.

    :param changes: the bar against the base's; None where there is no base
    :param signoffs: every entry on file; those that do not hold are told, and do nothing
    :param today: sign-offs hold up to their last day
    :param base_signoffs: what the base had on file; None where it is not known
    """
    marks = _marks(report, changes)
    states = [state_of(entry, marks, today) for entry in signoffs]
    valid = [entry for entry, state in zip(signoffs, states, strict=True) if state == "valid"]
    desk = _Desk({_target(entry, marks): entry for entry in reversed(valid)})
    changes = changes and changes.model_copy(update={"lowered": [desk.signed(change) for change in changes.lowered]})
    unsigned = [change for change in (changes.lowered if changes else ()) if not change.signed_off]
    suites = [_suite(suite, unsigned, desk) for suite in report.suites]
    left = [Verdict.MANUAL_REVIEW for change in unsigned if change.suite is None]
    verdict = worst([*(suite.verdict for suite in suites), *left])
    uses = [
        told(entry, _use(state, _target(entry, marks) in desk.used), marks, base_signoffs)
        for entry, state in zip(signoffs, states, strict=True)
    ]
    return report.model_copy(
        update={
            "suites": suites, "verdict": verdict, "exit_code": verdict.exit_code, "changes": changes, "signoffs": uses,
        }
    )  # fmt: skip


def without_review(rule: RuleResult) -> Verdict:
    """The verdict of a rule once somebody has looked: what its numbers say.

    Where the numbers themselves came to a review (a panel that is split), a person has settled it, provided that
    nothing else is open: evidence that did not come cannot be signed off.
    """
    if rule.verdict is not Verdict.MANUAL_REVIEW:
        return rule.verdict
    if rule.underlying is not Verdict.MANUAL_REVIEW:
        return rule.underlying
    return Verdict.INSUFFICIENT_EVIDENCE if set(rule.reasons) - set(_REVIEWS) else Verdict.PASS


@dataclass
class _Desk:
    """The valid sign-offs by what they are for, and which of them were needed."""

    entries: Mapping[Target, SignOff]

    def __post_init__(self) -> None:
        self.used: set[Target] = set()

    def find(self, targets: Iterable[Target]) -> SignOff | None:
        """The first sign-off for one of these, from now on used."""
        for target in targets:
            if target in self.entries:
                self.used.add(target)
                return self.entries[target]
        return None

    def signed(self, change: Change) -> Change:
        """A change with what became of it: that of a rule by its own sign-off or the suite's."""
        targets: Collection[Target] = dict.fromkeys([(change.suite, change.rule), (change.suite, None)])
        return change.model_copy(update={"signed_off": True}) if self.find(targets) else change

    def seen(self, review: Review, suite: str) -> Review:
        """What a suite asks of a person, with what became of it: only a sign-off of the whole suite settles that."""
        return review.model_copy(update={"signed_off": self.find([(suite, None)]) is not None})


def _suite(suite: SuiteResult, unsigned: Sequence[Change], desk: _Desk) -> SuiteResult:
    here = [change for change in unsigned if change.suite == suite.name]
    rules = [_rule(rule, suite.name, [one for one in here if one.rule == rule.id], desk) for rule in suite.rules]
    if rules == suite.rules and not here and not suite.reviews:
        return suite
    reviews = [desk.seen(review, suite.name) for review in suite.reviews]
    waits = bool(here) or not all(review.signed_off for review in reviews)
    verdict = worst([*(rule.verdict for rule in rules), *([Verdict.MANUAL_REVIEW] if waits else [])])
    return suite.model_copy(update={"rules": rules, "reviews": reviews, "verdict": verdict})


def _rule(rule: RuleResult, suite: str, lowered: Sequence[Change], desk: _Desk) -> RuleResult:
    verdict, reasons, said = rule.verdict, list(rule.reasons), [rule.message]
    if verdict is Verdict.MANUAL_REVIEW:
        entry = desk.find([(suite, rule.id), (suite, None)])
        if entry is not None:
            verdict = without_review(rule)
            reasons.append(SIGNED)
            said.append(sentence("bar_signed", entry=entry))
    if lowered:
        verdict = worst([verdict, Verdict.MANUAL_REVIEW])
        reasons.append(LOWERED)
        said += [change.message for change in lowered]
    if len(said) == 1:
        return rule
    return rule.model_copy(update={"verdict": verdict, "reasons": reasons, "message": " ".join(said)})


def _marks(report: Report, changes: Changes | None) -> Marks:
    rules = {(suite.name, rule.id) for suite in report.suites for rule in suite.rules}
    rules |= {(one.suite, one.rule) for one in (changes.lowered if changes else ()) if one.suite and one.rule}
    return Marks(
        run=report.fingerprint,
        name=report.name,
        suites={suite.name: suite.fingerprint or "" for suite in report.suites},
        rules=frozenset(rules),
    )


def _target(entry: SignOff, marks: Marks) -> Target:
    return target_of(entry, marks) or ("", "")


def _use(state: str, used: bool) -> SignOffState:
    match state:
        case "expired":
            return "expired"
        case "valid":
            return "used" if used else "unneeded"
    return "not_matching"
