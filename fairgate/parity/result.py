"""One rule's result, as the report has it: from counts and judgement to numbers and a sentence."""

from dataclasses import replace

from fairgate.config.model import FairnessRule
from fairgate.parity.cells import Cells
from fairgate.parity.criterion import Criterion, Method
from fairgate.parity.message import rule_message
from fairgate.parity.rules import Judgement
from fairgate.parity.size import POWER, Settlement, cannot_pass, settle
from fairgate.results import DenominatorShare, Gap, Group, GroupNeed, LeftOut, RuleResult, Settle
from fairgate.verdict import Verdict, worst

_SPELLINGS_KEPT = 20


def rule_result(rule: FairnessRule, counts: Cells, criterion: Criterion, judgement: Judgement) -> RuleResult:
    """What a judgement says in the report, with what would settle it where it is open."""
    groups = _groups(counts, judgement)
    pair = _pair(groups, judgement, criterion)
    shown = pair or groups[judgement.measured.worst or 0]
    undecided = judgement.verdict is Verdict.INSUFFICIENT_EVIDENCE
    settlements = _settlements(counts, criterion) if undecided and "too_many_left_out" not in judgement.reasons else {}
    return RuleResult(
        id=rule.id,
        verdict=worst([judgement.verdict, *([Verdict.MANUAL_REVIEW] if rule.requires_manual_review else [])]),
        underlying=judgement.verdict,
        reasons=_reasons(rule, counts, criterion, judgement),
        message=rule_message(rule, counts, criterion, judgement, settlements),
        metric=criterion.metric,
        rate=rule.rate,
        bound=criterion.bound,
        limit=criterion.limit,
        decided_by=rule.decided_by,
        why=rule.why,
        estimate=shown.estimate,
        interval=shown.interval,
        confidence=criterion.confidence,
        confidence_per_group=_per_group(counts, criterion, judgement),
        attribute=list(rule.attribute),
        method=judgement.measured.method,
        groups=groups,
        gap=pair if criterion.metric == "max_group_gap" else None,
        ratio=pair if criterion.metric == "min_ratio" else None,
        beyond=[(groups[i].group, groups[j].group) for i, j in judgement.measured.further] or None,
        settle=[_settle(method, found) for method, found in settlements.items()] or None,
        left_out=_left_out(counts, criterion),
    )


def _reasons(rule: FairnessRule, counts: Cells, criterion: Criterion, judgement: Judgement) -> list[str]:
    found = {
        "too_few_cases_to_pass": judgement.verdict is Verdict.INSUFFICIENT_EVIDENCE and cannot_pass(counts, criterion),
        "intervals_stand_in": judgement.measured.method != criterion.method,
        "requires_manual_review": rule.requires_manual_review,
    }
    return [*judgement.reasons, *(reason for reason, holds in found.items() if holds)]


def _per_group(counts: Cells, criterion: Criterion, judgement: Judgement) -> float | None:
    """Method interval: the level of each group's two-sided interval."""
    return None if judgement.measured.method == "exact" else 1 - criterion.alpha / len(counts.cells)


def _settlements(counts: Cells, criterion: Criterion) -> dict[Method, Settlement]:
    """What would settle the rule: by its own method, then by the other one."""
    other: Method = "interval" if criterion.method == "exact" else "exact"
    return {method: settle(counts, replace(criterion, method=method)) for method in (criterion.method, other)}


def _settle(method: Method, found: Settlement) -> Settle:
    needs = [GroupNeed(group=need.group, more=need.more, cases=need.cases) for need in found.more]
    return Settle(method=method, by=found.kind, verdict=found.verdict, power=POWER, more=needs)


def _groups(counts: Cells, judgement: Judgement) -> list[Group]:
    measured = judgement.measured
    verdicts = measured.verdicts or (None,) * len(counts.cells)
    return [
        Group(
            group=cell.group,
            eligible=cell.eligible,
            observed=cell.observed,
            missing=cell.missing,
            events=cell.events,
            estimate=cell.estimate,
            interval=span,
            verdict=verdict,
        )
        for cell, span, verdict in zip(counts.cells, measured.spans, verdicts, strict=True)
    ]


def _pair(groups: list[Group], judgement: Judgement, criterion: Criterion) -> Gap | None:
    """The pair that stands most in the way of a PASS, with the difference or the ratio of its rates."""
    pair = judgement.measured.widest
    if pair is None:
        return None
    first, second = groups[pair.first], groups[pair.second]
    estimate = None
    if first.estimate is not None and second.estimate is not None:
        if criterion.metric == "max_group_gap":
            estimate = abs(first.estimate - second.estimate)
        elif second.estimate:
            estimate = first.estimate / second.estimate
    return Gap(between=(first.group, second.group), estimate=estimate, interval=(pair.lower, pair.upper))


def _left_out(counts: Cells, criterion: Criterion) -> LeftOut:
    outside = counts.outside
    denominator = None
    if outside.denominator_rows:
        denominator = DenominatorShare(
            cases=outside.denominator,
            of=outside.denominator_rows,
            fraction=outside.denominator / outside.denominator_rows,
        )
    return LeftOut(
        cases=outside.cases,
        of=outside.rows,
        fraction=outside.cases / outside.rows,
        missing_attribute=outside.blank,
        undeclared_value=outside.undeclared,
        undeclared=dict(outside.spellings.most_common(_SPELLINGS_KEPT)),
        limit=criterion.max_left_out,
        denominator=denominator,
    )
