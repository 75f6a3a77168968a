"""The rule ``max_excess_flip_rate``, systems too noisy for their limits, and what a report says of a control."""

from collections.abc import Iterator
from typing import Any

from fairgate.config.model import SwapRule
from fairgate.results import Control as ControlResult
from fairgate.results import Interval, Remark, RuleResult
from fairgate.stats.planning import cases_needed
from fairgate.swap.further import settle_bound, settle_mean
from fairgate.swap.grid import Control, Grid
from fairgate.swap.noise import Excess, interval, measure, never_different
from fairgate.swap.reasons import DECIDED, Settle, digits_beside, why_open
from fairgate.verdict import Verdict
from fairgate.wording import sentence


def judge_excess(rule: SwapRule, limit: float, grid: Grid, control: Control, confidence: float) -> RuleResult:
    """The verdict over the flips beyond noise: FAIL when they are shown to be beyond the limit, PASS when within.

    :param confidence: 1 − α, one-sided for each side of the decision
    """
    tail, axis = 1 - confidence, axis_of(rule)
    found = measure(grid, control, axis)
    excess, noise = found.excess, found.noise
    observed = excess.estimate is not None
    verdict = excess_verdict(excess, limit, tail)
    bounds = _shown(excess, limit, tail, verdict)
    reasons = [DECIDED.get(verdict, "")]
    message = sentence(
        "swap_excess",
        axis=axis, bases=excess.bases, estimate=excess.estimate, noise=noise.estimate, interval=bounds, limit=limit,
        confidence=confidence, verdict=verdict, incomplete=excess.bases - excess.known.total(),
        digits=digits_beside(limit, bounds),
    )  # fmt: skip
    if verdict is Verdict.INSUFFICIENT_EVIDENCE:
        too_few = excess_size_problem(excess, limit, tail)
        reasons = why_open(too_few, found.missing, observed)
        message += " " + (too_few or _settle(excess, limit, tail, found.missing).text)
    return RuleResult(
        id=rule.id, verdict=verdict, underlying=verdict, reasons=reasons, message=message,
        metric="excess_flip_rate", limit=limit, decided_by=rule.decided_by, why=rule.why,
        estimate=excess.estimate, interval=bounds, confidence=confidence,
        attribute=None if axis is None else [axis], method=_method(excess),
    )  # fmt: skip


def axis_of(rule: SwapRule) -> str | None:
    """The one axis that a rule over flips beyond noise looks at; None for all of them."""
    return rule.attribute[0] if rule.attribute else None


def excess_verdict(excess: Excess, limit: float, tail: float) -> Verdict:
    """FAIL when the excess is shown to be beyond the limit; PASS when within, and something was seen."""
    if excess.is_beyond(limit, tail):
        return Verdict.FAIL
    passes = excess.estimate is not None and excess.is_within(limit, tail)
    return Verdict.PASS if passes else Verdict.INSUFFICIENT_EVIDENCE


def is_too_noisy(rule: SwapRule, grid: Grid, control: Control, tail: float) -> bool:
    """Whether identical calls are shown to differ more often than a limit on flips allows for different ones.

    A rule over flips that is open then asks for a person. One over all flips could only come to fail, and by the noise
    alone: a base flips at least as often as a pair of its variants disagrees, and those, on average, at least as often
    as identical calls do. One over flips beyond noise may be decided by more cases; how many is the noise's doing.
    """
    if rule.max_excess_flip_rate is not None:
        return measure(grid, control, axis_of(rule)).noise.lower(tail) > rule.max_excess_flip_rate
    if rule.max_flip_rate is not None:
        return measure(grid, control).noise.lower(tail) > rule.max_flip_rate
    return False


def excess_size_problem(expected: Excess, limit: float, tail: float) -> str | None:
    """Why the rule does not PASS at this size even where no answer ever differs, and how many cases it needs; else
    None.

    :param expected: the bases that count, whatever is known of them
    """

    def suffices(cases: int) -> bool:
        return never_different(expected.scale, cases).is_within(limit, tail)

    if suffices(expected.bases):
        return None
    needed = cases_needed(suffices, expected.bases) if limit > 0 else None
    return sentence("swap_excess_too_few", cases=expected.bases, limit=limit, needed=needed)


def _shown(excess: Excess, limit: float, tail: float, verdict: Verdict) -> Interval:
    """The bounds. Exact ones look at one margin at a time: what is shown is made to agree with what is decided."""
    lower, upper = interval(excess, tail)
    upper = min(upper, limit) if verdict is Verdict.PASS else max(upper, limit)
    return (max(lower, limit) if verdict is Verdict.FAIL else min(lower, limit)), upper


def _method(excess: Excess) -> Any:
    return "exact_paired" if excess.scale.exact else "mixture_bound"


def _settle(excess: Excess, limit: float, tail: float, missing: int) -> Settle:
    """What would decide, were further cases like those that were seen."""
    if excess.estimate is None:
        return Settle("answers" if missing else "no_evidence", missing=missing)
    known = {value / excess.scale.unit: count for value, count in excess.known.items()}
    distance = abs(limit - excess.estimate)
    if excess.scale.exact:
        return settle_mean(known, distance, limit, excess.bases, tail, missing)

    def decided(cases: int) -> bool:
        return excess_verdict(excess.at_size(cases), limit, tail) is not Verdict.INSUFFICIENT_EVIDENCE

    if missing and decided(excess.bases):
        return Settle("answers", missing=missing)
    return settle_bound(decided, known, distance, excess.bases, missing)


# --- for the report --------------------------------------------------------------------------------------------------


def control_result(grid: Grid, control: Control | None, tail: float) -> ControlResult | None:
    """What identical calls gave, as the report has it; None where nothing was asked again.

    :param tail: error probability of each bound
    """
    if control is None:
        return None
    found = measure(grid, control)
    repeats = list(control.observations)
    return ControlResult(
        repeats=control.repeats,
        bases=len(control.bases),
        asked=len(repeats),
        answered=sum(one.outcome is not None for one in repeats),
        differed=found.noise.differed,
        noise=found.noise.estimate,
        noise_interval=interval(found.noise, tail),
        excess=found.excess.estimate,
        excess_interval=interval(found.excess, tail),
        method=_method(found.excess),
    )


def noise_remarks(control: ControlResult | None, temperature: Any) -> Iterator[Remark]:
    """Says that identical calls differ, where they do.

    :param temperature: that the system was asked with, where it is known
    """
    if control is not None and control.differed:
        yield Remark(code="noisy_system", message=sentence("swap_noisy", control=control, temperature=temperature))
