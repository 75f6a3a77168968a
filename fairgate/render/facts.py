"""What the forms pick out of a report: pure functions from results to the facts a sentence needs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fairgate.render.escape import clip
from fairgate.report import Report
from fairgate.results import Group, Review, RuleResult, Selection, SuiteResult
from fairgate.verdict import Verdict


@dataclass(frozen=True)
class Waiting:
    """What a suite asks of a person, beside its rules."""

    suite: SuiteResult
    review: Review


@dataclass(frozen=True)
class Judged:
    """A rule and the suite it stands in."""

    suite: SuiteResult
    rule: RuleResult


def judged(report: Report) -> list[Judged]:
    """Every rule of the run, worst verdict first, otherwise in the order of the report."""
    rules = [Judged(suite, rule) for suite in report.suites for rule in suite.rules]
    return sorted(rules, key=lambda item: -item.rule.verdict.severity)


def leading(report: Report) -> Judged | None:
    """The rule that the headline speaks about: the first with the worst verdict, changed decisions before rates."""
    rules = judged(report)
    worst = [item for item in rules if item.rule.verdict == rules[0].rule.verdict]
    return min(worst, key=lambda item: item.rule.metric != "flip_rate", default=None)


def open_ends(report: Report) -> list[Judged]:
    """The rules that did not pass, the one of the headline among them: its numbers stand here."""
    return [item for item in judged(report) if item.rule.verdict != Verdict.PASS]


def waiting(report: Report) -> list[Waiting]:
    """What keeps suites from passing until a person signs them off; nothing of a suite that fails anyway."""
    return [
        Waiting(suite, review)
        for suite in report.suites
        for review in suite.reviews
        if not review.signed_off and suite.verdict is Verdict.MANUAL_REVIEW
    ]


def how_many(report: Report, verdict: Verdict) -> int:
    """The number of rules with this verdict."""
    return sum(rule.verdict == verdict for suite in report.suites for rule in suite.rules)


def worst_group(rule: RuleResult) -> Group | None:
    """The group that a floor or ceiling is about: the one whose numbers the rule took for its own."""
    for group in rule.groups or []:
        if group.estimate == rule.estimate and group.interval == rule.interval:
            return group
    measured = [group for group in rule.groups or [] if group.estimate is not None]
    extreme = max if rule.bound == "max" else min
    return extreme(measured, key=lambda group: group.estimate or 0.0, default=None)


def all_equal(rule: RuleResult) -> bool:
    """Whether no group of a rule stands out: all were counted the same, so that none of them is the worst."""
    groups = rule.groups or []
    return len(groups) > 1 and len({(group.estimate, group.interval) for group in groups}) == 1


def unruled_selections(suite: SuiteResult) -> list[Selection]:
    """The selection rates that no rule of the suite shows already, with the interval it decided on."""
    shown = [rule.attribute for rule in suite.rules if rule.groups and rule.rate != "refusal"]
    return [selection for selection in suite.selection or [] if selection.attribute not in shown]


def left_out(suite: SuiteResult) -> int:
    """Cases left out by the rule that left out most (rules over different attributes leave out different cases)."""
    return max((rule.left_out.cases for rule in suite.rules if rule.left_out), default=0)


def clipped(report: Report, length: int) -> Report:
    """The report with no text longer than ``length`` characters: what a comment can hold of it."""
    told = report.model_dump(by_alias=True, exclude={"suites": {"__all__": {"outcomes"}}})
    return Report.model_validate(_clipped(told, length))


def _clipped(value: Any, length: int) -> Any:
    if isinstance(value, str) and not isinstance(value, Verdict):
        return clip(value, length)
    if isinstance(value, dict):
        return {clip(key, length): _clipped(item, length) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clipped(item, length) for item in value]
    return value


def some(items: Sequence[Any], keep: int | None) -> Sequence[Any]:
    """The first ``keep`` items, or all of them."""
    return items if keep is None else items[:keep]
