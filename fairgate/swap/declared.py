"""Whether the variants of a case, as they are asked, differ in the declared fields alone."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from fairgate.swap.rendered import Comparer, Piece, differing, pieces, undeclared
from fairgate.swap.variants import CasePlan, Variant

AROUND = 30
"""Characters of what is the same that are shown on each side of a difference."""

SHOWN = 5
"""Differences of a text that are shown."""

LONGEST = 120
"""Characters of either side of a difference that are shown."""


@dataclass(frozen=True)
class Undeclared:
    """A difference between what two variants are asked that no field of theirs explains.

    :param axes: the axes in which the two variants differ
    :param fields: the fields in which they differ
    :param place: where in the request
    :param difference: the text there, ``[-as the one has it-]{+as the other has it+}``
    :param unsteady: one and the same variant is not asked the same twice
    """

    case: str
    axes: tuple[str, ...]
    fields: tuple[str, ...]
    one: Mapping[str, str]
    other: Mapping[str, str]
    place: str
    difference: str
    unsteady: bool = False


def undeclared_difference(
    case: CasePlan, requests: Sequence[Any], again: Callable[[Variant], Any], reader: Comparer
) -> Undeclared | None:
    """The first difference beyond the declared fields between the reference and another variant of a case.

    :param requests: what is asked, in the order of ``case.grid``
    :param again: asks the system once more what it would ask
    :param reader: the same for all cases
    """
    reference, *others = zip(case.grid, requests, strict=False)
    for variant, request in sorted(others, key=lambda asked: len(_axes_apart(reference[0], asked[0]))):
        fields = swapped(reference[0], variant)
        pairs = tuple(fields.values())
        for found in islice(reader.beyond_fields(reference[1], request, pairs), 1):
            twice = next(differing(reference[1], again(reference[0])), None)
            place, one, other = twice or found
            return Undeclared(
                case=case.case.id,
                axes=_axes_apart(reference[0], variant),
                fields=tuple(fields),
                one=reference[0].group,
                other=reference[0].group if twice else variant.group,
                place=place,
                difference=marked(undeclared(one, other, () if twice else pairs)),
                unsteady=twice is not None,
            )
    return None


def swapped(one: Variant, other: Variant) -> dict[str, tuple[str, str]]:
    """The fields of the levels in which two variants differ, with the value in each."""
    return {
        name: (str(value), str(other.differs[name]))
        for name, value in one.differs.items()
        if value != other.differs[name]
    }


def marked(found: Sequence[Piece]) -> str:
    """A comparison on one line: the first differences, with a little of what is around them."""
    text, shown = "", 0
    for number, piece in enumerate(found):
        if piece.kind == "changed":
            shown += 1
            if shown > SHOWN:
                return f"{text}…"
            old, new = _cut(piece.one), _cut(piece.other)
            text += (f"[-{old}-]" if old else "") + (f"{{+{new}+}}" if new else "")
        else:
            text += _around(piece.one, first=number == 0, last=number == len(found) - 1)
    return text


def as_one(difference: str) -> str:
    """What the one variant has of a difference that is marked."""
    return _ADDED.sub("", difference).replace("[-", "").replace("-]", "")


def as_other(difference: str) -> str:
    """What the other variant has of it."""
    return _TAKEN.sub("", difference).replace("{+", "").replace("+}", "")


_TAKEN = re.compile(r"\[-.*?-\]", re.DOTALL)
_ADDED = re.compile(r"\{\+.*?\+\}", re.DOTALL)


def shown_lines(one: str, other: str) -> list[str]:
    """A comparison of two texts: the lines that differ, as ``[-was-]{+is+}``."""
    text, numbers, line = "", set[int](), 0
    for piece in pieces(one, other):
        if piece.kind == "same":
            text, line = text + piece.one, line + piece.one.count("\n")
            continue
        told = (f"[-{piece.one}-]" if piece.one else "") + (f"{{+{piece.other}+}}" if piece.other else "")
        numbers |= set(range(line, line + told.count("\n") + 1))
        text, line = text + told, line + told.count("\n")
    return [one_line for number, one_line in enumerate(text.split("\n")) if number in numbers]


def _axes_apart(one: Variant, other: Variant) -> tuple[str, ...]:
    return tuple(axis for axis, level in one.group.items() if other.group[axis] != level)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _around(text: str, *, first: bool, last: bool) -> str:
    """What is the same: its end before a difference, its beginning behind one, both between two."""
    if len(text) <= 2 * AROUND and not (first or last):
        return text
    head = "" if first else text[:AROUND]
    tail = "" if last else text[len(head) :][-AROUND:]
    return head + ("…" if len(head) + len(tail) < len(text) else "") + tail
