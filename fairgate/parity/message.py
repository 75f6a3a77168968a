"""The facts behind the sentences of parity: what each template is given."""

from typing import Any

from fairgate.config.model import FairnessRule
from fairgate.parity.cells import Cells
from fairgate.parity.rules import Criterion, Judgement, Pair, bound_verdict, left_out_too_many, small_cells
from fairgate.parity.size import cannot_pass, needed_to_pass, settle
from fairgate.verdict import Verdict
from fairgate.wording import sentence
from fairgate.wording.numbers import group

_GROUPS_NAMED = 3
_MOST_DIGITS = 4


def rule_message(rule: FairnessRule, counts: Cells, criterion: Criterion, judgement: Judgement) -> str:
    """One rule in plain words: what was measured, on how many, against which limit, what would settle it."""
    facts = _facts(rule, counts, criterion)
    facts |= (
        _left_out(counts, criterion)
        if "too_many_left_out" in judgement.reasons
        else _shown(counts, criterion, judgement)
    )
    undecided = judgement.verdict is Verdict.INSUFFICIENT_EVIDENCE and "too_many_left_out" not in judgement.reasons
    if undecided:
        facts |= _open(counts, criterion)
    return sentence(
        "parity_rule", **facts, reasons=judgement.reasons, open=undecided, review=rule.requires_manual_review
    )


def cannot_pass_message(rule: FairnessRule, counts: Cells, criterion: Criterion) -> str | None:
    """Why a rule cannot pass on this file whatever comes out, with what it needs; None when it can."""
    too_few = cannot_pass(counts, criterion)
    left_out = left_out_too_many(counts.outside, counts.unknown, criterion.max_left_out)
    if not too_few and not left_out:
        return None
    facts = _facts(rule, counts, criterion) | _left_out(counts, criterion)
    smallest = min(counts.cells, key=lambda cell: cell.eligible)
    needed = needed_to_pass(criterion, len(counts.cells))
    return sentence("parity_cannot_pass", **facts, too_few=too_few, left_out=left_out, smallest=smallest, needed=needed)


def _facts(rule: FairnessRule, counts: Cells, criterion: Criterion) -> dict[str, Any]:
    return {
        "id": rule.id,
        "rate": rule.rate,
        "attribute": rule.attribute,
        "metric": criterion.metric,
        "bound": criterion.bound,
        "limit": criterion.limit,
        "min_cell": criterion.min_cell,
        "groups": len(counts.cells),
        "unknown": counts.unknown,
    }


def _left_out(counts: Cells, criterion: Criterion) -> dict[str, Any]:
    outside = counts.outside
    fraction = outside.cases / outside.rows
    digits = _digits(criterion.max_left_out, fraction)
    return {"outside": outside, "fraction": fraction, "max_left_out": criterion.max_left_out, "digits": digits}


def _shown(counts: Cells, criterion: Criterion, judgement: Judgement) -> dict[str, Any]:
    """The pair or the group that the verdict rests on."""
    if judgement.worst is not None:
        span = judgement.intervals[judgement.worst]
        verdict = bound_verdict(span, criterion)
        return {
            "first": counts.cells[judgement.worst],
            "lower": span[0],
            "upper": span[1],
            "digits": _digits(criterion.limit, *span),
            "within": verdict is Verdict.PASS,
            "beyond": verdict is Verdict.FAIL,
        }
    pair = _pair(judgement)
    return {
        "first": counts.cells[pair.first],
        "second": counts.cells[pair.second],
        "lower": pair.lower,
        "upper": pair.upper,
        "digits": _digits(criterion.limit, pair.lower, pair.upper),
    }


def _pair(judgement: Judgement) -> Pair:
    pair = judgement.apart if judgement.verdict is Verdict.FAIL else judgement.widest
    if pair is None:
        raise AssertionError("a gap was judged, so it has a pair")
    return pair


def _open(counts: Cells, criterion: Criterion) -> dict[str, Any]:
    """What stands in the way of a decision, and what would settle it."""
    small = [group(cell.group) for cell in small_cells(counts.cells, criterion.min_cell)]
    settlement = settle(counts, criterion)
    more = [(levels, _rounded(number)) for levels, number in settlement.more]
    return {
        "small": small[:_GROUPS_NAMED],
        "small_more": len(small[_GROUPS_NAMED:]),
        "too_few": cannot_pass(counts, criterion),
        "needed": needed_to_pass(criterion, len(counts.cells)),
        "missing": sum(cell.missing for cell in counts.cells),
        "observed": sum(cell.observed for cell in counts.cells),
        "settlement": {
            "kind": settlement.kind,
            "verdict": settlement.verdict,
            "more": more,
            "most": max((number for _, number in more), default=0),
        },
    }


def _rounded(number: int) -> int:
    """Two significant digits, upwards: the search is approximate and should not look exact."""
    step = int(10 ** max(len(str(number)) - 2, 0))
    return -(-number // step) * step


def _digits(limit: float, *values: float) -> int:
    """The fewest digits of a percentage at which no value reads like the limit without being it."""
    for digits in range(1, _MOST_DIGITS):
        shown = round(limit * 100, digits)
        if all(value == limit or round(value * 100, digits) != shown for value in values):
            return digits
    return _MOST_DIGITS
