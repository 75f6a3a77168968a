"""The rules of a swap suite: from a grid to verdicts.

Each side of a decision is judged one-sided at the full tail: at any truth only one of PASS and FAIL can be wrong.
Missing outcomes stand at their worst for each side and the number of bases stays what was expected, so hiding an
outcome can only widen an interval: a decided rule stays as it is or becomes undecided.
"""

from collections.abc import Sequence
from typing import Literal

from fairgate.config.model import SwapRule
from fairgate.results import Interval, RuleResult
from fairgate.stats import binomial
from fairgate.stats.planning import cases_needed
from fairgate.swap.flips import FlipCount, count_flips
from fairgate.swap.further import settle_bound, settle_rate
from fairgate.swap.gap_rule import gap_needs, judge_group_gap
from fairgate.swap.gaps import never_apart
from fairgate.swap.grid import Control, Grid
from fairgate.swap.noise_rule import is_too_noisy, judge_excess
from fairgate.swap.reasons import DECIDED, Settle, digits_beside, open_outcomes, why_open
from fairgate.swap.selection import Sample, group_result, samples
from fairgate.verdict import Verdict, worst
from fairgate.wording import sentence

Bound = Literal["min", "max"]
NOUN = ("case", "cases")


def judge_rule(
    rule: SwapRule, grid: Grid, confidence: float, blind: Sequence[str], control: Control | None = None
) -> RuleResult:
    """One rule's verdict over a grid.

    :param confidence: 1 − α
    :param blind: codes of what keeps this suite from seeing a flip; each turns a PASS into MANUAL_REVIEW
    :param control: what identical calls gave; rules over flips beyond noise need it
    """
    if rule.max_excess_flip_rate is not None:
        if control is None:
            raise ValueError(f"rule {rule.id}: flips beyond noise need a control")
        result = judge_excess(rule, rule.max_excess_flip_rate, grid, control, confidence)
    elif rule.max_flip_rate is not None:
        result = _judge_flip_rate(rule, rule.max_flip_rate, grid, confidence)
    elif rule.gap is not None:
        result = judge_group_gap(rule, rule.gap, grid, confidence)
    else:
        result = _judge_worst_group(rule, grid, confidence)
    noisy = control is not None and is_too_noisy(rule, grid, control, 1 - confidence)
    return _review(result, rule, blind, noisy=noisy)


def size_problem(rule: SwapRule, bases: int, variants: int, tail: float) -> str | None:
    """Why the rule can never PASS at this size, whatever the outcomes, and how many cases it needs; else None.

    :param bases: expected base cases
    :param variants: expected outcomes of a group in each base; of no matter for a flip rate
    """
    if rule.max_flip_rate is not None:
        limit, what = rule.max_flip_rate, "flip limit"
    elif rule.gap is not None:
        limit, what = rule.gap, "gap limit"
    else:
        bound, limit = floor_or_ceiling(rule)
        what = "selection floor" if bound == "min" else "selection ceiling"

    def suffices(cases: int) -> bool:
        return best_case_passes(rule, cases, variants, tail)

    if suffices(bases):
        return None
    gap = rule.gap
    needed = cases_needed(suffices, bases) if gap is None else gap_needs(gap, variants, bases, tail)
    return sentence("too_few_cases", cases=bases, noun=NOUN, what=what, limit=limit, needed=needed)


def best_case_passes(rule: SwapRule, bases: int, variants: int, tail: float) -> bool:
    """Whether the rule passes when everything is observed and every outcome is the best for it."""
    if rule.max_flip_rate is not None:
        return binomial.upper_bound(0, bases, tail) <= rule.max_flip_rate
    if rule.gap is not None:
        return never_apart(bases, variants).is_within(rule.gap, tail)
    bound, limit = floor_or_ceiling(rule)
    if bound == "min":
        return Sample({}, variants, {(variants, 0): bases}).lower(tail) >= limit
    return Sample({}, variants, {(0, 0): bases}).upper(tail) <= limit


def floor_or_ceiling(rule: SwapRule) -> tuple[Bound, float]:
    """Which of the two a ``worst_group`` is, and its limit.

    :raises ValueError: when the rule has neither; the configuration refuses that before
    """
    if rule.worst_group is not None and rule.worst_group.min is not None:
        return "min", rule.worst_group.min
    if rule.worst_group is not None and rule.worst_group.max is not None:
        return "max", rule.worst_group.max
    raise ValueError(f"rule {rule.id}: worst_group needs min or max")


# --- flip rate -------------------------------------------------------------------------------------------------------


def _judge_flip_rate(rule: SwapRule, limit: float, grid: Grid, confidence: float) -> RuleResult:
    tail = 1 - confidence
    count = count_flips(grid)
    interval = count.interval(tail)
    verdict = flip_verdict(interval, limit)
    observed = any(observation.outcome is not None for observation in grid.observations)
    if not observed:
        verdict = Verdict.INSUFFICIENT_EVIDENCE
    reasons = [DECIDED.get(verdict, "")]
    message = sentence(
        "swap_flip_rate",
        count=count, interval=interval, limit=limit, confidence=confidence, verdict=verdict,
        digits=digits_beside(limit, interval),
    )  # fmt: skip
    if verdict is Verdict.INSUFFICIENT_EVIDENCE:
        too_few = size_problem(rule, count.bases, 1, tail)
        missing = open_outcomes(grid)
        reasons = why_open(too_few, missing, observed)
        message += " " + (too_few or _settle_flips(count, limit, tail, missing, observed).text)
    return RuleResult(
        id=rule.id, verdict=verdict, underlying=verdict, reasons=reasons, message=message,
        metric="flip_rate", limit=limit, decided_by=rule.decided_by, why=rule.why,
        estimate=count.rate, interval=interval, confidence=confidence, method="clopper_pearson",
    )  # fmt: skip


def flip_verdict(interval: Interval, limit: float) -> Verdict:
    """FAIL when the whole interval is beyond the limit, PASS when none of it is."""
    lower, upper = interval
    if lower > limit:
        return Verdict.FAIL
    return Verdict.PASS if upper <= limit else Verdict.INSUFFICIENT_EVIDENCE


def _settle_flips(count: FlipCount, limit: float, tail: float, missing: int, observed: bool) -> Settle:
    if count.rate is None:
        return Settle("answers" if observed else "no_evidence", missing=missing)
    if missing and flip_verdict(_flip_interval(count.flipped, count.bases, tail), limit) is Verdict.PASS:
        return Settle("answers", missing=missing)
    return settle_rate(count.rate, limit, count.bases, tail, missing)


def _flip_interval(flipped: int, bases: int, tail: float) -> Interval:
    return FlipCount(bases, bases, flipped, 0).interval(tail)


# --- worst group -----------------------------------------------------------------------------------------------------


def _judge_worst_group(rule: SwapRule, grid: Grid, confidence: float) -> RuleResult:
    tail = 1 - confidence
    bound, limit = floor_or_ceiling(rule)
    found = samples(grid, rule.attribute or list(grid.axes))
    intervals = [_ends(sample, bound, tail, len(found)) for sample in found]
    verdicts = [group_verdict(interval, bound, limit) for interval in intervals]
    groups = [group_result(*row) for row in zip(found, intervals, verdicts, strict=True)]
    verdict = worst(verdicts)
    if verdict is Verdict.PASS and not all(group.observed for group in groups):
        verdict = Verdict.INSUFFICIENT_EVIDENCE
    number = min(range(len(found)), key=lambda index: _rank(intervals[index], found[index].estimate, bound))
    message = sentence(
        "swap_worst_group",
        bound=bound, worst=groups[number], interval=intervals[number], limit=limit, confidence=confidence,
        verdict=verdict, digits=digits_beside(limit, intervals[number]),
    )  # fmt: skip
    reasons, missing = [DECIDED.get(verdict, "")], sum(group.missing for group in groups)
    if verdict is Verdict.INSUFFICIENT_EVIDENCE:
        too_few = size_problem(rule, len(grid.bases), found[number].variants, tail)
        reasons = why_open(too_few, missing, all(group.observed for group in groups))
        message += " " + (too_few or _settle_group(found[number], bound, limit, tail, len(found)).text)
    return RuleResult(
        id=rule.id, verdict=verdict, underlying=verdict, reasons=reasons, message=message,
        metric="worst_group", rate="selection", bound=bound, limit=limit, decided_by=rule.decided_by, why=rule.why,
        estimate=found[number].estimate, interval=intervals[number], confidence=confidence,
        attribute=list(rule.attribute or grid.axes), method=found[number].method, groups=groups,
    )  # fmt: skip


def group_verdict(interval: Interval, bound: Bound, limit: float) -> Verdict:
    """PASS when the whole interval keeps the floor (or ceiling), FAIL when all of it breaks it."""
    lower, upper = interval
    kept, broken = (lower >= limit, upper < limit) if bound == "min" else (upper <= limit, lower > limit)
    if broken:
        return Verdict.FAIL
    return Verdict.PASS if kept else Verdict.INSUFFICIENT_EVIDENCE


def _ends(sample: Sample, bound: Bound, tail: float, groups: int) -> Interval:
    """The two deciding ends. All groups have to keep the limit for a PASS, so each may spend the whole tail
    (intersection–union); one broken group is a FAIL, so that side divides it over the groups."""
    low, high = (tail, tail / groups) if bound == "min" else (tail / groups, tail)
    return sample.lower(low), sample.upper(high)


def _rank(interval: Interval, estimate: float | None, bound: Bound) -> tuple[float, float]:
    """The group nearest to the limit, or furthest beyond it, ranks lowest."""
    sign, end = (1, interval[0]) if bound == "min" else (-1, interval[1])
    return sign * end, sign * (estimate if estimate is not None else end)


def _settle_group(sample: Sample, bound: Bound, limit: float, tail: float, groups: int) -> Settle:
    estimate, missing, bases = sample.estimate, int(sample.missing), int(sample.bases)
    seen = sample.at_size(bases)
    if estimate is None or not seen.bases:
        return Settle("no_evidence" if estimate is None else "answers", missing=missing)

    def decided(cases: int) -> bool:
        ends = _ends(sample.at_size(cases), bound, tail, groups)
        return group_verdict(ends, bound, limit) is not Verdict.INSUFFICIENT_EVIDENCE

    if missing and decided(bases):
        return Settle("answers", missing=missing)
    known = {positive / sample.variants: count for (positive, lost), count in sample.tallies.items() if not lost}
    return settle_bound(decided, known, abs(limit - estimate), bases, missing)


# --- review ----------------------------------------------------------------------------------------------------------


def _review(result: RuleResult, rule: SwapRule, blind: Sequence[str], *, noisy: bool) -> RuleResult:
    """What a person has to look at: never hides a failure, and a suite that saw nothing never passes by itself."""
    codes = ["requires_manual_review"] if rule.requires_manual_review else []
    if result.underlying is Verdict.PASS:
        codes += blind
    if result.underlying is Verdict.INSUFFICIENT_EVIDENCE and noisy:
        codes.append("system_too_noisy")
    if not codes:
        return result
    said = [] if result.underlying is Verdict.FAIL else [sentence("swap_review", code=code) for code in codes]
    return result.model_copy(
        update={
            "verdict": worst([result.underlying, Verdict.MANUAL_REVIEW]),
            "reasons": [*result.reasons, *codes],
            "message": " ".join([result.message, *said]),
        }
    )
