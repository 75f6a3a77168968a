"""Golden cases of a rag suite: a question, what was retrieved for it, the answer, and what would have been right."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unicodedata import normalize

from fairgate.golden.problems import Problems, quoted
from fairgate.golden.table import Row, read_table
from fairgate.golden.tags import TAGS, read_tags

ABSTAIN = "abstain"


@dataclass(frozen=True)
class Sample:
    """One case of a rag suite.

    :param contexts: what was retrieved, in its order; None where a system says so in the run
    :param answer: the answer, which may be blank; None where a system gives it in the run
    :param truth: the right answer; None when the case does not say
    :param abstain: whether the right answer is "I don't know"
    :param fields: what a system is asked, under the file's own column names: all of the case but the answer it carries
        and the one that would be right, and its tags; nulls left out
    :param line: the physical line on which it stands
    :param tags: of the column ``tags``
    """

    id: str
    query: str
    contexts: tuple[str, ...] | None
    answer: str | None
    truth: str | None
    abstain: bool = False
    fields: Mapping[str, Any] = field(default_factory=dict)
    line: int = 0
    tags: tuple[str, ...] = ()


def read_samples(path: Path, columns: Mapping[str, str], *, answered: bool, truth: bool) -> list[Sample]:
    """The cases of a JSON lines file, in the order of the file.

    :param columns: standard name to the column that holds it, where it is another
    :param answered: whether the cases have to carry answers and contexts (no system gives them)
    :param truth: whether a rule reads the expected answer; a case that is to abstain needs none
    :raises InputError: naming sample and line, for everything that cannot be judged as it stands
    """
    problems = Problems(path)
    if not path.name.lower().endswith((".jsonl", ".jsonl.gz")):
        problems.stop("cases of a rag suite hold lists, which takes JSON lines; its name has to end in .jsonl")
    reader = _Reader(columns, answered, truth, problems)
    rows = read_table(path, needed=list(reader.needed()), nested=True).rows
    samples = [sample for row in rows if (sample := reader.read(row)) is not None]
    problems.check()
    return samples


class _Reader:
    """Reads one row after the other, and notes what is wrong with it."""

    def __init__(self, columns: Mapping[str, str], answered: bool, truth: bool, problems: Problems) -> None:
        self._columns = {name: normalize("NFC", column) for name, column in columns.items()}
        self._answered = answered
        self._truth = truth
        self._problems = problems
        self._lines: dict[str, int] = {}

    def needed(self) -> Iterator[str]:
        """Columns that have to be there."""
        names = ["sample_id", "user_query"]
        names += ["retrieved_context", "generated_answer"] if self._answered else []
        names += ["expected_ground_truth"] if self._truth else []
        return map(self._column, names)

    def read(self, row: Row) -> Sample | None:
        """The case, or None when it is none; every problem is noted."""
        id = self._id(row)
        if id is None:
            return None
        expected = self._value(row, "expected")
        if expected not in (None, ABSTAIN):
            self._add(id, row, f"expected is {quoted(str(expected))}; the only value is {ABSTAIN}")
        abstain = expected == ABSTAIN
        return Sample(
            id=id,
            query=self._query(id, row),
            contexts=self._contexts(id, row, abstain),
            answer=self._answer(id, row),
            truth=self._expected_answer(id, row, needed=self._truth and not abstain),
            abstain=abstain,
            fields=self._asked(row),
            line=row.line,
            tags=read_tags(row.cells.get(TAGS), id, row.line, self._problems),
        )

    def _id(self, row: Row) -> str | None:
        value = self._value(row, "sample_id")
        name = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
        if not name:
            self._problems.add(f"{self._column('sample_id')} is blank; every case needs one, a text", row.line)
        elif name in self._lines:
            also = f"also on line {self._lines[name]}"
            self._problems.add(f"sample {quoted(name)}: the id stands twice ({also}); give each its own", row.line)
        else:
            self._lines[name] = row.line
            return name
        return None

    def _query(self, id: str, row: Row) -> str:
        value = self._value(row, "user_query")
        if not isinstance(value, str) or not value.strip():
            self._add(id, row, f"{self._column('user_query')} is {_kind(value)}, expected the question as a text")
        return value if isinstance(value, str) else ""

    def _contexts(self, id: str, row: Row, abstain: bool) -> tuple[str, ...] | None:
        value, column = self._value(row, "retrieved_context"), self._column("retrieved_context")
        if value is None and not self._answered:
            return None
        if not isinstance(value, list):
            self._add(id, row, f"{column} is {_kind(value)}, expected a list of texts, one for each context")
            return None
        if not value and not abstain:
            self._add(id, row, f"{column} is an empty list: an answer without sources cannot be held against them")
        for number, text in enumerate(value, start=1):
            if not isinstance(text, str) or not text.strip():
                self._add(id, row, f"{column}: context {number} of {len(value)} is {_kind(text)}, expected a text")
        return tuple(map(str, value))

    def _answer(self, id: str, row: Row) -> str | None:
        value, column = self._value(row, "generated_answer"), self._column("generated_answer")
        if not self._answered:
            return None
        if not isinstance(value, str):
            self._add(id, row, f"{column} is {_kind(value)}, expected a text (it may be empty)")
            return None
        return value

    def _expected_answer(self, id: str, row: Row, *, needed: bool) -> str | None:
        value, column = self._value(row, "expected_ground_truth"), self._column("expected_ground_truth")
        filled = isinstance(value, str) and bool(value.strip())
        if needed and not filled:
            self._add(id, row, f"{column} is {_kind(value)}; context_precision needs the right answer")
        return value if filled else None

    def _asked(self, row: Row) -> dict[str, Any]:
        hidden = {TAGS, *map(self._column, ("generated_answer", "expected_ground_truth", "expected"))}
        return {name: value for name, value in row.cells.items() if value is not None and name not in hidden}

    def _value(self, row: Row, name: str) -> Any:
        return row.cells.get(self._column(name))

    def _column(self, name: str) -> str:
        return self._columns.get(name, name)

    def _add(self, id: str, row: Row, message: str) -> None:
        self._problems.add(f"sample {quoted(id)}: {message}", row.line)


def _kind(value: Any) -> str:
    """What was found, in words."""
    match value:
        case None:
            return "missing or null"
        case str():
            return f"the text {quoted(value)}" if value.strip() else "blank"
        case list():
            return f"a list of {len(value)}"
        case dict():
            return "an object"
        case bool():
            return "true or false"
        case _:
            return f"the number {value}"
