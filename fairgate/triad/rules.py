"""The rules of a rag suite: from the decisions on its cases to verdicts.

n counts the cases that can be scored, or might be: an answer without a claim is left out, counted and shown, up to
``min_coverage``. A case of which it is not known whether it can be scored stays in n at its worst and counts against
coverage, so that hiding a reply can never bring a verdict about.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairgate.config.triad import TriadRule
from fairgate.results import Interval, RuleResult
from fairgate.stats import binomial, bounded_mean
from fairgate.stats.planning import cases_needed
from fairgate.triad.evidence import Evidence
from fairgate.triad.panel import TOLERANCE
from fairgate.triad.scores import Decision, Standing, decide, expected_of, stand
from fairgate.verdict import Verdict, worst
from fairgate.wording import sentence

METHODS = {"all": "every_case", "pass_rate": "clopper_pearson", "mean": "mixture_bound"}
_DECIDED = {Verdict.PASS: "within_limit", Verdict.FAIL: "beyond_limit"}


@dataclass(frozen=True)
class Tally:
    """The cases of a rule.

    :param expected: cases that the metric is expected of, known before anything was asked
    :param idle: those with nothing to score
    :param unknown: those of which that is not known
    :param decisions: one for each that can be scored, or might be
    """

    expected: int
    idle: int
    unknown: int
    decisions: tuple[Decision, ...]

    @property
    def coverage(self) -> float | None:
        """The share of the expected cases that is known to be scoreable; None when none is expected."""
        return (self.expected - self.idle - self.unknown) / self.expected if self.expected else None

    @property
    def missing(self) -> int:
        """Cases whose score is open."""
        return sum(low != high for low, high in (decision.interval for decision in self.decisions))

    def of(self, verdict: Verdict) -> int:
        """How many cases came to a verdict."""
        return sum(decision.verdict == verdict for decision in self.decisions)


def tally(rule: TriadRule, evidence: Evidence) -> Tally:
    """The decisions of a rule on every case that it is about."""
    samples = expected_of(rule.metric, evidence)
    standings = Counter(stand(rule.metric, sample, evidence).standing for sample in samples)
    decisions = tuple(found for sample in samples if (found := decide(rule, sample, evidence)))
    return Tally(len(samples), standings[Standing.IDLE], standings[Standing.UNKNOWN], decisions)


def judge_rule(rule: TriadRule, evidence: Evidence, confidence: float, *, unvalidated: bool) -> RuleResult:
    """One rule's verdict.

    :param confidence: 1 − α
    :param unvalidated: nobody but an embedded judge judged: a PASS is for a person to confirm
    """
    found = tally(rule, evidence)
    estimate, interval, verdict = _JUDGED[rule.require](rule, found, 1 - confidence)
    too_few = size_problem(rule, len(found.decisions), 1 - confidence) if found.decisions else None
    unfit = _unfit(rule, found, evidence)
    reasons = [_DECIDED[verdict]] if verdict in _DECIDED else [*_why_open(rule, found, too_few), *unfit]
    if unfit and verdict is Verdict.PASS:
        verdict, reasons = Verdict.INSUFFICIENT_EVIDENCE, unfit
    facts = {
        "rule": rule, "tally": found, "estimate": estimate, "interval": interval, "verdict": verdict,
        "confidence": confidence, "reasons": reasons, "too_few": too_few, "floor": evidence.floor,
        "min_coverage": evidence.suite.min_coverage,
    }  # fmt: skip
    result = RuleResult(
        id=rule.id, verdict=verdict, underlying=verdict, reasons=reasons, message=sentence("triad_rule", **facts),
        metric=rule.metric, limit=rule.min, decided_by=rule.decided_by, why=rule.why, estimate=estimate,
        interval=interval, confidence=confidence, method=METHODS[rule.require], require=rule.require,
        pass_rate=rule.pass_rate,
    )  # fmt: skip
    return _reviewed(result, rule, unvalidated=unvalidated)


def size_problem(rule: TriadRule, cases: int, tail: float) -> str | None:
    """Why the rule can never PASS on so many cases, whatever the scores, and how many it needs; else None."""

    def suffices(number: int) -> bool:
        if rule.require == "pass_rate":
            return binomial.lower_bound(number, number, tail) >= (rule.pass_rate or 0.0)
        return rule.require == "all" or bounded_mean.lower_bound({1.0: number}, tail) >= rule.min

    if suffices(cases):
        return None
    return sentence("triad_too_few", rule=rule, cases=cases, needed=cases_needed(suffices, cases))


# --- the three ways to require a limit -------------------------------------------------------------------------------

_Judged = tuple[float | None, Interval, Verdict]


def _judge_all(rule: TriadRule, found: Tally, tail: float) -> _Judged:
    """The suite is the population: every case has to pass, one that fails is enough to fail."""
    passed, failed, cases = found.of(Verdict.PASS), found.of(Verdict.FAIL), len(found.decisions)
    if not cases:
        return None, (0.0, 1.0), Verdict.INSUFFICIENT_EVIDENCE
    verdicts = [decision.verdict for decision in found.decisions]
    estimate = passed / (passed + failed) if passed + failed else None
    return estimate, (passed / cases, (cases - failed) / cases), worst(verdicts)


def _judge_pass_rate(rule: TriadRule, found: Tally, tail: float) -> _Judged:
    """Clopper–Pearson on the cases that pass; an undecided one passes for the upper end only."""
    passed, failed, cases = found.of(Verdict.PASS), found.of(Verdict.FAIL), len(found.decisions)
    if not cases:
        return None, (0.0, 1.0), Verdict.INSUFFICIENT_EVIDENCE
    interval = binomial.lower_bound(passed, cases, tail), binomial.upper_bound(cases - failed, cases, tail)
    estimate = passed / (passed + failed) if passed + failed else None
    return estimate, interval, _beside(interval, rule.pass_rate or 0.0)


def _judge_mean(rule: TriadRule, found: Tally, tail: float) -> _Judged:
    """The mixture bound on the scores; what is missing is 0 for the lower end and 1 for the upper."""
    if not found.decisions:
        return None, (0.0, 1.0), Verdict.INSUFFICIENT_EVIDENCE
    ends = [decision.interval for decision in found.decisions]
    interval = (
        bounded_mean.lower_bound(Counter(low for low, _ in ends), tail),
        bounded_mean.upper_bound(Counter(high for _, high in ends), tail),
    )
    known = [low for low, high in ends if low == high]
    return sum(known) / len(known) if known else None, interval, _beside(interval, rule.min)


def _beside(interval: Interval, limit: float) -> Verdict:
    """PASS when the whole interval keeps the floor, FAIL when all of it lies below."""
    lower, upper = interval
    if upper < limit:
        return Verdict.FAIL
    return Verdict.PASS if lower >= limit else Verdict.INSUFFICIENT_EVIDENCE


_JUDGED: dict[str, Callable[[TriadRule, Tally, float], _Judged]] = {
    "all": _judge_all,
    "pass_rate": _judge_pass_rate,
    "mean": _judge_mean,
}


# --- reasons ---------------------------------------------------------------------------------------------------------


def _unfit(rule: TriadRule, found: Tally, evidence: Evidence) -> list[str]:
    """What keeps a PASS from being one. Each of them only comes closer when evidence is hidden."""
    measured = evidence.floor
    relevance = rule.metric == "answer_relevance"
    codes = {
        "coverage_too_low": found.coverage is None or found.coverage < evidence.suite.min_coverage - TOLERANCE,
        "floor_not_measured": relevance and measured is None,
        "limit_below_floor": relevance and measured is not None and rule.min < measured - TOLERANCE,
    }
    return [code for code, holds in codes.items() if holds]


def _why_open(rule: TriadRule, found: Tally, too_few: str | None) -> list[str]:
    """Why an undecided rule is undecided."""
    decided = found.of(Verdict.PASS) + found.of(Verdict.FAIL)
    observed = decided if rule.require != "mean" else len(found.decisions) - found.missing
    why = [decision.reason for decision in found.decisions if decision.verdict not in _DECIDED and decision.reason]
    codes = {
        "no_evidence": not observed,
        "too_few_cases_to_pass": too_few is not None,
        "panel_split": "panel_split" in why,
        "panel_quorum": "panel_quorum" in why,
        "missing_scores": any(code not in ("panel_split", "panel_quorum") for code in why),
        "interval_straddles_limit": rule.require != "all" and observed > 0 and too_few is None,
    }
    return [code for code, holds in codes.items() if holds]


def _reviewed(result: RuleResult, rule: TriadRule, *, unvalidated: bool) -> RuleResult:
    """What a person has to look at: never hides a failure."""
    codes: Sequence[str] = [
        *(["requires_manual_review"] if rule.requires_manual_review else []),
        *(["unvalidated_judge"] if unvalidated and result.underlying is Verdict.PASS else []),
    ]
    if not codes:
        return result
    said = [] if result.underlying is Verdict.FAIL else [sentence("triad_review", code=code) for code in codes]
    return result.model_copy(
        update={
            "verdict": worst([result.underlying, Verdict.MANUAL_REVIEW]),
            "reasons": [*result.reasons, *codes],
            "message": " ".join([result.message, *said]),
        }
    )
