"""What was expected, held against what came: a case that is absent stays in every denominator it may belong to."""

from dataclasses import dataclass, field
from pathlib import Path
from unicodedata import normalize

import pandas as pd

from fairgate.config import Project
from fairgate.config.model import FairnessSuite
from fairgate.config.section import Where
from fairgate.golden.columns import binary, check_unique, read_groups, texts
from fairgate.golden.problems import Problems, display, quoted
from fairgate.golden.table import Row, Table, read_lines, read_table


@dataclass(frozen=True)
class Needs:
    """What the rules ask of the labels.

    :param labels: some rule reads them; otherwise they are not looked at
    :param denominators: some rate counts only the cases of one label
    """

    labels: bool
    denominators: bool


@dataclass(frozen=True)
class Absent:
    """The expected cases that a file lacks.

    :param frame: attributes as text, one row per absent case of which they are known
    :param labels: Int8, same index; NA where it was not read
    :param unknown: how many there are of which nothing but the number is known
    """

    frame: pd.DataFrame = field(default_factory=pd.DataFrame)
    labels: pd.Series = field(default_factory=lambda: pd.Series(dtype="Int8"))
    unknown: int = 0


def find_absent(came: Table, suite: FairnessSuite, project: Project, where: Where, needs: Needs) -> Absent:
    """Find the expected cases that did not come: with their group if it is known, else only their number.

    :param came: the file with the decisions
    :param where: the place of ``expected`` in the configuration
    :raises InputError: more came than was expected, something else came, or the two files contradict each other
    """
    expected = suite.expected
    if expected is None:
        return Absent()
    problems = Problems(came.path)
    if expected.cases is not None:
        rows = len(came.rows)
        if rows > expected.cases:
            problems.stop(f"{rows} rows where `expected` says {expected.cases} cases; one of the two is wrong")
        return Absent(unknown=expected.cases - rows)
    path = project.resolve(expected.ids or "", (*where, "ids"))
    if path == came.path.resolve():
        raise project.error((*where, "ids"), "is the file of the cases itself: it cannot say which of them are absent")
    listed = _read_ids(path)
    _refuse_unexpected(came, listed, problems)
    if _tells_groups(listed, suite, needs):
        return _known(came, listed, suite, needs)
    return Absent(unknown=len(listed.rows) - len(came.rows))


def _read_ids(path: Path) -> Table:
    """One id per line of a ``.txt`` file, or a table with a column ``id``."""
    problems = Problems(path)
    if path.name.lower().endswith(".txt"):
        rows = [Row(line, {"id": text}) for line, text in read_lines(path)]
        if not rows:
            problems.stop("no ids were found; one per line was expected")
        table = Table(path, ("id",), rows)
    else:
        table = read_table(path, needed=["id"])
    check_unique(table, "id", problems)
    problems.check()
    return table


def _refuse_unexpected(came: Table, listed: Table, problems: Problems) -> None:
    expected = {row.cells["id"] for row in listed.rows}
    for row in came.rows:
        if row.cells["id"] not in expected:
            message = f"id {quoted(row.cells['id'])} is not among the expected ids of {display(listed.path)}"
            problems.add(message, row.line)
    problems.check()


def _tells_groups(listed: Table, suite: FairnessSuite, needs: Needs) -> bool:
    """Whether the list of ids also says to which group, and to which denominator, each case belongs."""
    names = [*suite.attributes, *([suite.label] if needs.denominators and suite.label else [])]
    return {normalize("NFC", name) for name in names} <= set(listed.columns)


def _known(came: Table, listed: Table, suite: FairnessSuite, needs: Needs) -> Absent:
    problems = Problems(listed.path)
    label = suite.label if needs.denominators else None
    labels = binary(listed, label, "label", problems)
    problems.check()
    _refuse_contradictions(came, listed, suite, label)
    frame = texts(listed)
    absent = ~frame["id"].isin([row.cells["id"] for row in came.rows])
    return Absent(frame[absent].reset_index(drop=True), labels[absent].reset_index(drop=True))


def _refuse_contradictions(came: Table, listed: Table, suite: FairnessSuite, label: str | None) -> None:
    """A case must not change its group or label when it goes missing, else hiding it could improve a verdict."""
    problems = Problems(listed.path)
    found = _meanings(came, suite, label)
    for row, promised in zip(listed.rows, _meanings(listed, suite, label).values(), strict=True):
        for name, value in promised.items():
            other = found.get(row.cells["id"], promised)[name]
            if other != value:
                case = f"id {quoted(row.cells['id'])} has {name} {quoted(value)} here"
                problems.add(f"{case} and {quoted(other)} in {display(came.path)}; one is wrong", row.line)
    problems.check()


def _meanings(table: Table, suite: FairnessSuite, label: str | None) -> dict[str, dict[str, str]]:
    """Id to the groups (and the label) that the spellings of a case mean."""
    frame = texts(table)
    meaning = read_groups(frame, suite.attributes).astype(object).fillna("")
    if label is not None:
        meaning[f"label {label}"] = frame[normalize("NFC", label)].str.removesuffix(".0")
    names = [str(name) for name in meaning.columns]
    rows = zip(frame["id"], meaning.to_numpy(), strict=True)
    return {case: dict(zip(names, values, strict=True)) for case, values in rows}
