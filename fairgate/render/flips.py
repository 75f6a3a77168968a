"""What the forms say about changed decisions: whom they favour, who got what, five of them one by one."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from fairgate.results import FlipExample, Flips, Pattern, Side, SuiteResult
from fairgate.wording import sentence

_NAMED = 2
"""Groups that are named one by one where the others can be called everybody else."""


def directions(suite: SuiteResult) -> list[str]:
    """For each pair of levels with any direction, how often each was favoured, and whether that is chance."""
    found = suite.flips.tests if suite.flips else []
    words = suite.flips.words if suite.flips else None
    return [sentence("direction", test=test, tests=len(found), words=words) for test in found]


def patterns(suite: SuiteResult) -> list[str]:
    """Who got which answer, in how many of the flipped cases; nothing where the directions say it all."""
    if suite.flips is None or _told(suite.flips):
        return []
    found: list[Pattern | None] = [*suite.flips.patterns, *([None] if suite.flips.other_patterns else [])]
    facts = {"bases": suite.flips.other_patterns, "of": suite.flips.flipped, "words": suite.flips.words}
    return [sentence("pattern", pattern=pattern, sides=_sides(pattern), **facts) for pattern in found]


def _sides(pattern: Pattern | None) -> list[tuple[str, list[dict[str, str]] | None]]:
    """Kind of answer and who got it; None where it is shorter to say: everybody else."""
    if pattern is None:
        return []
    kinds = (("negative", pattern.negative), ("refusal", pattern.refusal), ("positive", pattern.positive))
    sides = sorted(((kind, groups) for kind, groups in kinds if groups), key=lambda side: len(side[1]) > _NAMED)
    few, many = sides[0][1], sides[-1][1]
    apart = not any(group in many for group in few)
    if len(sides) == 2 and len(many) > max(_NAMED, len(few)) and apart and not pattern.incomplete:
        return [sides[0], (sides[1][0], None)]
    return list(sides)


def _told(flips: Flips) -> bool:
    """Whether a single pair of levels is all there is: every pattern is one of its two directions."""
    if len(flips.tests) != 1:
        return False
    (test,) = flips.tests
    ways = [({test.axis: one}, {test.axis: other}) for one, other in permutations((test.favoured, test.over))]
    plain = [Pattern(positive=[one], negative=[other], bases=0, of=0) for one, other in ways]
    return all(pattern.model_copy(update={"bases": 0, "of": 0}) in plain for pattern in flips.patterns)


def person(example: FlipExample, side: Side) -> str:
    """One of the two people of a flip: the first thing that differs (as a rule the name), and the levels that do."""
    name = ""
    if example.differs and not example.differs[0].redacted:
        name = example.differs[0].positive if side is example.positive else example.differs[0].negative
    levels = [side.group[axis] for axis in example.axes if axis in side.group] or list(side.group.values())
    return sentence("person", name=name, levels=levels)


def decision(example: FlipExample, side: Side) -> str:
    """What one of the two got, the second in terms of the first."""
    return sentence("decision", outcome=side.outcome, first=side is example.positive)


@dataclass(frozen=True)
class Seen:
    """One case in a list of flips, with the levels that its two people have in common."""

    id: str
    levels: list[str]


@dataclass(frozen=True)
class Shown:
    """A flip as a list has it, for every case in which the same words would be said.

    :param fields: that differ; none where the list says it for all
    """

    example: FlipExample
    cases: list[Seen]
    fields: list[str]


def gathered(examples: Sequence[FlipExample]) -> list[Shown]:
    """The flips of a list; those that read the same, as with people who are not shown, stand once."""
    said = _fields_by_axes(examples)
    groups: dict[Any, Shown] = {}
    for one in examples:
        fields = [] if tuple(one.axes) in said else _fields(one)
        key = (tuple(fields), *((person(one, side), decision(one, side), side.answer) for side in sides(one)))
        groups.setdefault(key, Shown(one, [], fields)).cases.append(Seen(one.case, shared(one)))
    return list(groups.values())


def told_once(examples: Sequence[FlipExample]) -> list[str]:
    """In which fields the people of a list differ, where that is the same for all flips along an axis."""
    said = _fields_by_axes(examples)
    return [sentence("flip_fields", said=said)] if said else []


def _fields_by_axes(examples: Sequence[FlipExample]) -> dict[tuple[str, ...], list[str]]:
    """Axes to the fields in which every flip along them differs; nothing where they are not always the same."""
    found: dict[tuple[str, ...], list[list[str]]] = {}
    for one in examples:
        found.setdefault(tuple(one.axes), []).append(_fields(one))
    return {
        axes: lists[0] for axes, lists in found.items() if axes and lists[0] and lists.count(lists[0]) == len(lists)
    }


def _fields(example: FlipExample) -> list[str]:
    return [difference.field for difference in example.differs]


def flip(shown: Shown) -> str:
    """A flip as one plain sentence: in which cases, what each got, what differed."""
    example = shown.example
    people = [(person(example, side), decision(example, side), side.answer) for side in sides(example)]
    return sentence("flip", shown=shown, people=people)


def sides(example: FlipExample) -> list[Side]:
    """The two people, the one with the better answer first."""
    return [example.positive, example.negative]


def shared(example: FlipExample) -> list[str]:
    """The levels that the two people of a flip have in common."""
    return [level for axis, level in example.positive.group.items() if axis not in example.axes]


FILTERS = {
    "directions": directions,
    "patterns": patterns,
    "person": person,
    "decision": decision,
    "sides": sides,
    "gathered": gathered,
    "told_once": told_once,
}
"""For ``templates/parts.md.j2``."""
