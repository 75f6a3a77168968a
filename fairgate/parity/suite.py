"""One fairness suite, from its file of decided cases to the results of its rules."""

from collections.abc import Iterator

from fairgate.config import Project
from fairgate.config.model import FairnessRule, FairnessSuite
from fairgate.config.section import Where
from fairgate.golden.decided import Decided, read_decided
from fairgate.golden.reading import Needs
from fairgate.parity import remarks
from fairgate.parity.calibration import calibrate
from fairgate.parity.cells import RATES, Cells, count
from fairgate.parity.message import cannot_pass_message, rule_message
from fairgate.parity.rules import Criterion, Judgement, judge
from fairgate.parity.size import cannot_pass
from fairgate.results import Counts, DenominatorShare, Finding, Gap, Group, LeftOut, Remark, RuleResult, SuiteResult
from fairgate.verdict import Verdict, worst
from fairgate.wording import sentence

_SPELLINGS_KEPT = 20


def judge_fairness(suite: FairnessSuite, project: Project, where: Where, confidence: float) -> SuiteResult:
    """Judge the parity of decided cases.

    :param where: the suite's place in the configuration
    :param confidence: 1 − α of each rule
    :raises FairgateError: the file cannot be read or says something that cannot be true
    """
    decided = read_decided(suite, project, where, _needs(suite))
    judged: list[RuleResult] = []
    shares: list[Remark] = []
    for rule in suite.rules:
        counts = count(decided, RATES[rule.rate], rule.attribute)
        judged.append(_result(rule, counts, criterion_of(suite, rule, confidence)))
        shares += remarks.denominator_share(rule, counts, _max_left_out(suite, rule))
    return SuiteResult(
        name=suite.name,
        kind="fairness",
        verdict=worst(rule.verdict for rule in judged),
        assumption=sentence("parity_assumption") if suite.unit is None else None,
        counts=_counts(decided),
        rules=judged,
        warnings=[*remarks.of_cases(suite, decided, labels=_needs(suite).labels), *shares],
        calibration=calibrate(decided, _crossings(suite)) if suite.probability and _needs(suite).labels else None,
    )


def check_fairness(suite: FairnessSuite, project: Project, where: Where, confidence: float) -> list[Finding]:
    """What ``validate`` has to say: rules that cannot pass on this file (errors), and rules that are missing (remarks).

    :raises FairgateError: the file cannot be read
    """
    decided = read_decided(suite, project, where, _needs(suite))
    findings = []
    for i, rule in enumerate(suite.rules):
        counts = count(decided, RATES[rule.rate], rule.attribute)
        message = cannot_pass_message(rule, counts, criterion_of(suite, rule, confidence))
        if message is not None:
            findings.append(Finding(severity="error", where=(*where, "rules", i), message=message))
    return [*findings, *_lonely_rules(suite, where), *_crossings_without_rule(suite, where)]


def criterion_of(suite: FairnessSuite, rule: FairnessRule, confidence: float) -> Criterion:
    """What a rule demands, with what its suite says where it is silent."""
    bounds = (rule.worst_group.min, rule.worst_group.max) if rule.worst_group else (None, None)
    limit = next(value for value in (rule.max_group_gap, *bounds) if value is not None)
    return Criterion(
        metric="worst_group" if rule.worst_group else "max_group_gap",
        bound=None if not rule.worst_group else "max" if bounds[0] is None else "min",
        limit=limit,
        min_cell=suite.min_cell,
        max_left_out=_max_left_out(suite, rule),
        confidence=confidence,
    )


def _max_left_out(suite: FairnessSuite, rule: FairnessRule) -> float:
    return suite.max_left_out if rule.max_left_out is None else rule.max_left_out


def _needs(suite: FairnessSuite) -> Needs:
    rates = [RATES[rule.rate] for rule in suite.rules]
    return Needs(
        labels=any(rate.reads_labels for rate in rates), denominators=any(rate.label is not None for rate in rates)
    )


def _counts(decided: Decided) -> Counts:
    expected = decided.kinds.total() + decided.unknown
    observed = sum(cases for kind, cases in decided.kinds.items() if kind.prediction is not None)
    present = sum(cases for kind, cases in decided.kinds.items() if kind.present)
    unreadable = decided.unreadable.total()
    reasons = {
        "blank_prediction": present - observed - unreadable,
        "unreadable_prediction": unreadable,
        "row_absent": expected - present,
    }
    return Counts(
        cases=expected,
        expected=expected,
        observed=observed,
        missing=expected - observed,
        missing_reasons={reason: number for reason, number in reasons.items() if number},
        completeness="declared" if decided.completeness_declared else "not_declared",
    )


# --- one rule --------------------------------------------------------------------------------------------------------


def _result(rule: FairnessRule, counts: Cells, criterion: Criterion) -> RuleResult:
    judgement = judge(counts, criterion)
    groups = _groups(counts, judgement)
    gap = _gap(groups, judgement)
    shown = gap or groups[judgement.worst or 0]
    reasons = list(judgement.reasons)
    if judgement.verdict is Verdict.INSUFFICIENT_EVIDENCE and cannot_pass(counts, criterion):
        reasons.append("too_few_cases_to_pass")
    if rule.requires_manual_review:
        reasons.append("requires_manual_review")
    return RuleResult(
        id=rule.id,
        verdict=worst([judgement.verdict, *([Verdict.MANUAL_REVIEW] if rule.requires_manual_review else [])]),
        underlying=judgement.verdict,
        reasons=reasons,
        message=rule_message(rule, counts, criterion, judgement),
        metric=criterion.metric,
        rate=rule.rate,
        bound=criterion.bound,
        limit=criterion.limit,
        decided_by=rule.decided_by,
        why=rule.why,
        estimate=shown.estimate,
        interval=shown.interval,
        confidence=criterion.confidence,
        confidence_per_group=1 - (1 - criterion.confidence) / len(counts.cells),
        attribute=list(rule.attribute),
        method="interval",
        groups=groups,
        gap=gap,
        left_out=_left_out(counts, criterion),
    )


def _groups(counts: Cells, judgement: Judgement) -> list[Group]:
    verdicts = judgement.verdicts or (None,) * len(counts.cells)
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
        for cell, span, verdict in zip(counts.cells, judgement.intervals, verdicts, strict=True)
    ]


def _gap(groups: list[Group], judgement: Judgement) -> Gap | None:
    if judgement.widest is None:
        return None
    pair = judgement.widest
    first, second = groups[pair.first], groups[pair.second]
    known = first.estimate is not None and second.estimate is not None
    return Gap(
        between=(first.group, second.group),
        estimate=abs((first.estimate or 0.0) - (second.estimate or 0.0)) if known else None,
        interval=(pair.lower, pair.upper),
    )


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


# --- rules and crossings that belong together ------------------------------------------------------------------------


def _crossings(suite: FairnessSuite) -> list[list[str]]:
    """Every attribute, then every crossing that is declared or used by a rule, each once whatever the order."""
    named = [*([name] for name in suite.attributes), *suite.intersections, *(rule.attribute for rule in suite.rules)]
    return list({frozenset(names): list(names) for names in reversed(named)}.values())[::-1]


def _lonely_rules(suite: FairnessSuite, where: Where) -> Iterator[Finding]:
    """A gap without a floor, or a floor without a gap, over the same rate and groups."""
    kinds = {(rule.rate, frozenset(rule.attribute), rule.worst_group is None) for rule in suite.rules}
    for i, rule in enumerate(suite.rules):
        is_gap = rule.worst_group is None
        if (rule.rate, frozenset(rule.attribute), not is_gap) not in kinds:
            metric = "max_group_gap" if is_gap else "worst_group"
            message = sentence("parity_companion", id=rule.id, rate=rule.rate, attribute=rule.attribute, metric=metric)
            yield Finding(severity="remark", where=(*where, "rules", i), message=message)


def _crossings_without_rule(suite: FairnessSuite, where: Where) -> Iterator[Finding]:
    used = {frozenset(rule.attribute) for rule in suite.rules}
    for i, crossing in enumerate(suite.intersections):
        if frozenset(crossing) not in used:
            message = sentence("parity_crossing_without_rule", crossing=crossing)
            yield Finding(severity="remark", where=(*where, "intersections", i), message=message)
