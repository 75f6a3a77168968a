"""What stands before the word that a pattern finds: it should not depend on the person where the outcome does not.

A pattern that finds DUYỆT in “Kết luận: HOÃN DUYỆT” reads an approval, and no list holds every word that could stand
there. This needs none: two people of one base have the same outcome, and before the word stands something else.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from fairgate.results import Remark
from fairgate.swap.grid import Base, Grid, Kind
from fairgate.swap.outcomes import spelling
from fairgate.swap.reading import Reader
from fairgate.swap.redaction import GONE, Redaction
from fairgate.wording import sentence

LONGEST = 40
"""Characters before the word up to which its line is one that states a verdict. A longer one is running text, which
comes out differently on every call."""

_PERSON = re.compile(
    r"\b(?:anh|chị|ông|bà|cô|chú|bác|em|mr|mrs|ms|miss|he|she|his|her|him|nam|nữ)\b|先生|女士|小姐|[他她]"
)
"""Words for a person that may well differ with the person."""


@dataclass(frozen=True)
class Differing:
    """Two people of one base, the same outcome, and something else before the word.

    :param lines: of each, the line up to the word and with it
    """

    case: str
    groups: tuple[str, str]
    lines: tuple[str, str]


def context_remarks(grid: Grid, words: Reader) -> Iterator[Remark]:
    """A warning where what stands before the word that the pattern finds differs between the people of a base."""
    if words.line is None:
        return
    found = [one for base in grid.bases if (one := differing(base, words)) is not None]
    if found:
        message = sentence("swap_context", example=found[0], cases=len(found), bases=len(grid.bases))
        yield Remark(code="pattern_context_differs", message=message)


def differing(base: Base, words: Reader) -> Differing | None:
    """The first two people of a base whose lines differ though their outcomes do not; None where there are none."""
    swapped = {name for one in base.observations for name in one.fields}
    person = Redaction.of(swapped, [one.fields for one in base.observations])
    seen: dict[Kind, dict[str, tuple[str, str]]] = defaultdict(dict)
    for one in base.observations:
        line = words.line(one.answer) if words.line is not None and one.kind and one.answer is not None else None
        if one.kind is None or line is None or len(line[0]) > LONGEST:
            continue
        group = " × ".join(one.group.values())
        seen[one.kind].setdefault(_bare(person.text(line[0])), (group, spelling("".join(line))))
    for lines in seen.values():
        if len(lines) > 1:
            (one_group, one_line), (other_group, other_line) = list(lines.values())[:2]
            return Differing(base.id, (one_group, other_group), (one_line, other_line))
    return None


def _bare(text: str) -> str:
    """The words of a line, without case, punctuation and markup, and without what stands for the person."""
    return " ".join(re.findall(r"[^\W_]+", _PERSON.sub(" ", text.replace(GONE, " ").casefold())))
