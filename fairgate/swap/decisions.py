"""Decisions made elsewhere: a table with a row for every decision becomes the same grid as answers do."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from unicodedata import normalize

from fairgate.config.model import DecisionsSuite
from fairgate.config.project import Project
from fairgate.config.section import Where
from fairgate.golden.header import nearest
from fairgate.golden.ids import escaped
from fairgate.golden.problems import Problems, display, quoted
from fairgate.golden.table import Row, read_lines, read_table
from fairgate.results import Remark
from fairgate.swap.grid import Base, Grid, Observation
from fairgate.swap.reading import Reader, decided
from fairgate.swap.suite import Evidence
from fairgate.wording import sentence

_WHOLE = re.compile(r"(\d+)\.0+", re.ASCII)

Levels = tuple[str, ...]
"""One level of each axis, in the order of the axes."""
Decisions = dict[str, dict[Levels, list[str]]]
"""Base to cell to the decisions found there, as written."""


def read_decisions(suite: DecisionsSuite, words: Reader, project: Project, where: Where) -> Evidence:
    """The grid of a file with decisions.

    Every base is expected in every cell of the declared axes: with ``expected`` by one decision, else by as many as the
    fullest base has there, and at least one. A row that belongs nowhere (no base, a blank or undeclared level)
    refuses the file: to leave it out would be to choose the evidence.

    :raises InputError: the file or the list of expected bases cannot be read, or they contradict each other
    :raises ConfigError: a file is not there
    """
    path = project.resolve(suite.decisions, (*where, "decisions"))
    found = _read(suite, path)
    expected = suite.expected
    problems = Problems(path)
    absent: list[str] = []
    if expected is not None and expected.cases is not None:
        if len(found) > expected.cases:
            problems.stop(f"{len(found)} bases where `expected` says {expected.cases}; one of the two is wrong")
        absent = [f"(absent base {number + 1})" for number in range(expected.cases - len(found))]
    elif expected is not None and expected.ids is not None:
        listed = project.resolve(expected.ids, (*where, "expected", "ids"))
        if listed == path:
            message = "is the file of the decisions itself: it cannot say which of them are absent"
            raise project.error((*where, "expected", "ids"), message)
        absent = _absent(found, _read_ids(listed, suite.base), listed, problems)
    grid = _Builder(suite, words, found).grid(absent)
    return Evidence(
        grid=grid,
        completeness="declared" if expected else "not_declared",
        warnings=tuple(_uneven(suite, found)),
        refusals=words.knows_refusals,
        scale=words.scale,
    )


# --- rows ------------------------------------------------------------------------------------------------------------


def _read(suite: DecisionsSuite, path: Path) -> Decisions:
    needed = [suite.base, *suite.axes, suite.outcome.column]
    base, *axes, column = (normalize("NFC", name) for name in needed)
    table = read_table(path, needed=needed, only_needed=True)
    problems = Problems(path)
    found: Decisions = defaultdict(lambda: defaultdict(list))
    for row in table.rows:
        levels = [
            _level(row, axis, declared, problems) for axis, declared in zip(axes, suite.axes.values(), strict=True)
        ]
        if not row.cells[base].strip():
            problems.add(f"column {base!r} is blank; every decision belongs to a base", row.line)
        elif None not in levels:
            cell = found[normalize("NFC", row.cells[base]).strip()][tuple(level for level in levels if level)]
            cell.append(row.cells[column])
            if suite.expected is not None and len(cell) > 1:
                problems.add(
                    f"base {quoted(row.cells[base])} has a second decision for {', '.join(filter(None, levels))}; "
                    "`expected` fixes one decision for each base and level: remove one, or give each person a level",
                    row.line,
                )
    problems.check()
    return found


def _level(row: Row, axis: str, declared: Sequence[str], problems: Problems) -> str | None:
    """The declared level that a cell means: the same text in NFC, or ``1.0`` for a declared ``1``."""
    text = normalize("NFC", row.cells[axis])
    known = {normalize("NFC", level): level for level in declared}
    whole = _WHOLE.fullmatch(text)
    level = known.get(text) or (known.get(whole[1]) if whole else None)
    if level is None:
        what = f"{quoted(text)} is not a declared level" if text.strip() else "is blank"
        problems.add(
            f"column {axis!r}: {what}; declared: {', '.join(declared)}{nearest(text, declared)}; "
            "declare the level, or leave such rows out of the file",
            row.line,
        )
    return level


def _read_ids(path: Path, base: str) -> list[str]:
    """The expected bases: one per line of a ``.txt`` file, or a table with a column ``id`` or the base's own."""
    if path.name.lower().endswith(".txt"):
        return [normalize("NFC", text).strip() for _, text in read_lines(path)]
    table = read_table(path)
    column = normalize("NFC", base)
    column = column if column in table.columns else "id"
    if column not in table.columns:
        Problems(path).stop(f"column 'id' (or {base!r}) was not found; the columns are {', '.join(table.columns)}")
    return [normalize("NFC", row.cells[column]).strip() for row in table.rows if row.cells[column].strip()]


def _absent(found: Decisions, listed: Sequence[str], path: Path, problems: Problems) -> list[str]:
    known = set(listed)
    for base in found:
        if base not in known:
            problems.add(f"base {quoted(base)} is not among the expected ids of {display(path)}")
    problems.check()
    return [base for base in dict.fromkeys(listed) if base not in found]


def _uneven(suite: DecisionsSuite, found: Decisions) -> Iterator[Remark]:
    """Says which base set the number of decisions to expect, when some base has fewer of them."""
    sizes = Counter({(base, cell): len(rows) for base, cells in found.items() for cell, rows in cells.items()})
    if not sizes:
        return
    (base, cell), most = sizes.most_common(1)[0]
    same = [count for (_, other), count in sizes.items() if other == cell]
    if most > 1 and (len(same) < len(found) or min(same) < most):
        group = dict(zip(suite.axes, cell, strict=True))
        yield Remark(
            code="uneven_cells",
            message=sentence(
                "swap_uneven_cells",
                base=base,
                group=group,
                most=most,
                short=len(found) - sum(count == most for count in same),
                bases=len(found),
            ),
        )


# --- the grid --------------------------------------------------------------------------------------------------------


class _Builder:
    """Puts the decisions that were found into the cells where they were expected."""

    def __init__(self, suite: DecisionsSuite, words: Reader, found: Decisions) -> None:
        self._words = words
        self._found = found
        self._axes = {axis: tuple(levels) for axis, levels in suite.axes.items()}
        self._cells = Grid(self._axes, ()).cells
        self._sizes = [
            max((len(cells.get(tuple(cell.values()), ())) for cells in found.values()), default=0) or 1
            for cell in self._cells
        ]

    def grid(self, absent: Sequence[str]) -> Grid:
        """Bases in the order of the file, then those of which not a single row came."""
        bases = [self._base(base, cells, "row_absent") for base, cells in self._found.items()]
        bases += [self._base(base, {}, "base_absent") for base in absent]
        return Grid(self._axes, tuple(bases))

    def _base(self, base: str, cells: Mapping[Levels, Sequence[str]], absent: str) -> Base:
        return Base(
            base,
            tuple(
                tuple(
                    self._observation(base, group, number, cells.get(tuple(group.values()), ()), absent)
                    for number in range(size)
                )
                for group, size in zip(self._cells, self._sizes, strict=True)
            ),
        )

    def _observation(
        self, base: str, group: Mapping[str, str], number: int, texts: Sequence[str], absent: str
    ) -> Observation:
        name = "|".join([escaped(base), *(f"{escaped(axis)}={escaped(level)}" for axis, level in group.items())])
        text = texts[number] if number < len(texts) else None
        seen = Observation(f"{name}|{number + 1}", base, group, None, answer=text, fields=group)
        if text is None:
            return replace(seen, reason=absent)
        return replace(seen, reason="blank_decision") if not text.strip() else decided(seen, self._words.read(text))
