"""The facts behind the sentences of parity: what each template is given."""

from collections.abc import Mapping
from typing import Any

from fairgate.config.model import FairnessRule
from fairgate.parity.cells import Cells
from fairgate.parity.criterion import Criterion, Method, Pair, bound_verdict
from fairgate.parity.rules import Judgement, left_out_too_many, small_cells
from fairgate.parity.size import POWER, Settlement, cannot_pass, needed_to_pass
from fairgate.verdict import Verdict
from fairgate.wording import sentence
from fairgate.wording.numbers import group

_GROUPS_NAMED = 3
_MOST_DIGITS = 4


def rule_message(
    rule: FairnessRule,
    counts: Cells,
    criterion: Criterion,
    judgement: Judgement,
    settlements: Mapping[Method, Settlement],
) -> str:
    """One rule in plain words: what was measured, on how many, against which limit, what would settle it.

    :param settlements: for an open rule: by its own method, then by the other one
    """
    facts = _facts(rule, counts, criterion)
    if "too_many_left_out" in judgement.reasons:
        facts |= _left_out(counts, criterion)
    else:
        facts |= _shown(counts, criterion, judgement)
    if settlements:
        facts |= _open(counts, criterion, settlements)
    return sentence(
        "parity_rule",
        **facts,
        reasons=judgement.reasons,
        open=bool(settlements),
        fell_back=judgement.measured.method != criterion.method,
        review=rule.requires_manual_review,
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
    """The pair or the group that the verdict rests on, and on which side of the limit it surely is."""
    measured = judgement.measured
    if measured.worst is not None:
        span = measured.spans[measured.worst]
        return _ends(*span, criterion) | {
            "first": counts.cells[measured.worst],
            "within": bound_verdict(span, criterion) is Verdict.PASS,
            "beyond": bound_verdict(span, criterion) is Verdict.FAIL,
        }
    pair = _pair(judgement)
    return _ends(pair.lower, pair.upper, criterion) | {
        "first": counts.cells[pair.first],
        "second": counts.cells[pair.second],
        "within": measured.verdict is Verdict.PASS,
        "beyond": measured.verdict is Verdict.FAIL,
        "further": [(counts.cells[i].group, counts.cells[j].group) for i, j in measured.further[:_GROUPS_NAMED]],
        "further_more": len(measured.further[_GROUPS_NAMED:]),
    }


def _ends(lower: float, upper: float, criterion: Criterion) -> dict[str, Any]:
    return {"lower": lower, "upper": upper, "digits": _digits(criterion.limit, lower, upper)}


def _pair(judgement: Judgement) -> Pair:
    measured = judgement.measured
    pair = measured.apart if measured.verdict is Verdict.FAIL else measured.widest
    if pair is None:
        raise AssertionError("a gap or a ratio was judged, so it has a pair")
    return pair


def _open(counts: Cells, criterion: Criterion, settlements: Mapping[Method, Settlement]) -> dict[str, Any]:
    """What stands in the way of a decision, and what would settle it."""
    small = [group(cell.group) for cell in small_cells(counts.cells, criterion.min_cell)]
    (_, own), (other_method, other) = settlements.items()
    return {
        "small": small[:_GROUPS_NAMED],
        "small_more": len(small[_GROUPS_NAMED:]),
        "too_few": cannot_pass(counts, criterion),
        "needed": needed_to_pass(criterion, len(counts.cells)),
        "missing": sum(cell.missing for cell in counts.cells),
        "observed": sum(cell.observed for cell in counts.cells),
        "power": POWER,
        "settlement": _settlement(own),
        "otherwise": _settlement(other) if other.kind == "cases" and other.more != own.more else None,
        "other_method": other_method,
    }


def _settlement(settlement: Settlement) -> dict[str, Any]:
    more = [(need.group, _rounded(need.more)) for need in settlement.more]
    most = max((number for _, number in more), default=0)
    return {"kind": settlement.kind, "verdict": settlement.verdict, "more": more, "most": most}


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
