"""Decided cases as what they are counted by: how many there are of each kind, not one row per case."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fairgate.golden.chunks import Chunk, Coded
from fairgate.golden.columns import BLANK, UNREADABLE, WRONG, Attribute, Binary, has_decimal_commas, probability
from fairgate.golden.reading import Reading

BINS = 10
"""Bins of probabilities, of equal width; 1 belongs to the last one."""
PROBABILITY_UNIT = 1 << 36
"""Probabilities are added up as whole numbers of 2^-36, so that no sum depends on the order of the rows."""

_MOST_KINDS = 1 << 16
_SKIP = -1


class Kind(NamedTuple):
    """Everything by which a case is counted.

    :param groups: one per attribute: a declared group, an undeclared spelling, None when blank
    :param label: None when it was not read, or is not known of an absent case
    :param prediction: None when it is missing
    :param present: False for an expected case that the file lacks
    :param bin: of its probability, 0 to ``BINS`` - 1; None when it has no usable one
    """

    groups: tuple[str | None, ...]
    label: int | None
    prediction: int | None
    present: bool = True
    bin: int | None = None


@dataclass
class Tally:
    """The cases of a file, kind by kind.

    :param kinds: how many cases there are of each kind
    :param probabilities: the sum of their probabilities, in units of ``PROBABILITY_UNIT``
    :param odd_probabilities: spelling of what is no number in [0, 1], and how often; blanks are not counted here
    :param unreadable: predictions in words that were not declared, and how often; they are missing
    :param wrong: whether some label or prediction refuses the file
    """

    kinds: Counter[Kind] = field(default_factory=Counter)
    probabilities: Counter[Kind] = field(default_factory=Counter)
    odd_probabilities: Counter[str] = field(default_factory=Counter)
    unreadable: Counter[str] = field(default_factory=Counter)
    wrong: bool = False


class Teller:
    """Counts chunks of rows into a tally."""

    def __init__(self, reading: Reading) -> None:
        self.tally = Tally()
        self._reading = reading
        self._groups = {name: _Groups(attribute) for name, attribute in reading.attributes.items()}

    def add(self, chunk: Chunk) -> None:
        """Count the rows of one chunk."""
        commas = has_decimal_commas(chunk.delimiter)
        groups = [names.codes(chunk.columns[name], commas) for name, names in self._groups.items()]
        label = self._binary(self._reading.label, chunk, commas)
        prediction = self._binary(self._reading.prediction, chunk, commas)
        bins, sums = self._bins(chunk, commas)
        axes = [*groups, label, prediction, bins]
        sizes = [*(len(names.names) for names in self._groups.values()), 5, 5, BINS + 1]
        codes, examples = _number(axes, sizes)
        cases = np.bincount(codes, minlength=len(examples)).tolist()
        totals = np.zeros(len(examples), np.int64)
        np.add.at(totals, codes, sums)
        names = [group.names for group in self._groups.values()]
        for i, n, total in zip(examples.tolist(), cases, totals.tolist(), strict=True):
            kind = Kind(
                groups=tuple(known[codes[i]] for known, codes in zip(names, groups, strict=True)),
                label=_decided(label[i]),
                prediction=_decided(prediction[i]),
                bin=int(bins[i]) if bins[i] < BINS else None,
            )
            self.tally.kinds[kind] += n
            self.tally.probabilities[kind] += total

    def _binary(self, column: Binary | None, chunk: Chunk, commas: bool) -> npt.NDArray[np.int64]:
        if column is None:
            return np.full(chunk.rows, BLANK)
        coded = chunk.columns[column.column]
        meanings = np.array([column.meaning(spelling, commas) for spelling in coded.spellings])
        values = meanings[coded.codes]
        self.tally.wrong = self.tally.wrong or bool((values == WRONG).any())
        if (values == UNREADABLE).any():
            self.tally.unreadable.update(_counts(coded, np.flatnonzero(meanings == UNREADABLE)))
        return values

    def _bins(self, chunk: Chunk, commas: bool) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The bin of every row's probability, and the probability in whole units."""
        if self._reading.probability is None:
            return np.full(chunk.rows, BINS), np.zeros(chunk.rows, np.int64)
        coded = chunk.columns[self._reading.probability]
        values = [probability(spelling, commas) for spelling in coded.spellings]
        bins = np.array([BINS if value is None else min(int(value * BINS), BINS - 1) for value in values])
        units = np.array([round((value or 0.0) * PROBABILITY_UNIT) for value in values])
        odd = [i for i, value in enumerate(values) if value is None and coded.spellings[i]]
        self.tally.odd_probabilities.update(_counts(coded, odd))
        return bins[coded.codes], units[coded.codes]


class _Groups:
    """The groups of one attribute, numbered as they are met; a blank is 0."""

    def __init__(self, attribute: Attribute) -> None:
        self._attribute = attribute
        self._numbers: dict[str | None, int] = {None: 0}
        self.names: list[str | None] = [None]

    def codes(self, coded: Coded, commas: bool) -> npt.NDArray[np.int64]:
        return np.array([self._number(spelling, commas) for spelling in coded.spellings])[coded.codes]

    def _number(self, spelling: str, commas: bool) -> int:
        name = self._attribute.meaning(spelling, commas)
        if name not in self._numbers:
            self._numbers[name] = len(self.names)
            self.names.append(name)
        return self._numbers[name]


def _number(
    axes: Sequence[npt.NDArray[np.int64]], sizes: Sequence[int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Rows that agree on every axis get one number, counted from 0; and one row of each number as an example."""
    codes, size = axes[0], sizes[0]
    for axis, length in zip(axes[1:], sizes[1:], strict=True):
        codes, size = codes * length + axis, size * length
        if size > _MOST_KINDS:
            found, codes = np.unique(codes, return_inverse=True)
            size = len(found)
    example = np.full(size, _SKIP)
    example[codes] = np.arange(len(codes))
    used = np.flatnonzero(example != _SKIP)
    number = np.empty(size, np.int64)
    number[used] = np.arange(len(used))
    return number[codes], example[used]


def _decided(value: int) -> int | None:
    return int(value) if value in (0, 1) else None


def _counts(coded: Coded, wanted: Sequence[int] | npt.NDArray[np.int64]) -> Counter[str]:
    """How often some spellings stand in a chunk."""
    cases = np.bincount(coded.codes, minlength=len(coded.spellings))
    return Counter({coded.spellings[i]: int(cases[i]) for i in wanted if cases[i]})
