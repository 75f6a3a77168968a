"""From counts to a verdict: what a method measures, then small cells, cases left out, and the other rules."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from fairgate.parity import exact, intervals
from fairgate.parity.cells import Cell, Cells, Outside
from fairgate.parity.criterion import Criterion, Measured
from fairgate.verdict import Verdict


@dataclass(frozen=True)
class Judgement:
    """What the numbers of one rule come to, before any review.

    :param reasons: snake_case codes, see docs/statistics.md
    :param measured: what they rest on
    """

    verdict: Verdict
    reasons: tuple[str, ...]
    measured: Measured


def judge(counts: Cells, criterion: Criterion) -> Judgement:
    """Judge one rule on its counts.

    Too much left out decides before all else, even over a FAIL: who is left out may be who is treated worst. A small
    cell takes a PASS away, never a FAIL.
    """
    measured = (exact.measure if criterion.method == "exact" else intervals.measure)(
        counts.cells, counts.unknown, criterion
    )
    small = small_cells(counts.cells, criterion.min_cell)
    verdict, reasons = _conclude(measured.verdict, small, counts, criterion)
    verdicts = tuple(
        Verdict.INSUFFICIENT_EVIDENCE if one is Verdict.PASS and cell in small else one
        for one, cell in zip(measured.verdicts, counts.cells, strict=False)
    )
    return Judgement(verdict, reasons, replace(measured, verdicts=verdicts))


def decide(cells: Sequence[Cell], unknown: int, criterion: Criterion) -> Verdict:
    """The verdict of the method and of ``min_cell`` alone."""
    verdict = (exact.decide if criterion.method == "exact" else intervals.decide)(cells, unknown, criterion)
    small = small_cells(cells, criterion.min_cell)
    return Verdict.INSUFFICIENT_EVIDENCE if verdict is Verdict.PASS and small else verdict


class Contest(NamedTuple):
    """A rule with its counts and its judgement, as it stands among the other rules of its suite."""

    counts: Cells
    criterion: Criterion
    judgement: Judgement


def confirm_failures(contests: Sequence[Contest]) -> list[Judgement]:
    """``fail_error: run``: keep the FAILs that Holm's procedure over all rules keeps (Holm 1979, Scand J Statist 6).

    Of R rules, those that fail at α/R fail; when that makes s of them, those that fail at α/(R − s) fail too, and so
    on: the step-down in another order. A FAIL that does not stand is undecided. The probability of one false FAIL or
    more is then at most α over the suite, whatever depends on what.
    """
    failed = [contest.judgement.verdict is Verdict.FAIL for contest in contests]
    kept: set[int] = set()
    while True:
        rest = len(contests) - len(kept)
        more = {i for i, contest in enumerate(contests) if failed[i] and i not in kept and _fails(contest, rest)}
        if not more:
            break
        kept |= more
    return [
        _unconfirmed(contest.judgement) if failed[i] and i not in kept else contest.judgement
        for i, contest in enumerate(contests)
    ]


def _fails(contest: Contest, share: int) -> bool:
    criterion = contest.criterion
    fails = exact.fails if criterion.method == "exact" else intervals.fails
    return fails(contest.counts.cells, contest.counts.unknown, criterion, criterion.alpha / share)


def _unconfirmed(judgement: Judgement) -> Judgement:
    undecided = Verdict.INSUFFICIENT_EVIDENCE
    verdicts = tuple(undecided if one is Verdict.FAIL else one for one in judgement.measured.verdicts)
    measured = replace(judgement.measured, verdicts=verdicts, further=())
    return Judgement(undecided, ("beyond_limit_for_this_rule_only",), measured)


def small_cells(cells: Sequence[Cell], min_cell: int) -> list[Cell]:
    """Cells with fewer observed cases than ``min_cell``; one without any is small whatever is asked."""
    return [cell for cell in cells if cell.observed < max(min_cell, 1)]


def left_out_too_many(outside: Outside, unknown: int, limit: float) -> bool:
    """Whether more is left out than the limit allows, in exact decimals: a tenth of ten is not over 0.1.

    Unknown cases count as possibly left out, so that hiding a row never helps.
    """
    return outside.cases + unknown > Fraction(str(limit)) * (outside.rows + unknown)


def _conclude(
    by_method: Verdict, small: list[Cell], counts: Cells, criterion: Criterion
) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict of a rule, and why."""
    if left_out_too_many(counts.outside, counts.unknown, criterion.max_left_out):
        return Verdict.INSUFFICIENT_EVIDENCE, ("too_many_left_out",)
    if by_method is Verdict.FAIL:
        return Verdict.FAIL, ("beyond_limit",)
    if by_method is Verdict.PASS and not small:
        return Verdict.PASS, ("within_limit",)
    found = {
        "interval_straddles_limit": by_method is not Verdict.PASS,
        "small_cell": any(cell.eligible for cell in small),
        "absent_group": any(not cell.eligible for cell in small),
        "missing_predictions": any(cell.missing for cell in counts.cells),
        "missing_rows": counts.unknown > 0,
    }
    return Verdict.INSUFFICIENT_EVIDENCE, tuple(reason for reason, holds in found.items() if holds)
