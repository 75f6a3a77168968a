"""The rules ``max_group_gap`` and ``max_refusal_gap`` of a swap suite: no two groups may differ by more than the limit
in how often they are selected, or refused an answer."""

from collections.abc import Sequence

from fairgate.config.model import SwapRule
from fairgate.results import Gap, Group, RuleResult
from fairgate.stats.binomial import cases_to_stay_below
from fairgate.stats.planning import cases_needed
from fairgate.swap.further import settle_bound, settle_mean
from fairgate.swap.gaps import GapJudgement, differences, judge_gap, never_apart
from fairgate.swap.grid import Grid
from fairgate.swap.reasons import DECIDED, Settle, digits_beside, why_open
from fairgate.swap.selection import Sample, group_result, refused, samples, selected
from fairgate.verdict import Verdict
from fairgate.wording import sentence

NOUN = ("case", "cases")


def judge_group_gap(rule: SwapRule, limit: float, grid: Grid, confidence: float) -> RuleResult:
    """The verdict over the gaps between all groups of the rule's axis or crossing.

    :param confidence: 1 − α, one-sided for each side of the decision
    """
    tail = 1 - confidence
    attribute = rule.attribute or list(grid.axes)
    counted = refused if rule.of_refusals else selected
    groups, found = samples(grid, attribute, counted), differences(grid, attribute, counted)
    judgement = judge_gap(found, limit, tail)
    observed = all(sample.estimate is not None for sample in groups)
    verdict = judgement.verdict
    if verdict is Verdict.PASS and not observed:
        verdict = Verdict.INSUFFICIENT_EVIDENCE
    difference = judgement.worst.estimate
    estimate = None if difference is None else abs(difference)
    shown = [group_result(sample, (sample.lower(tail), sample.upper(tail))) for sample in groups]
    between = (shown[judgement.worst.first], shown[judgement.worst.second])
    message = sentence(
        "swap_group_gap",
        more=between[0], less=between[1], difference=difference, paired=judgement.worst.known.total(),
        bases=len(grid.bases), interval=judgement.interval, limit=limit, confidence=confidence,
        verdict=verdict, groups=len(groups), refusals=rule.of_refusals, digits=digits_beside(limit, judgement.interval),
    )  # fmt: skip
    reasons = [DECIDED.get(verdict, "")]
    if verdict is Verdict.INSUFFICIENT_EVIDENCE:
        too_few = _too_few(groups, limit, tail)
        missing = sum(group.missing for group in shown)
        reasons = why_open(too_few, missing, observed)
        message += " " + (too_few or _settle(judgement, len(grid.bases), limit, tail / len(found), missing).text)
    return RuleResult(
        id=rule.id, verdict=verdict, underlying=verdict, reasons=reasons, message=message,
        metric="max_refusal_gap" if rule.of_refusals else "max_group_gap",
        rate="refusal" if rule.of_refusals else "selection",
        limit=limit, decided_by=rule.decided_by, why=rule.why,
        estimate=estimate, interval=judgement.interval, confidence=confidence, attribute=list(attribute),
        method="exact_paired" if judgement.worst.exact else "mixture_bound", groups=shown,
        gap=Gap(between=_ahead_first(between, difference), estimate=estimate, interval=judgement.interval),
    )  # fmt: skip


def _ahead_first(between: tuple[Group, Group], difference: float | None) -> tuple[dict[str, str], dict[str, str]]:
    """The two groups, first the one that was ahead: the worst for the limit need not be, where outcomes are missing."""
    one, other = (group.group for group in between)
    return (other, one) if difference is not None and difference < 0 else (one, other)


def gap_needs(limit: float, variants: int, bases: int, tail: float) -> int | None:
    """How many bases it takes to show a gap within the limit when no two groups ever differ; None: no number does.

    :param variants: expected outcomes of a group in each base
    :param bases: where to begin
    """
    if limit <= 0:
        return None
    if variants == 1:  # the p-value of no discordant pair among n is (1 − limit)^n
        return cases_to_stay_below(limit, tail)
    return cases_needed(lambda cases: never_apart(cases, variants).is_within(limit, tail), bases)


def _too_few(groups: Sequence[Sample], limit: float, tail: float) -> str | None:
    """Why no outcome could pass at this size, with the number of cases that could; else None."""
    bases, variants = int(groups[0].bases), max(sample.variants for sample in groups)
    if never_apart(bases, variants).is_within(limit, tail):
        return None
    needed = gap_needs(limit, variants, bases, tail)
    return sentence("too_few_cases", cases=bases, noun=NOUN, what="gap limit", limit=limit, needed=needed)


def _settle(judgement: GapJudgement, bases: int, limit: float, tail: float, missing: int) -> Settle:
    """What would decide the widest difference, were further cases like those that were seen.

    :param tail: of the stricter of the two sides
    """
    known = judgement.worst.known
    if not known:
        return Settle("answers" if missing else "no_evidence", missing=missing)
    mean = sum(value * count for value, count in known.items()) / known.total()
    distance = abs(limit - abs(mean))
    if judgement.worst.exact:
        return settle_mean(known, distance, limit, bases, tail, missing)

    def decided(cases: int) -> bool:
        scaled = judgement.worst.at_size(cases)
        return scaled.is_within(limit, tail) or scaled.is_beyond(limit, tail)

    return settle_bound(decided, known, distance, bases, missing)
