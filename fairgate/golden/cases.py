"""Golden cases: the rows of a file that a swap suite puts before the system, each with an ``id``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unicodedata import normalize

from fairgate.golden.problems import Problems, quoted
from fairgate.golden.table import read_table
from fairgate.golden.tags import TAGS, read_tags

ID = "id"


@dataclass(frozen=True)
class Case:
    """One row of a golden file.

    :param fields: every other column: text from CSV, any JSON value from JSON lines; a null is left out, as if the
        case did not have the field
    :param line: the physical line on which the row begins
    :param position: of the row among the cases of the file, from 0; None for a case that is of no file
    :param tags: of the column ``tags``, which no system is shown: a tag must change no answer
    """

    id: str
    fields: Mapping[str, Any]
    line: int
    tags: tuple[str, ...] = ()
    position: int | None = field(default=None, compare=False)


def read_cases(path: Path) -> list[Case]:
    """The cases of a CSV or JSON lines file, in the order of the file.

    :raises InputError: the file cannot be read, has no ``id`` column or no case, or an id is blank or stands twice
    """
    problems = Problems(path)
    cases: list[Case] = []
    lines: dict[str, int] = {}
    for row in read_table(path, needed=[ID], nested=True).rows:
        name = _name(row.cells[ID])
        if name is None:
            problems.add(f"a case needs an {ID}, a text or a whole number; found {_shown(row.cells[ID])}", row.line)
        elif name in lines:
            problems.add(f"duplicate {ID} {name!r} (also on line {lines[name]}); give every case its own", row.line)
        else:
            lines[name] = row.line
            fields = {key: value for key, value in row.cells.items() if key not in (ID, TAGS) and value is not None}
            tags = read_tags(row.cells.get(TAGS), name, row.line, problems)
            cases.append(Case(name, fields, row.line, tags, len(cases)))
    problems.check()
    return cases


def _name(value: Any) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return normalize("NFC", value).strip() or None if isinstance(value, str) else None


def _shown(value: Any) -> str:
    return "nothing" if value is None or value == "" else quoted(str(value))
