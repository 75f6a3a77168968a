"""What can be wrong between the values of a suite: pure functions that yield places and sentences.

They see names, groups and people, never files; what a file holds is checked where it is read.
"""

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Any

from fairgate.config.section import Problem, Where
from fairgate.config.values import nfc, shown

MAX_VARIANTS = 64
"""Variants of one base case: beyond that a suite costs more than it can tell."""

People = Sequence[Mapping[str, str]]


def listed(names: Iterable[str]) -> str:
    """Names for a sentence, in the order given."""
    return ", ".join(names) or "none"


def unknown(name: str, known: Iterable[str], expected: str) -> str:
    """What is wrong with a name that stands under nothing of its kind, with the nearest that does."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"declared: {listed(names)}"
    return f"found {shown(name)}, expected {expected}; {hint}"


def repeated(names: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Position and name of everything that stands earlier in the list already."""
    seen: set[str] = set()
    for i, name in enumerate(names):
        if name in seen:
            yield i, name
        seen.add(name)


def rule_id_problems(ids: Sequence[str]) -> Iterator[Problem]:
    """Every rule of a suite has an id of its own."""
    for i, name in repeated(ids):
        yield ("rules", i, "id"), f"the rule id {shown(name)} is taken already; give each rule an id of its own"


def declaration_problems(declared: Mapping[str, Sequence[str]], where: str) -> Iterator[Problem]:
    """No group is declared twice."""
    for attribute, groups in declared.items():
        for i, group in repeated(groups):
            yield (where, attribute, i), f"the group {shown(group)} is declared twice; remove one"


def crossing_problems(names: Sequence[str], declared: Iterable[str], where: Where, who: str = "") -> Iterator[Problem]:
    """A crossing is made of declared attributes, each once; ``who`` begins the sentence."""
    known = list(declared)
    for i, name in enumerate(names):
        if name not in known:
            yield (*where, i), f"{who}attribute {shown(name)} is not declared; declared: {listed(known)}"
    for i, name in repeated(names):
        yield (*where, i), f"{who}attribute {shown(name)} is named twice in one crossing; remove one"


def gap_problems(
    names: Sequence[str], declared: Mapping[str, Sequence[str]], where: Where, who: str
) -> Iterator[Problem]:
    """A gap lies between groups: there have to be two."""
    if all(name in declared for name in names) and prod(len(declared[name]) for name in names) < 2:
        yield where, f"{who}a gap needs at least two declared groups; declared: {listed(declared[names[0]])}"


def variants_asked(axes: Mapping[str, Collection[Any]], *, one_at_a_time: bool) -> int:
    """Variants of one base case: the product of the levels, or the first levels and every other level by itself."""
    sizes = [len(levels) for levels in axes.values()]
    return 1 + sum(size - 1 for size in sizes) if one_at_a_time else prod(sizes)


def axis_problems(axes: Mapping[str, Mapping[str, People]], *, one_at_a_time: bool) -> Iterator[Problem]:
    """Axes that can be swapped: two levels, as many people each, the same fields, nobody twice, no field twice."""
    for axis, levels in axes.items():
        if len(levels) < 2:
            yield ("axes", axis), f"an axis needs at least two levels, found {listed(levels)}"
        else:
            yield from _people_problems(("axes", axis), levels)
            yield from _same_person_problems(("axes", axis), levels)
    yield from _shared_field_problems(axes)
    variants = variants_asked(axes, one_at_a_time=one_at_a_time)
    if variants > MAX_VARIANTS:
        sizes = (" + " if one_at_a_time else " x ").join(str(len(levels) - one_at_a_time) for levels in axes.values())
        made = f"1 + {sizes}" if one_at_a_time else sizes
        message = f"the levels make {made} = {variants} variants of a case, expected at most {MAX_VARIANTS}"
        fewer = variants_asked(axes, one_at_a_time=True)
        way = "" if fewer > MAX_VARIANTS else f"set design: one_at_a_time, which asks {fewer}, or "
        yield ("axes",), f"{message}; {way}split the suite"


def uncrossed_problems(rules: Sequence[Any]) -> Iterator[Problem]:
    """No rule crosses axes whose combinations are not asked."""
    for i, rule in enumerate(rules):
        crossed = getattr(rule, "attribute", None) or []
        if len(crossed) > 1:
            yield (
                ("rules", i, "attribute"),
                f"rule {rule.id}: found the crossing {' x '.join(crossed)}, and design: one_at_a_time asks no variant "
                "in which more than one axis is swapped; expected one axis, or design: full",
            )


def _people_problems(where: Where, levels: Mapping[str, People]) -> Iterator[Problem]:
    first, model = next(iter(levels.items()))
    for level, people in levels.items():
        if len(people) != len(model):
            counts = f"{len(people)} in {level}, {len(model)} in {first}"
            yield (*where, level), f"people are paired by position, found {counts}; every level needs as many"
        for i, person in enumerate(people):
            if set(person) != set(model[0]):
                fields = f"found the fields {listed(person)}, expected {listed(model[0])} as in {first}"
                yield (*where, level, i), f"{fields}; everybody on an axis needs the same fields"


def _same_person_problems(where: Where, levels: Mapping[str, People]) -> Iterator[Problem]:
    seen: dict[tuple[int, frozenset[tuple[str, str]]], str] = {}
    for level, people in levels.items():
        for i, person in enumerate(people):
            first = seen.setdefault((i, frozenset((key, nfc(value)) for key, value in person.items())), level)
            if first != level:
                yield (*where, level, i), f"the same person stands in {first} and {level}; nothing would be swapped"


def _shared_field_problems(axes: Mapping[str, Mapping[str, People]]) -> Iterator[Problem]:
    filled: dict[str, str] = {}
    for axis, levels in axes.items():
        fields = dict.fromkeys(field for people in levels.values() for person in people for field in person)
        for field in fields:
            if field in filled:
                yield ("axes", axis), f"the field {shown(field)} is filled by axis {filled[field]} already; use another"
        filled = {**dict.fromkeys(fields, axis), **filled}


def proxy_problems(proxies: Mapping[str, Sequence[str]], axes: Mapping[str, Mapping[str, People]]) -> Iterator[Problem]:
    """Proxies of axes that exist, and none that an axis fills: what is swapped carries the attribute anyway."""
    filled = {field: axis for axis, levels in axes.items() for people in levels.values() for field in people[0]}
    for axis, fields in proxies.items():
        if axis not in axes:
            yield ("proxies", axis), unknown(axis, axes, "an axis of this suite")
        for i, field in enumerate(fields):
            if field in filled:
                yield (
                    ("proxies", axis, i),
                    f"the axis {filled[field]} fills {shown(field)}, so it is listed anyway; remove it here",
                )
        for i, name in repeated(fields):
            yield ("proxies", axis, i), f"found {name} twice; remove one"


def taken_names(names: Sequence[str], reserved: Sequence[str]) -> Iterator[Problem]:
    """Mitigations whose name is somebody else's already."""
    taken = {nfc(name) for name in reserved}
    for i, name in enumerate(names):
        if nfc(name) in taken:
            yield ("mitigations", i, "name"), f"the name {shown(name)} is taken; give each mitigation one of its own"
        taken.add(nfc(name))


def column_problems(columns: Mapping[str, str | None]) -> Iterator[Problem]:
    """Columns that must not be one and the same: a label compared with itself is always right."""
    taken: dict[str, str] = {}
    for key, column in columns.items():
        if column is not None and column in taken:
            yield (key,), f"the column {shown(column)} is named as {taken[column]} already; expected another"
        elif column is not None:
            taken[column] = key


def word_problems(values: Mapping[Any, Sequence[str]]) -> Iterator[Problem]:
    """Words for both decisions, none of them for both."""
    if values and len(values) < 2:
        yield ("values",), f"found words for {listed(values)} alone, expected some for 0 and some for 1"
    taken: dict[str, str] = {}
    for value, words in values.items():
        for i, word in enumerate(words):
            if taken.setdefault(nfc(word), value) != value:
                yield ("values", value, i), f"the word {shown(word)} stands for {taken[nfc(word)]} already; remove one"
