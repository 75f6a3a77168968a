"""What was tried beside a suite and which fields carry what it swaps, as plain texts for every form."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairgate.results import Arm, Carrier, Proxies, SuiteResult
from fairgate.wording import numbers, sentence


@dataclass(frozen=True)
class Cell:
    """One cell of the table, and what stands small below it."""

    text: str
    small: str = ""


@dataclass(frozen=True)
class Tried:
    """The table of what was tried, and what to try.

    :param columns: titles; none where nothing was tried
    :param cautions: what a reader has to know of single rows
    :param note: how to read it
    """

    title: str
    columns: list[str]
    rows: list[list[Cell]]
    cautions: list[str]
    note: str
    suggestion: str | None


def tried(suite: SuiteResult) -> Tried | None:
    """The table of a suite; None where nothing was tried and there is nothing to suggest."""
    arms = suite.mitigations or []
    if not arms and suite.suggestion is None:
        return None
    title = _say("title", suite=suite)
    if not arms:
        return Tried(title, [], [], [], "", suite.suggestion)
    return Tried(
        title=title,
        columns=_say("columns", suite=suite).split(" | "),
        rows=[_row(arm) for arm in arms],
        cautions=[caution for arm in arms for caution in _cautions(arm)],
        note=_say("note", suite=suite),
        suggestion=suite.suggestion,
    )


def _row(arm: Arm) -> list[Cell]:
    rate = "" if arm.rate is None else f"{numbers.percent(arm.rate)}, "
    return [
        Cell(arm.name, _say("asked", arm=arm)),
        Cell(_say("flips", arm=arm), f"{rate}{numbers.interval(arm.interval)} %"),
        *(Cell(_say("axis", arm=arm, axis=axis), _say("gap", arm=arm, axis=axis)) for axis in arm.axes),
        Cell(numbers.percent(arm.selection_rate), _say("selected", arm=arm)),
        Cell(numbers.count(arm.counts.missing)),
        Cell(numbers.MISSING) if arm.beside is None else Cell(_say("beside", arm=arm), _say("moved", arm=arm)),
    ]


def _cautions(arm: Arm) -> Iterator[str]:
    """What would be read wrongly from a row alone."""
    if arm.counts.missing:
        yield _say("missing", arm=arm)
    if arm.unseen:
        yield _say("noise", arm=arm)
    if arm.counts.observed and arm.selected in (0, arm.counts.observed):
        yield _say("alike", arm=arm)


def proxies(suite: SuiteResult) -> list[str]:
    """The fields of a suite that can carry what it swaps, in sentences; nothing where it asks no system."""
    return [] if suite.proxies is None else list(_proxies(suite.proxies))


def _proxies(found: Proxies) -> Iterator[str]:
    for axis in dict.fromkeys(one.axis for one in found.fields if one.axis is not None):
        carriers = [one for one in found.fields if one.axis == axis]
        yield sentence("proxies", part="axis", axis=axis, groups=_grouped(carriers))
    may = [one for one in found.fields if one.how == "may_carry"]
    if may:
        yield sentence("proxies", part="may", carriers=may)
    unknown = [measure.axis for measure in found.measured if not measure.known]
    if unknown:
        yield sentence("proxies", part="unknown", axes=unknown)
    for measure in found.measured:
        if not measure.known:
            continue
        predicted = any(one.axis == measure.axis and one.how == "predicts" for one in found.fields)
        yield sentence("proxies", part="measured", measure=measure, found=predicted)
    needed = list({one.field: one for one in found.fields if one.needed}.values())
    if needed:
        yield sentence("proxies", part="needed", carriers=needed)
    others = list(dict.fromkeys(one.field for one in found.fields if not one.needed))
    yield sentence("proxies", part="ask", needed=bool(needed), open=others)


def _grouped(carriers: Sequence[Carrier]) -> list[list[Carrier]]:
    """Fields of which the same is said, together; each that was measured by itself."""
    groups: dict[tuple[str, str], list[Carrier]] = {}
    for one in carriers:
        groups.setdefault((one.how, "" if one.right is None else one.field), []).append(one)
    return list(groups.values())


def _say(part: str, **facts: Any) -> str:
    return sentence("mitigation", part=part, **facts)


FILTERS: Mapping[str, Callable[..., Any]] = {"tried": tried, "proxies": proxies}
"""What the templates of a page ask for."""
