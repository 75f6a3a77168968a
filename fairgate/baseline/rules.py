"""The rules over what a change made worse: from a compared suite to verdicts."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fairgate.baseline.compare import Compared
from fairgate.config.compared import ComparisonRule, SwapComparison
from fairgate.config.triad import TriadComparison
from fairgate.results import RuleResult, SuiteResult
from fairgate.stats.planning import cases_needed
from fairgate.swap.blindness import blind
from fairgate.verdict import Verdict, worst
from fairgate.wording import sentence

if TYPE_CHECKING:
    from fairgate.baseline.regression import Regression

UNKNOWN = (-1.0, 1.0)
_DECIDED = {Verdict.PASS: "within_limit", Verdict.FAIL: "beyond_limit"}
METHODS = {"flip_rate": "exact_paired"}


@dataclass(frozen=True)
class Finding:
    """What a rule came to, before any review.

    :param compared: what both runs have of what the rule is about
    :param facts: further facts for its sentence
    """

    verdict: Verdict
    reasons: list[str]
    estimate: float | None
    interval: tuple[float, float]
    method: str | None = None
    compared: int = 0
    facts: dict[str, object] = field(default_factory=dict)


def judge_rule(rule: ComparisonRule, found: Compared, confidence: float, min_coverage: float) -> RuleResult:
    """One rule's verdict over a compared suite.

    :param confidence: 1 − α
    :param min_coverage: rag: the share of the answers that has to be known to be scoreable
    """
    of, limit = demand(rule)
    if metric_of(rule) == "no_new_flips":
        finding = _no_new_flips(found)
    elif metric_of(rule) == "no_new_failures":
        finding = _no_new_failures(found)
    else:
        finding = _regression(rule, found, limit, 1 - confidence, min_coverage)
    return _reviewed(_result(rule, finding, of, limit, confidence), rule, found.now)


def without_baseline(rule: ComparisonRule, reason: str, said: str, confidence: float) -> RuleResult:
    """A rule that has nothing to compare with.

    :param reason: why, a snake_case code
    :param said: the same as a sentence
    """
    of, limit = demand(rule)
    facts: dict[str, object] = {"said": said}
    finding = Finding(
        Verdict.INSUFFICIENT_EVIDENCE, list(dict.fromkeys(["no_baseline", reason])), None, UNKNOWN, facts=facts
    )
    return _reviewed(_result(rule, finding, of, limit, confidence), rule, None)


def metric_of(rule: ComparisonRule) -> str:
    """``no_new_flips``, ``no_new_failures`` or ``regression``."""
    if getattr(rule, "max_regression", None) is not None:
        return "regression"
    return "no_new_flips" if getattr(rule, "no_new_flips", False) else "no_new_failures"


def demand(rule: ComparisonRule) -> tuple[str | None, float]:
    """Which metric must not become worse by how much; nothing and 0 for the rules that allow nothing new."""
    if isinstance(rule, TriadComparison) and rule.max_regression is not None:
        return rule.metric, rule.max_regression
    if isinstance(rule, SwapComparison) and rule.max_regression is not None:
        return "max_group_gap" if rule.rate else "flip_rate", rule.max_regression
    return None, 0.0


def needs_pairs(rule: ComparisonRule) -> bool:
    """Whether a rule is about paired base cases."""
    return isinstance(rule, SwapComparison) and not rule.no_new_failures


# --- nothing new -----------------------------------------------------------------------------------------------------


def _no_new_flips(found: Compared) -> Finding:
    flips = found.told.flips
    if flips is None or not flips.pairs:
        return _nothing_comparable()
    new, possible = len(flips.newly_flipped), len(flips.newly_flipped) + len(flips.open)
    finding = _nothing_new(new, possible, flips.pairs, "missing_outcomes")
    apart = found.pairs.apart if found.pairs else 0
    finding.facts["apart"] = apart
    if finding.verdict is not Verdict.PASS or not apart:
        return finding
    # What flips now and has no pair may flip newly: a baseline with few of the cases must not make the rest invisible.
    return replace(finding, verdict=Verdict.INSUFFICIENT_EVIDENCE, reasons=["unpaired_flips"])


def _no_new_failures(found: Compared) -> Finding:
    verdicts = found.told.verdicts
    if verdicts is None or not verdicts.compared:
        return _nothing_comparable()
    new, possible = len(verdicts.newly_failing), len(verdicts.newly_failing) + len(verdicts.open)
    return _nothing_new(new, possible, verdicts.compared, "undecided")


def _nothing_new(new: int, possible: int, compared: int, open_code: str) -> Finding:
    verdict = Verdict.FAIL if new else Verdict.INSUFFICIENT_EVIDENCE if possible else Verdict.PASS
    reasons = [_DECIDED.get(verdict, open_code)]
    facts: dict[str, object] = {"open": possible - new, "compared": compared, "new": new}
    known = compared - (possible - new)
    estimate = new / known if known else None
    return Finding(verdict, reasons, estimate, (new / compared, possible / compared), "every_case", compared, facts)


def _nothing_comparable() -> Finding:
    return Finding(Verdict.INSUFFICIENT_EVIDENCE, ["nothing_comparable"], None, UNKNOWN)


# --- how much worse --------------------------------------------------------------------------------------------------


def _regression(rule: ComparisonRule, found: Compared, limit: float, tail: float, min_coverage: float) -> Finding:
    measured = _measure(rule, found, limit, tail, min_coverage)
    if measured is None or not measured.pairs:
        return _nothing_comparable()
    too_few = None
    if measured.verdict is Verdict.INSUFFICIENT_EVIDENCE and demand(rule)[0] == "flip_rate":
        too_few = size_problem(measured.pairs, limit, tail)
    reasons = (
        [_DECIDED[measured.verdict]] if measured.verdict in _DECIDED else list(_why_open(measured, too_few, limit))
    )
    facts: dict[str, object] = {"regression": measured, "too_few": too_few}
    method = METHODS.get(demand(rule)[0] or "", "mixture_bound")
    return Finding(measured.verdict, reasons, measured.estimate, measured.interval, method, int(measured.pairs), facts)


def _measure(
    rule: ComparisonRule, found: Compared, limit: float, tail: float, min_coverage: float
) -> "Regression | None":
    # numpy and scipy, only where a rule is about how much worse
    from fairgate.baseline.regression import flip_regression, gap_regression, score_regression  # noqa: PLC0415

    if isinstance(rule, TriadComparison):
        return score_regression(found.answers, rule.metric or "", limit, tail, min_coverage)
    before, now = found.before.outcomes, found.now.outcomes
    if found.pairs is None or before is None or now is None:
        return None
    attribute = rule.attribute if isinstance(rule, SwapComparison) else None
    if attribute is not None:
        return gap_regression(found.pairs.same, before, now, attribute, limit, tail)
    return flip_regression(found.pairs.same, limit, tail)


def size_problem(pairs: int, limit: float, tail: float) -> str | None:
    """Why a flip rate that did not rise at all could not PASS on so many pairs, and how many it takes; else None."""
    from fairgate.stats import paired  # noqa: PLC0415 - as above

    def suffices(cases: int) -> bool:
        return cases > 0 and paired.is_below(paired.Pairs(0, 0, cases), limit, tail)

    if suffices(pairs):
        return None
    needed = cases_needed(suffices, pairs) if limit > 0 else None
    return sentence(
        "too_few_cases", cases=pairs, noun=("case", "cases"), what="limit on the rise", limit=limit, needed=needed
    )


def _why_open(measured: "Regression", too_few: str | None, limit: float) -> Iterator[str]:
    if too_few is not None:
        yield "too_few_cases_to_pass"
    if measured.missing:
        yield "missing_outcomes"
    if measured.interval[1] <= limit:
        yield "coverage_too_low"
    elif too_few is None:
        yield "interval_straddles_limit"


# --- results ---------------------------------------------------------------------------------------------------------


def _result(rule: ComparisonRule, finding: Finding, of: str | None, limit: float, confidence: float) -> RuleResult:
    attribute = getattr(rule, "attribute", None)
    metric = metric_of(rule)
    message = sentence(
        "baseline_rule",
        metric=metric, of=of, attribute=attribute, limit=limit, confidence=confidence, verdict=finding.verdict,
        reasons=finding.reasons, estimate=finding.estimate, interval=finding.interval,
        **{"said": None, "regression": None, "too_few": None, "new": 0, "open": 0, "compared": 0, **finding.facts},
    )  # fmt: skip
    return RuleResult(
        id=rule.id, verdict=finding.verdict, underlying=finding.verdict, reasons=finding.reasons, message=message,
        metric=metric, of=of, rate=getattr(rule, "rate", None), limit=limit, decided_by=rule.decided_by, why=rule.why,
        estimate=finding.estimate, interval=finding.interval, confidence=confidence,
        attribute=list(attribute) if attribute else None, method=finding.method, compared=finding.compared,
    )  # fmt: skip


def _reviewed(result: RuleResult, rule: ComparisonRule, now: SuiteResult | None) -> RuleResult:
    """What a person has to look at: never hides a failure, and a suite that saw nothing never passes by itself."""
    codes = ["requires_manual_review"] if rule.requires_manual_review else []
    if result.underlying is Verdict.PASS and now is not None:
        codes += blindness(now, rule)
    if not codes:
        return result
    said = (
        [] if result.underlying is Verdict.FAIL else [sentence(_REVIEWS.get(c, "swap_review"), code=c) for c in codes]
    )
    return result.model_copy(
        update={
            "verdict": worst([result.underlying, Verdict.MANUAL_REVIEW]),
            "reasons": [*result.reasons, *codes],
            "message": " ".join([result.message, *said]),
        }
    )


_REVIEWS = {"unvalidated_judge": "triad_review"}


def blindness(suite: SuiteResult, rule: ComparisonRule) -> list[str]:
    """What keeps a suite from seeing what a rule is about, by the test of its own rules: a PASS is then for a person
    to confirm."""
    if suite.kind == "rag":
        from fairgate.triad.suite import is_unvalidated  # noqa: PLC0415 - only where a suite is judged by judges

        embedded = [judge.embedded for judge in suite.judges or []]
        return ["unvalidated_judge"] if embedded and is_unvalidated(embedded) else []
    if suite.flips is None:
        return []
    responded = [control.responded for control in suite.flips.responds]
    return blind(suite.flips.kinds, responded, selection=getattr(rule, "rate", None) == "selection")
