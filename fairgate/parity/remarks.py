"""What a reader has to know about decided cases that is not a rule."""

from collections import Counter
from collections.abc import Iterator

from fairgate.config.model import FairnessRule, FairnessSuite
from fairgate.golden.decided import Decided
from fairgate.golden.header import nearest_name
from fairgate.parity.cells import RATES, Cells, count
from fairgate.results import Remark
from fairgate.wording import sentence

_SHOWN = 5


def of_cases(suite: FairnessSuite, decided: Decided, *, labels: bool) -> Iterator[Remark]:
    """Undeclared spellings, probabilities that are none, and decisions that look inverted.

    :param labels: whether labels were read
    """
    for attribute in suite.attributes:
        yield from _undeclared(decided, attribute)
    if decided.unreadable:
        yield _unreadable(suite, decided.unreadable)
    if suite.probability is not None:
        yield from _probabilities(decided) if labels else [_remark("no_calibration", "parity_no_calibration")]
    if labels:
        yield from _error_above_half(suite, decided)


def denominator_share(rule: FairnessRule, counts: Cells, limit: float) -> Iterator[Remark]:
    """A rate of few cases can lose half of them within a limit that is a share of the whole file."""
    outside = counts.outside
    share = outside.denominator / max(outside.denominator_rows, 1)
    if share > limit >= outside.cases / outside.rows:
        yield _remark(
            "left_out_of_denominator",
            "parity_left_out_share",
            id=rule.id,
            rate=rule.rate,
            attribute=rule.attribute,
            cases=outside.denominator,
            of=outside.denominator_rows,
            share=share,
            limit=limit,
        )


def _remark(code: str, template: str, **facts: object) -> Remark:
    return Remark(code=code, message=sentence(template, **facts))


def _undeclared(decided: Decided, attribute: str) -> Iterator[Remark]:
    declared = decided.declared[attribute]
    spellings: Counter[str] = Counter()
    for (value,), _, cases in decided.levels([attribute]):
        if value is not None and value not in declared:
            spellings[value] += cases
    if spellings:
        common = spellings.most_common()
        yield _remark(
            "undeclared_values",
            "parity_undeclared",
            attribute=attribute,
            cases=spellings.total(),
            found=[(repr(value), number, _nearest(value, declared)) for value, number in common[:_SHOWN]],
            more=len(common[_SHOWN:]),
        )


def _unreadable(suite: FairnessSuite, spellings: Counter[str]) -> Remark:
    """Predictions in words that were not declared: they are missing, not 0."""
    words = tuple(word for said in suite.values.values() for word in said)
    common = spellings.most_common()
    return _remark(
        "unreadable_predictions",
        "parity_unreadable",
        column=suite.prediction,
        cases=spellings.total(),
        found=[(repr(text), number, _nearest(text, words)) for text, number in common[:_SHOWN]],
        more=len(common[_SHOWN:]),
    )


def _nearest(value: str, declared: tuple[str, ...]) -> str | None:
    near = nearest_name(value, declared)
    return None if near is None else repr(near)


def _probabilities(decided: Decided) -> Iterator[Remark]:
    odd = decided.odd_probabilities.total()
    blank = sum(cases for kind, cases in decided.kinds.items() if kind.present and kind.bin is None) - odd
    if odd or blank:
        common = decided.odd_probabilities.most_common()
        yield _remark(
            "unusable_probabilities",
            "parity_probabilities",
            odd=odd,
            blank=blank,
            found=[(repr(text), number) for text, number in common[:_SHOWN]],
            more=len(common[_SHOWN:]),
        )


def _error_above_half(suite: FairnessSuite, decided: Decided) -> Iterator[Remark]:
    """Labels and predictions that mean opposite things err in most cases of every group."""
    suspicious = []
    for attribute in suite.attributes:
        cells = [cell for cell in count(decided, RATES["error"], [attribute]).cells if cell.observed]
        if cells and all(2 * cell.events > cell.observed for cell in cells):
            suspicious.append((attribute, cells))
    if suspicious:
        cells = suspicious[0][1]
        yield _remark(
            "error_above_half",
            "parity_error_above_half",
            attributes=[attribute for attribute, _ in suspicious],
            errors=sum(cell.events for cell in cells),
            observed=sum(cell.observed for cell in cells),
        )
