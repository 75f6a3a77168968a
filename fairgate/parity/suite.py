"""One fairness suite, from its file of decided cases to the results of its rules."""

from collections.abc import Iterator

from fairgate.config import Project
from fairgate.config.model import FairnessSuite
from fairgate.config.section import Where
from fairgate.golden.decided import Decided, read_decided
from fairgate.golden.reading import Needs
from fairgate.parity import remarks
from fairgate.parity.calibration import calibrate
from fairgate.parity.cells import RATES, count
from fairgate.parity.criterion import criterion_of
from fairgate.parity.message import cannot_pass_message
from fairgate.parity.result import rule_result
from fairgate.parity.rules import Contest, confirm_failures, judge
from fairgate.parity.simpson import reversals
from fairgate.results import Counts, Finding, Remark, RuleResult, SuiteResult
from fairgate.verdict import worst
from fairgate.wording import sentence


def judge_fairness(suite: FairnessSuite, project: Project, where: Where, confidence: float) -> SuiteResult:
    """Judge the parity of decided cases.

    :param where: the suite's place in the configuration
    :param confidence: 1 − α of each rule
    :raises FairgateError: the file cannot be read or says something that cannot be true
    """
    decided = read_decided(suite, project, where, _needs(suite))
    judged, shares = _judge_rules(suite, decided, confidence)
    return SuiteResult(
        name=suite.name,
        kind="fairness",
        verdict=worst(rule.verdict for rule in judged),
        assumption=sentence("parity_assumption") if suite.unit is None else None,
        error=sentence("parity_error", rules=len(judged), alpha=1 - confidence, fail_error=suite.fail_error),
        counts=_counts(decided),
        rules=judged,
        warnings=[
            *remarks.of_cases(suite, decided, labels=_needs(suite).labels),
            *shares,
            *reversals(suite, decided),
        ],
        calibration=calibrate(decided, _crossings(suite)) if suite.probability and _needs(suite).labels else None,
    )


def _judge_rules(suite: FairnessSuite, decided: Decided, confidence: float) -> tuple[list[RuleResult], list[Remark]]:
    """Every rule's result, and what there is to say about its denominator."""
    contests: list[Contest] = []
    shares: list[Remark] = []
    for rule in suite.rules:
        counts, criterion = count(decided, RATES[rule.rate], rule.attribute), criterion_of(suite, rule, confidence)
        contests.append(Contest(counts, criterion, judge(counts, criterion)))
        shares += remarks.denominator_share(rule, counts, criterion.max_left_out)
    judgements = [contest.judgement for contest in contests]
    if suite.fail_error == "run":
        judgements = confirm_failures(contests)
    results = [
        rule_result(rule, contest.counts, contest.criterion, judgement)
        for rule, contest, judgement in zip(suite.rules, contests, judgements, strict=True)
    ]
    return results, shares


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


# --- rules and crossings that belong together ------------------------------------------------------------------------


def _crossings(suite: FairnessSuite) -> list[list[str]]:
    """Every attribute, then every crossing that is declared or used by a rule, each once whatever the order."""
    named = [*([name] for name in suite.attributes), *suite.intersections, *(rule.attribute for rule in suite.rules)]
    return list({frozenset(names): list(names) for names in reversed(named)}.values())[::-1]


def _lonely_rules(suite: FairnessSuite, where: Where) -> Iterator[Finding]:
    """A gap or a ratio without a floor, or a floor without either, over the same rate and groups."""
    kinds = {(rule.rate, frozenset(rule.attribute), rule.worst_group is None) for rule in suite.rules}
    for i, rule in enumerate(suite.rules):
        is_gap = rule.worst_group is None
        if (rule.rate, frozenset(rule.attribute), not is_gap) not in kinds:
            message = sentence(
                "parity_companion", id=rule.id, rate=rule.rate, attribute=rule.attribute, metric=rule.metric
            )
            yield Finding(severity="remark", where=(*where, "rules", i), message=message)


def _crossings_without_rule(suite: FairnessSuite, where: Where) -> Iterator[Finding]:
    used = {frozenset(rule.attribute) for rule in suite.rules}
    for i, crossing in enumerate(suite.intersections):
        if frozenset(crossing) not in used:
            message = sentence("parity_crossing_without_rule", crossing=crossing)
            yield Finding(severity="remark", where=(*where, "intersections", i), message=message)
