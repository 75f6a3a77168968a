"""From judged suites and a baseline to the run's last word: what changed, and the verdicts of the rules about it."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairgate.baseline.compare import Again, Compared, compare_suite
from fairgate.baseline.load import Baseline, NoBaseline, no_baseline
from fairgate.baseline.rules import judge_rule, needs_pairs, without_baseline
from fairgate.baseline.worse import broken
from fairgate.comparison import BaselineInfo, Comparison, OnMissing, SuiteComparison
from fairgate.config.compared import ComparisonRule, compared_in
from fairgate.config.model import FairnessSuite, RagSuite, SwapSuite
from fairgate.results import Remark, RuleResult, SuiteResult
from fairgate.verdict import worst
from fairgate.wording import sentence


@dataclass(frozen=True)
class Judged:
    """A suite as written, and its result over this run alone.

    :param again: newly flipped cases that were asked once more; None when none was asked
    """

    suite: SwapSuite | FairnessSuite | RagSuite
    result: SuiteResult
    again: Again | None = None


@dataclass(frozen=True)
class Conclusion:
    """The suites with every rule judged, and what the report says about the baseline; both None when nothing was
    compared and nothing asked for it."""

    suites: list[SuiteResult]
    baseline: BaselineInfo | None
    comparison: Comparison | None


@dataclass(frozen=True)
class Missing:
    """Why a suite has nothing to compare with."""

    reason: str
    said: str


def conclude(
    judged: Sequence[Judged], baseline: Baseline | NoBaseline | None, on_missing: OnMissing, confidence: float
) -> Conclusion:
    """Compare every suite with the baseline and judge the rules about the change.

    A rule that has nothing to compare with reads INSUFFICIENT_EVIDENCE, or is left out and said so, as ``on_missing``
    asks; a suite of which every rule was left out has shown nothing and is never a PASS.

    :param baseline: None when none was named
    :param confidence: 1 − α
    """
    asked = any(compared_in(item.suite.written_rules) for item in judged)
    if baseline is None and not asked:
        return Conclusion([item.result for item in judged], None, None)
    found = _with_common_suites(baseline or no_baseline("baseline_not_named"), judged)
    rows = [(item, _compared(item, found)) for item in judged]
    suites = [_finished(item, compared, on_missing, confidence) for item, compared in rows]
    told = [_told(item.result, compared) for item, compared in rows]
    info = _info(found, on_missing)
    if isinstance(found, NoBaseline):
        return Conclusion(suites, info, None)
    earlier = {item.result.name: one.before for item, one in rows if isinstance(one, Compared)}
    return Conclusion(suites, info, Comparison(suites=told, worse=list(broken(suites, earlier))))


def _with_common_suites(baseline: Baseline | NoBaseline, judged: Sequence[Judged]) -> Baseline | NoBaseline:
    if isinstance(baseline, Baseline) and not any(baseline.suite(item.result.name) for item in judged):
        return no_baseline("baseline_other_suites", baseline.source)
    return baseline


def _compared(item: Judged, baseline: Baseline | NoBaseline) -> Compared | Missing:
    if isinstance(baseline, NoBaseline):
        return Missing(baseline.reason, baseline.sentence)
    before = baseline.suite(item.result.name)
    if before is None or before.kind != item.result.kind:
        why = no_baseline("suite_not_in_baseline", baseline.source, item.result.name)
        return Missing(why.reason, why.sentence)
    return compare_suite(before, item.result, item.again)


def _told(result: SuiteResult, compared: Compared | Missing) -> SuiteComparison:
    if isinstance(compared, Compared):
        return compared.told
    return SuiteComparison(
        suite=result.name, kind=result.kind, state="missing", reason=compared.reason, message=compared.said
    )


# --- the rules of a suite --------------------------------------------------------------------------------------------


def _finished(item: Judged, compared: Compared | Missing, on_missing: OnMissing, confidence: float) -> SuiteResult:
    """The suite with its rules in the order in which they are written."""
    own = {rule.id: rule for rule in item.result.rules}
    rules: list[RuleResult] = []
    left_out: list[str] = []
    missing: Missing | None = None
    for rule in item.suite.written_rules:
        if not isinstance(rule, ComparisonRule):
            rules += [own[rule.id]] if rule.id in own else []
            continue
        missing = _missing(rule, compared) or missing
        if isinstance(compared, Compared) and _missing(rule, compared) is None:
            rules.append(judge_rule(rule, compared, confidence, getattr(item.suite, "min_coverage", 0.0)))
        elif missing is not None and on_missing == "ignore":
            left_out.append(rule.id)
        elif missing is not None:
            rules.append(without_baseline(rule, missing.reason, missing.said, confidence))
    if not compared_in(item.suite.written_rules):
        return item.result
    warnings = list(item.result.warnings)
    if left_out and missing is not None:
        message = sentence("baseline_left_out", rules=left_out, said=missing.said)
        warnings.append(Remark(code="rules_left_out", message=message))
    verdict = worst(rule.verdict for rule in rules)
    return item.result.model_copy(update={"rules": rules, "verdict": verdict, "warnings": warnings})


def _missing(rule: ComparisonRule, compared: Compared | Missing) -> Missing | None:
    """Why a rule has nothing to compare with; None when it has."""
    if isinstance(compared, Missing):
        return compared
    if needs_pairs(rule) and compared.pairs is None:
        return Missing(compared.told.reason or "", compared.told.message or "")
    return None


def _info(baseline: Baseline | NoBaseline, on_missing: OnMissing) -> BaselineInfo:
    if isinstance(baseline, Baseline):
        return BaselineInfo(
            source=baseline.source, commit=baseline.commit, when=baseline.when, state="used", on_missing=on_missing
        )
    return BaselineInfo(
        source=baseline.source,
        state="missing",
        reason=baseline.reason,
        message=baseline.sentence,
        on_missing=on_missing,
    )
