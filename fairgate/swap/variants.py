"""Variants: a case with one level of every axis filled in.

Only declared placeholders are filled, in one pass; no word is ever looked for and replaced. A placeholder that no axis
fills refuses the file: a broken variant measures grammar, not bias.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from unicodedata import normalize

from fairgate.config.swap import Design
from fairgate.golden.cases import Case
from fairgate.golden.header import nearest
from fairgate.golden.ids import digest, escaped
from fairgate.golden.problems import Problems
from fairgate.swap.grid import Group, cells_of

Person = Mapping[str, str]
Axes = Mapping[str, Mapping[str, Sequence[Person]]]
"""Axis to level to the people who stand for it, paired by position between the levels."""

_BRACED = re.compile(r"(?<!\{)\{([^{}]*)\}(?!\})")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Variant:
    """One expected observation of a suite that asks a system.

    :param id: ``case|axis=level|axis=level#digest``; the digest is of the fields, so that an answer recorded for
        another version of the case never matches
    :param group: axis to level
    :param fields: the filled-in case
    :param differs: the fields that the levels (and the change) set
    :param change: for ``must_respond_to``: which change, else None
    """

    id: str
    case: str
    group: Mapping[str, str]
    fields: Mapping[str, Any]
    differs: Mapping[str, Any]
    change: int | None = None


@dataclass(frozen=True)
class CasePlan:
    """What will be asked about one case.

    :param grid: one variant for every cell of the design, the reference first
    :param changed: the first variant with a ``must_respond_to`` change, for each change that changes this case
    :param control: one variant of the grid asked again, once for each repeat
    :param slots: where in the order of asking each repeat stands, counted before the later ones are put in
    :param mask: field to the text that stands in its place in all variants
    :param unmasked: the variants as they were before that
    """

    case: Case
    grid: tuple[Variant, ...]
    changed: tuple[Variant, ...]
    control: tuple[Variant, ...] = ()
    slots: tuple[int, ...] = ()
    mask: Mapping[str, str] = field(default_factory=dict)
    unmasked: tuple[Variant, ...] = ()

    @property
    def variants(self) -> tuple[Variant, ...]:
        """All of them, in the order of asking."""
        asked = list(self.grid)
        for slot, again in zip(self.slots, self.control, strict=True):
            asked.insert(slot, again)
        return (*asked, *self.changed)


def plan_cases(
    cases: Sequence[Case],
    axes: Axes,
    changes: Sequence[Mapping[str, Any]],
    problems: Problems,
    design: Design = "full",
) -> list[CasePlan]:
    """The variants of every case, the same on every run.

    :param design: which combinations of levels are asked
    :param problems: of the golden file: placeholders that no axis fills, fields to change that a case does not have
    :raises InputError: when there are problems
    """
    names = {name: None for levels in axes.values() for people in levels.values() for name in people[0]}
    plans, groups = [], cells_of(axes, design)
    for number, case in enumerate(cases):
        for problem in _problems(case, list(names), changes):
            problems.add(problem, case.line)
        # By its place in the whole file: the same people stand in a case whichever of the others are asked too.
        index = number if case.position is None else case.position
        plans.append(_plan(case, groups, _positions(axes, index), axes, changes))
    problems.check()
    return plans


def _plan(
    case: Case,
    groups: Sequence[Group],
    positions: Mapping[str, int],
    axes: Axes,
    changes: Sequence[Mapping[str, Any]],
) -> CasePlan:
    grid = tuple(_variant(case, group, _person(group, positions, axes)) for group in groups)
    first = _person(groups[0], positions, axes)
    changed = (_variant(case, groups[0], first, number, _as_in(case, change)) for number, change in enumerate(changes))
    return CasePlan(case, grid, tuple(variant for variant in changed if variant.fields != grid[0].fields))


def _positions(axes: Axes, index: int) -> dict[str, int]:
    """Which person of each level stands in case number ``index``: mixed radix, so that all combinations come up."""
    positions = {}
    for axis, levels in axes.items():
        people = len(next(iter(levels.values())))
        index, positions[axis] = divmod(index, people)
    return positions


def _person(group: Mapping[str, str], positions: Mapping[str, int], axes: Axes) -> dict[str, str]:
    """The fields of all levels of a group, for the people whose turn it is."""
    return {name: text for axis, level in group.items() for name, text in axes[axis][level][positions[axis]].items()}


def _variant(
    case: Case,
    group: Mapping[str, str],
    person: Mapping[str, str],
    number: int | None = None,
    change: Mapping[str, Any] | None = None,
) -> Variant:
    changed = {**case.fields, **(change or {})}
    fields = {**{name: fill(value, person) for name, value in changed.items()}, **person}
    parts = [escaped(case.id), *(f"{escaped(axis)}={escaped(level)}" for axis, level in group.items())]
    if number is not None:
        parts.append(f"must_respond_to={number + 1}")
    differs = {**person, **{name: fields[name] for name in change or {}}}
    return Variant(f"{'|'.join(parts)}#{digest(fields)}", case.id, group, fields, differs, number)


def _as_in(case: Case, change: Mapping[str, Any]) -> dict[str, Any]:
    """The change in the spelling of the case: a number as text where the case, read from CSV, has text."""
    return {
        name: json.dumps(value) if isinstance(case.fields.get(name), str) and not isinstance(value, str) else value
        for name, value in change.items()
    }


# --- placeholders ----------------------------------------------------------------------------------------------------


def fill(value: Any, person: Person) -> Any:
    """A field with its placeholders filled: ``{name}`` in text, and in text inside lists and objects.

    One pass: what is filled in is not looked at again. Doubled braces are data and stay as they are.
    """
    if isinstance(value, str):
        return _BRACED.sub(lambda found: person.get(_name(found[1]), found[0]), value)
    if isinstance(value, list):
        return [fill(item, person) for item in value]
    if isinstance(value, dict):
        return {key: fill(item, person) for key, item in value.items()}
    return value


def placeholders(value: Any) -> set[str]:
    """The names in braces in every text of a field."""
    return {_name(found) for text in _texts(value) for found in _BRACED.findall(text)}


def _problems(case: Case, names: Sequence[str], changes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    texts = [(name, text) for name, value in case.fields.items() if name not in names for text in _texts(value)]
    for name, text in texts:
        for found in _BRACED.findall(text):
            if not _fillable(found, names):
                yield (
                    f"case {case.id!r}: field {name!r} has the placeholder {{{found}}}, which no axis fills; "
                    f"the axes fill {', '.join(f'{{{known}}}' for known in names)}"
                    f"{nearest(found.strip(), names)}; text in doubled braces is left as it is"
                )
    for number, change in enumerate(changes):
        for name in change:
            if name not in case.fields:
                yield (
                    f"case {case.id!r} has no field {name!r}, which must_respond_to[{number}] changes; "
                    f"its fields are {', '.join(case.fields)}{nearest(name, case.fields)}"
                )


def _fillable(found: str, names: Sequence[str]) -> bool:
    """Whether a text in braces is a placeholder that an axis fills, or no placeholder at all."""
    name = _name(found)
    return name in names or not (_WORD.fullmatch(name) or name.strip() in names)


def _name(found: str) -> str:
    return normalize("NFC", found)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
