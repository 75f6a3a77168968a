"""Borderline scores: which are put to the panel, and what its votes come to. Pure, over intervals of scores.

Comparisons take a tolerance: 0.85 − 0.03 is 0.82 here, and a score of exactly 0.82 lies inside the closed band.
Sources: the rules of statistics; the median with missing votes at 0, then at 1, is the range of medians over every
completion of the missing votes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from fairgate.results import Interval
from fairgate.triad.formulas import Votes
from fairgate.verdict import Verdict

TOLERANCE = 1e-9
QUORUM = 2
"""Votes without which a panel of three decides nothing."""

UNKNOWN: Interval = (0.0, 1.0)
"""A score of which nothing is known."""

Formula = Callable[[Votes], Interval]


def reaches(score: float, limit: float) -> bool:
    """score ≥ limit, up to rounding."""
    return score >= limit - TOLERANCE


def kept(interval: Interval, limit: float) -> Verdict:
    """PASS when the whole interval reaches the limit, FAIL when none of it does, else INSUFFICIENT_EVIDENCE."""
    lower, upper = interval
    if reaches(lower, limit):
        return Verdict.PASS
    return Verdict.INSUFFICIENT_EVIDENCE if reaches(upper, limit) else Verdict.FAIL


def clear_of_band(interval: Interval, limit: float, band: float) -> Verdict:
    """PASS when the whole interval lies above the closed band around the limit, FAIL when it lies below, else
    INSUFFICIENT_EVIDENCE: the panel is to decide."""
    lower, upper = interval
    if lower > limit + band + TOLERANCE:
        return Verdict.PASS
    return Verdict.FAIL if upper < limit - band - TOLERANCE else Verdict.INSUFFICIENT_EVIDENCE


def is_pivotal(votes: Votes, limit: float, formula: Formula) -> bool:
    """Whether one verdict more or less would carry the score across the limit.

    For a share of claims: (k − 1)/n < limit ≤ k/n or k/n < limit ≤ (k + 1)/n. Missing verdicts are tried at both ends.
    """
    if not votes:
        return False
    return any(_flips_across([vote if vote is not None else end for vote in votes], limit, formula) for end in (0, 1))


def _flips_across(votes: Sequence[bool | int], limit: float, formula: Formula) -> bool:
    def passes(verdicts: Sequence[bool | int]) -> bool:
        return reaches(formula([bool(verdict) for verdict in verdicts])[0], limit)

    now = passes(votes)
    return any(passes([*votes[:at], not vote, *votes[at + 1 :]]) != now for at, vote in enumerate(votes))


@dataclass(frozen=True)
class Settled:
    """What a panel came to.

    :param interval: the medians with what is missing at 0, and at 1
    :param majority: ``pass``, ``fail``, ``missing``: how many judges
    :param reason: why it did not decide: ``panel_quorum`` or ``panel_split``; None when it did
    """

    verdict: Verdict
    interval: Interval
    majority: dict[str, int]
    reason: str | None


def medians(votes: Sequence[Interval | None]) -> Interval:
    """The median of three scores with what is missing at its lowest, and at its highest."""
    whole = [vote or UNKNOWN for vote in votes]
    return median(low for low, _ in whole), median(high for _, high in whole)


def settle(votes: Sequence[Interval | None], limit: float) -> Settled:
    """The verdict of a panel: PASS iff both medians reach the limit, FAIL iff neither does, else MANUAL_REVIEW.

    Never the median of the surviving votes: (.86, .84, .84) fails, and without one .84 it would pass.

    :param votes: the score of each judge as an interval, one that did not come as None
    """
    interval = medians(votes)
    verdict, reason = kept(interval, limit), None
    if sum(vote is not None for vote in votes) < QUORUM:
        verdict, reason = Verdict.INSUFFICIENT_EVIDENCE, "panel_quorum"
    elif verdict is Verdict.INSUFFICIENT_EVIDENCE:
        verdict, reason = Verdict.MANUAL_REVIEW, "panel_split"
    each = [kept(vote, limit) if vote is not None else Verdict.INSUFFICIENT_EVIDENCE for vote in votes]
    majority = {
        "pass": each.count(Verdict.PASS),
        "fail": each.count(Verdict.FAIL),
        "missing": each.count(Verdict.INSUFFICIENT_EVIDENCE),
    }
    return Settled(verdict, interval, majority, reason)
