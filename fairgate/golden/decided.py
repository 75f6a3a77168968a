"""Decided cases: who they are, what was decided, what would have been right, and who is absent.

A file is counted as a stream; what stays of a row is a few bytes, by which an id that stands twice is noticed. Only
when something is wrong is the file read again, row by row, to say what and where.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fairgate.config import Project
from fairgate.config.model import FairnessSuite
from fairgate.config.section import Where
from fairgate.golden.chunks import ROWS, read_chunks
from fairgate.golden.expected import find_absent
from fairgate.golden.plain import Keys
from fairgate.golden.reading import Needs, Reading
from fairgate.golden.tally import Kind, Teller


@dataclass(frozen=True)
class Decided:
    """The cases of a file with decisions, and those that were expected and are not in it, counted by kind.

    :param attributes: the names of ``Kind.groups``, in their order
    :param kinds: how many cases there are of each kind
    :param probabilities: the sum of their probabilities, in units of ``fairgate.golden.tally.PROBABILITY_UNIT``
    :param declared: attribute to its declared groups, and stratum to every value found
    :param unknown: k, expected cases of which nothing but the number is known
    :param completeness_declared: whether ``expected`` says which cases have to be there
    :param odd_probabilities: spelling of what is no number in [0, 1], and how often; blanks are not counted here
    :param unreadable: predictions in words that were not declared, and how often; they are missing
    """

    attributes: tuple[str, ...]
    kinds: Counter[Kind]
    probabilities: Counter[Kind]
    declared: dict[str, tuple[str, ...]]
    unknown: int
    completeness_declared: bool
    odd_probabilities: Counter[str]
    unreadable: Counter[str]

    def levels(self, attributes: Sequence[str]) -> Iterator[tuple[tuple[str | None, ...], Kind, int]]:
        """Every kind of case: its groups of some attributes, the kind, and how many cases there are of it."""
        places = [self.attributes.index(name) for name in attributes]
        for kind, cases in self.kinds.items():
            yield tuple([kind.groups[place] for place in places]), kind, cases


def read_decided(suite: FairnessSuite, project: Project, where: Where, needs: Needs, *, rows: int = ROWS) -> Decided:
    """Read the decided cases of a suite and hold them against what was expected.

    :param where: the suite's place in the configuration
    :param rows: rows that are read at once; the result does not depend on it
    :raises InputError: the file cannot be read, or a value refuses it; up to five problems with their lines
    :raises ConfigError: a path leads nowhere
    """
    path = project.resolve(suite.cases, (*where, "cases"))
    reading = Reading.of(suite, needs)
    teller = Teller(reading)
    keys: dict[str, list[Keys]] = {name: [] for name in reading.unique}
    for chunk in read_chunks(path, reading.counted, reading.unique, rows):
        teller.add(chunk)
        for name, found in chunk.keys.items():
            keys[name].append(found)
    tally = teller.tally
    if tally.wrong or any(_may_repeat(found) for found in keys.values()):
        reading.refuse_if_wrong(path)
    absent = find_absent(path, tally.kinds.total(), suite, project, (*where, "expected"), reading, needs)
    return Decided(
        attributes=tuple(reading.attributes),
        kinds=tally.kinds + absent.kinds,
        probabilities=tally.probabilities,
        declared=_declared(suite, reading, tally.kinds),
        unknown=absent.unknown,
        completeness_declared=suite.expected is not None,
        odd_probabilities=tally.odd_probabilities,
        unreadable=tally.unreadable,
    )


def _declared(suite: FairnessSuite, reading: Reading, kinds: Counter[Kind]) -> dict[str, tuple[str, ...]]:
    """The declared groups of every attribute, and of a stratum that is none every value that was found: nobody has to
    declare those."""
    declared = {name: tuple(groups) for name, groups in suite.attributes.items()}
    for position, name in enumerate(reading.attributes):
        if name not in declared:
            found = {value for kind in kinds if (value := kind.groups[position]) is not None}
            declared[name] = tuple(sorted(found))
    return declared


def _may_repeat(keys: list[Keys]) -> bool:
    """Whether some value is blank or may stand twice: whoever reads the rows again will know."""
    ordered = np.sort(np.concatenate(keys))
    return bool(ordered[0] == 0 or (ordered[1:] == ordered[:-1]).any())
