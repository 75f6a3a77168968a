"""What was expected, held against what came: a case that is absent stays in every denominator it may belong to."""

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import NamedTuple

from fairgate.config import Project
from fairgate.config.model import FairnessSuite
from fairgate.config.section import Where
from fairgate.golden.chunks import one_form
from fairgate.golden.columns import WRONG, Binary, has_decimal_commas
from fairgate.golden.problems import Problems, display, quoted
from fairgate.golden.reading import ID, Needs, Reading, check_unique
from fairgate.golden.table import Row, Table, open_rows, read_lines, read_table
from fairgate.golden.tally import Kind


@dataclass(frozen=True)
class Absent:
    """The expected cases that a file lacks.

    :param kinds: those of which the groups are known
    :param unknown: how many there are of which nothing but the number is known
    """

    kinds: Counter[Kind] = field(default_factory=Counter)
    unknown: int = 0


class Meaning(NamedTuple):
    """What must not change when a case goes missing: its groups, and its label where a denominator reads it."""

    groups: tuple[str | None, ...]
    label: int | None


def find_absent(  # noqa: PLR0913, PLR0917 - two files, and all that says how they are compared
    came: Path, rows: int, suite: FairnessSuite, project: Project, where: Where, reading: Reading, needs: Needs
) -> Absent:
    """Find the expected cases that did not come: with their group if it is known, else only their number.

    :param came: the file with the decisions, and its number of rows
    :param where: the place of ``expected`` in the configuration
    :raises InputError: more came than was expected, something else came, or the two files contradict each other
    """
    expected = suite.expected
    if expected is None:
        return Absent()
    if expected.cases is not None:
        if rows > expected.cases:
            message = f"{rows} rows where `expected` says {expected.cases} cases; one of the two is wrong"
            Problems(came).stop(message)
        return Absent(unknown=expected.cases - rows)
    path = project.resolve(expected.ids or "", (*where, "ids"))
    if path == came.resolve():
        raise project.error((*where, "ids"), "is the file of the cases itself: it cannot say which of them are absent")
    listed = _read_ids(path)
    label = reading.label if needs.denominators else None
    tells = {*reading.declared, *([] if label is None else [label.column])} <= set(listed.columns)
    found = _meanings(came, reading, label) if tells else _lines(came)
    _refuse_unexpected(came, found, listed)
    if not tells:
        return Absent(unknown=len(listed.rows) - rows)
    return Absent(_absent_kinds(came, found, listed, reading, label))


def _read_ids(path: Path) -> Table:
    """One id per line of a ``.txt`` file, or a table with a column ``id``."""
    problems = Problems(path)
    if path.name.lower().endswith(".txt"):
        rows = [Row(line, {ID: text}) for line, text in read_lines(path)]
        if not rows:
            problems.stop("no ids were found; one per line was expected")
        table = Table(path, (ID,), rows)
    else:
        table = read_table(path, needed=[ID])
    check_unique(((row.line, row.cells[ID]) for row in table.rows), ID, problems)
    problems.check()
    return table


Found = dict[str, tuple[int, str, Meaning | None]]
"""The id of a case in its one form, to its line, the id as written, and what the case means where that is told."""


def _lines(came: Path) -> Found:
    with open_rows(came, [ID]) as stream:
        return {one_form(id): (line, id, None) for line, (id,) in stream.rows}


def _meanings(came: Path, reading: Reading, label: Binary | None) -> Found:
    names = [ID, *reading.declared, *([] if label is None else [label.column])]
    found: Found = {}
    known: dict[Meaning, Meaning] = {}
    with open_rows(came, names) as stream:
        commas = has_decimal_commas(stream.delimiter)
        for line, (id, *cells) in stream.rows:
            meaning = _meaning(dict(zip(names[1:], cells, strict=False)), reading, label, commas)
            found[one_form(id)] = line, id, known.setdefault(meaning, meaning)
    return found


def _meaning(cells: dict[str, str], reading: Reading, label: Binary | None, commas: bool) -> Meaning:
    pairs = reading.attributes.items()
    groups = tuple(
        [attribute.meaning(cells[name], commas) if attribute.declared else None for name, attribute in pairs]
    )
    return Meaning(groups, None if label is None else label.meaning(cells[label.column], commas))


def _refuse_unexpected(came: Path, found: Found, listed: Table) -> None:
    problems = Problems(came)
    expected = {one_form(row.cells[ID]) for row in listed.rows}
    strangers = [id for id in found if id not in expected]
    alike = {_as_number(id): id for id in expected if _as_number(id) is not None} if strangers else {}
    for id in strangers:
        line, written, _ = found[id]
        same = alike.get(_as_number(id))
        hint = "" if same is None else f"; {quoted(same)} is, but ids are compared as text: write both alike"
        problems.add(f"id {quoted(written)} is not among the expected ids of {display(listed.path)}{hint}", line)
    problems.check()


def _as_number(id: str) -> Decimal | None:
    """The number that an id is written as, so that 100, 100.0 and 1e2 can be told to be alike."""
    try:
        number = Decimal(id)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _absent_kinds(came: Path, found: Found, listed: Table, reading: Reading, label: Binary | None) -> Counter[Kind]:
    """The kinds of the listed cases that did not come.

    A case must not change its group or label when it goes missing, else hiding it could improve a verdict: where both
    files tell them, they have to agree.
    """
    problems = Problems(listed.path)
    commas = has_decimal_commas(listed.delimiter)
    absent: Counter[Kind] = Counter()
    for row in listed.rows:
        promised = _meaning(row.cells, reading, label, commas)
        if label is not None and promised.label == WRONG:
            problems.add(label.refusal(row.cells[label.column]), row.line)
            continue
        _, _, other = found.get(one_form(row.cells[ID]), (0, "", None))
        if other is None:
            absent[Kind(promised.groups, promised.label, None, present=False)] += 1
        elif other != promised:
            for message in _contradictions(row, promised, other, reading, label, came):
                problems.add(message, row.line)
    problems.check()
    return absent


def _contradictions(  # noqa: PLR0913, PLR0917 - as above
    row: Row, promised: Meaning, other: Meaning, reading: Reading, label: Binary | None, came: Path
) -> list[str]:
    names = [*reading.attributes, *([] if label is None else [f"label {label.column}"])]
    here, there = [*promised.groups, promised.label], [*other.groups, other.label]
    return [
        f"id {quoted(row.cells[ID])} has {name} {_shown(value)} here and {_shown(came_value)} in {display(came)}; "
        "one is wrong"
        for name, value, came_value in zip(names, here, there, strict=False)
        if value != came_value
    ]


def _shown(value: str | int | None) -> str:
    return quoted("" if value is None else str(value))
