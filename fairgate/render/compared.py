"""The run beside its baseline, as lines of plain text that every form shows in its own way."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fairgate.comparison import SuiteComparison
from fairgate.report import Report
from fairgate.wording import sentence


@dataclass(frozen=True)
class Line:
    """One sentence, and what it names."""

    text: str
    items: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Section:
    """Everything there is to say about the baseline."""

    title: str
    lines: list[Line]


def section(report: Report) -> Section | None:
    """What became better and worse; None where nothing was compared and no rule asked for it."""
    if report.baseline is None:
        return None
    title = sentence("compared_title", baseline=report.baseline)
    if report.comparison is None:
        return Section(title, [Line(report.baseline.message or "")])
    first = Line(sentence("compared_worse", worse=report.comparison.worse))
    return Section(title, [first, *(line for told in report.comparison.suites for line in _lines(told))])


def _lines(told: SuiteComparison) -> Iterator[Line]:
    if told.message:
        yield Line(f"{told.suite}: {told.message}")
    if told.flips is not None:
        yield Line(sentence("compared_flips", suite=told.suite, flips=told.flips))
        yield from _list(
            told, "newly_flipped", [sentence("compared_case", flip=flip) for flip in told.flips.newly_flipped]
        )
    for score in told.scores:
        if score.pairs:
            yield Line(sentence("compared_score", suite=told.suite, score=score))
    if told.verdicts is not None:
        for of in ("newly_failing", "newly_passing", "open"):
            items = [sentence("compared_item", item=item) for item in getattr(told.verdicts, of)]
            yield from _list(told, of, items)
    flipping = sum(case.flipped is True for case in told.changed)
    changed = [sentence("compared_changed", changed=case) for case in told.changed]
    yield from _list(told, "changed", changed, flipped=flipping)
    for of in ("added", "removed", "other_rules"):
        yield from _list(told, of, getattr(told, of))


def _list(told: SuiteComparison, of: str, items: Sequence[str], flipped: int = 0) -> Iterator[Line]:
    if items:
        text = sentence("compared_list", suite=told.suite, of=of, number=len(items), flipped=flipped)
        yield Line(text, list(items))
