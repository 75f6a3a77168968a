"""What is read of a file with decided cases, what its cells mean, and why a file is refused."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unicodedata import normalize

from fairgate.config.model import FairnessSuite
from fairgate.golden.chunks import one_form
from fairgate.golden.columns import NOTHING, WRONG, Attribute, Binary, has_decimal_commas, seen
from fairgate.golden.problems import Problems, quoted
from fairgate.golden.table import nfc_names, open_rows

ID = "id"
_CONSEQUENCE = "; cases of one person are not independent, keep one row per person"


@dataclass(frozen=True)
class Needs:
    """What the rules ask of the labels.

    :param labels: some rule reads them; otherwise they are not looked at
    :param denominators: some rate counts only the cases of one label
    """

    labels: bool
    denominators: bool


@dataclass(frozen=True)
class Reading:
    """The columns of a suite that are read, with what their cells mean.

    :param attributes: the attributes, and strata that are none, of which every spelling is a group
    :param label: None when no rule reads labels
    :param unit: the column that names the person, when it is declared
    """

    attributes: dict[str, Attribute]
    label: Binary | None
    prediction: Binary
    probability: str | None
    unit: str | None

    @classmethod
    def of(cls, suite: FairnessSuite, needs: Needs) -> "Reading":
        """What a suite's rules need."""
        words = {normalize("NFC", word): int(value) for value, said in suite.values.items() for word in said}
        return cls(
            attributes={name: Attribute(suite.attributes.get(name, [])) for name in (*suite.attributes, *suite.strata)},
            label=Binary("label", suite.label, words) if suite.label and needs.labels else None,
            prediction=Binary("prediction", suite.prediction, words),
            probability=suite.probability,
            unit=suite.unit,
        )

    @property
    def declared(self) -> list[str]:
        """The attributes whose groups are declared; a stratum that is none has only what is found."""
        return [name for name, attribute in self.attributes.items() if attribute.declared]

    @property
    def counted(self) -> tuple[str, ...]:
        """The columns whose spellings are counted."""
        label = [] if self.label is None else [self.label.column]
        probability = [] if self.probability is None else [self.probability]
        return nfc_names([*label, self.prediction.column, *probability, *self.attributes])

    @property
    def unique(self) -> tuple[str, ...]:
        """The columns in which no value may repeat or be blank."""
        return nfc_names([ID, *([] if self.unit is None else [self.unit])])

    def refuse_if_wrong(self, path: Path) -> None:
        """Read a file row by row, and refuse it with the lines of what is wrong.

        :raises InputError: unless nothing is
        """
        problems = Problems(path)
        for column in self.unique:
            check_unique(rows_of(path, column), column, problems, _CONSEQUENCE if column == self.unit else "")
        for binary in filter(None, (self.label, self.prediction)):
            self._check_binary(path, binary, problems)
        problems.check()

    def _check_binary(self, path: Path, binary: Binary, problems: Problems) -> None:
        counts: Counter[str] = Counter()
        wrong = False
        with open_rows(path, [binary.column]) as stream:
            commas = has_decimal_commas(stream.delimiter)
            for line, (text,) in stream.rows:
                counts[text] += 1
                if binary.meaning(text, commas) == WRONG:
                    wrong = True
                    problems.add(binary.refusal(text), line)
        if wrong:
            problems.note(f"column {binary.column!r} holds {seen(counts)}{_words_hint(binary, counts)}")


def rows_of(path: Path, column: str) -> Iterator[tuple[int, str]]:
    """Line and text of one column."""
    with open_rows(path, [column]) as stream:
        for line, (text,) in stream.rows:
            yield line, text


def check_unique(values: Iterator[tuple[int, str]], column: str, problems: Problems, consequence: str = "") -> None:
    """Note every line whose value in a column is blank or stands on an earlier line too.

    Values are compared in NFC and without blanks around them: the same person in another Unicode form is no second one.
    """
    first: dict[str, int] = {}
    for line, text in values:
        value = one_form(text)
        if not value:
            problems.add(f"{column} is blank; every row needs one", line)
        elif value in first:
            problems.add(f"duplicate {column} {quoted(text)} (also on line {first[value]}){consequence}", line)
        else:
            first[value] = line


def _words_hint(binary: Binary, counts: Counter[str]) -> str:
    """How to say what words mean, where there are only a few of them."""
    words = [text for text in counts if any(map(str.isalpha, text)) and text.strip().casefold() not in NOTHING]
    if binary.words or not words or len(counts) > _FEW:
        return ""
    return f"; say which of them mean 1 and which 0: values: {{1: [{words[0]}], 0: [...]}}"


_FEW = 12
