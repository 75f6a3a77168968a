"""Tables that people bring, CSV and JSON lines, read as the text they wrote.

Nothing is guessed: ``NA`` is Namibia, ``010`` stays ``010``, 16-digit ids stay exact. Only an empty cell is missing.
What cannot be read for certain (a ragged row, a name that stands twice, a NUL) refuses the file and names the line.
"""

import csv
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unicodedata import normalize

from fairgate.golden import jsonl
from fairgate.golden.header import Header, read_header, require
from fairgate.golden.parquet import parquet_rows
from fairgate.golden.problems import Problems, quoted
from fairgate.golden.source import open_lines

SUFFIXES = (".csv", ".tsv", ".jsonl", ".csv.gz", ".tsv.gz", ".jsonl.gz", ".parquet")
_OTHERS = {
    (".xlsx", ".xls", ".xlsm", ".ods"): "; export the sheet as CSV in UTF-8",
    (".json", ".json.gz", ".ndjson"): "; write one object per line and let its name end in .jsonl",
    (".zip", ".7z", ".tar.gz", ".bz2", ".xz", ".zst"): "; unpack it, or compress the table alone with gzip",
}

Cells = tuple[str, ...]
"""The text of the needed columns of one row, in the order in which they were asked for; ``""`` when missing."""


@dataclass(frozen=True, slots=True)
class Row:
    """One record.

    :param line: the physical line on which it begins, 1 for the first of the file
    :param cells: column to text, ``""`` when missing; with ``nested=True`` the JSON value, None when null or absent
    """

    line: int
    cells: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """A file with named columns; names are in Unicode form NFC, whatever form the file used.

    :param delimiter: what stands between the cells of a CSV file; None for JSON lines
    """

    path: Path
    columns: tuple[str, ...]
    rows: list[Row]
    delimiter: str | None = None


@dataclass(frozen=True, slots=True)
class Stream:
    """The rows of a file as they are read, each once: the line on which it begins, and the needed cells.

    Rows that are broken are left out; the error about them comes at the end of the file, with the first few of them.
    """

    delimiter: str | None
    rows: Iterator[tuple[int, Cells]]


def check_name(path: Path, problems: Problems) -> str:
    """The kind of file that a name promises: its suffix without ``.gz``.

    :raises InputError: it is no kind that is read
    """
    name = path.name.lower()
    if not name.endswith(SUFFIXES):
        hint = next((hint for endings, hint in _OTHERS.items() if name.endswith(endings)), "")
        problems.stop(f"cannot tell what kind of file this is; its name has to end in {', '.join(SUFFIXES)}{hint}")
    return Path(name.removesuffix(".gz")).suffix


@contextmanager
def open_rows(path: Path, needed: Collection[str]) -> Iterator[Stream]:
    """The needed columns of a table as a stream of rows.

    :param needed: columns that have to be there; they also tell which delimiter is meant
    :raises InputError: as ``read_table``, while the rows are read too
    """
    problems = Problems(path)
    names = nfc_names(needed)
    kind = check_name(path, problems)
    if kind == ".parquet":
        yield Stream(None, _counted(parquet_rows(path, names, problems), problems))
        return
    with open_lines(path, problems) as lines:
        if kind == ".jsonl":
            yield Stream(None, _counted(_json_rows(lines, names, problems), problems))
        else:
            header = read_header(lines, names, problems, delimiter_of(path))
            yield Stream(header.delimiter, _counted(csv_rows(lines, header, names, problems), problems))


def read_table(path: Path, *, needed: Collection[str] = (), only_needed: bool = False, nested: bool = False) -> Table:
    """Read a whole file: CSV, tab-separated values or JSON lines (or any of them packed with gzip), or Parquet.

    :param needed: columns that have to be there; they also tell which delimiter is meant
    :param only_needed: keep no other column, so that memory does not hold the text of all of them
    :param nested: keep JSON values of JSON lines as they are (numbers, lists, objects) instead of text
    :raises InputError: the file cannot be opened or decoded, a record is broken, a needed column or every row is absent
    """
    problems = Problems(path)
    names = nfc_names(needed)
    kind = check_name(path, problems)
    if only_needed or kind == ".parquet":
        with open_rows(path, names) as stream:
            rows = [Row(line, dict(zip(names, cells, strict=True))) for line, cells in stream.rows]
            return Table(path, names, rows, stream.delimiter)
    with open_lines(path, problems) as lines:
        if kind == ".jsonl":
            columns, records = jsonl.read_records(lines, nested=nested, problems=problems)
            table = Table(path, columns, [Row(line, cells) for line, cells in records])
        else:
            header = read_header(lines, names, problems, delimiter_of(path))
            found = csv_rows(lines, header, header.names, problems)
            rows = [Row(line, dict(zip(header.names, cells, strict=True))) for line, cells in found]
            table = Table(path, header.names, rows, header.delimiter)
    if table.rows:
        require(table.columns, names, table.delimiter, problems)
    _check_read(len(table.rows), problems)
    return table


def read_lines(path: Path) -> list[tuple[int, str]]:
    """The lines of a text file that are not blank, without white space around them, each with its physical line.

    :raises InputError: the file cannot be opened or decoded
    """
    with open_lines(path, Problems(path)) as lines:
        return [(line, text.strip()) for line, text in lines if text.strip()]


def nfc_names(names: Collection[str]) -> tuple[str, ...]:
    """Names of columns in Unicode form NFC, each once."""
    return tuple(dict.fromkeys(normalize("NFC", name) for name in names))


def csv_rows(
    lines: Iterator[tuple[int, str]], header: Header, wanted: Cells, problems: Problems
) -> Iterator[tuple[int, Cells]]:
    """The wanted columns of the records below a header; a record with more or fewer cells than it is a problem."""
    width, delimiter = len(header.names), header.delimiter
    kept = [header.names.index(name) for name in wanted]
    for start, record in _records(lines, header.line, delimiter, problems):
        if len(record) == width:
            yield start, tuple([record[index] for index in kept])
        else:
            problems.add(
                f"cells found: {len(record)}, cells in the header: {width}: {quoted(delimiter.join(record))}; "
                "text that holds the delimiter has to stand in double quotes",
                start,
            )


def _records(
    lines: Iterator[tuple[int, str]], before: int, delimiter: str, problems: Problems
) -> Iterator[tuple[int, list[str]]]:
    """Records with the physical line on which each begins; blank lines between them are skipped."""
    reader = csv.reader((text for _, text in lines), delimiter=delimiter, strict=True)
    while True:
        start = before + reader.line_num + 1
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problems.stop(f"cannot be read as CSV: {error}; look for a double quote that is left open", start)
        if record:
            yield start, record


def _json_rows(lines: Iterator[tuple[int, str]], wanted: Cells, problems: Problems) -> Iterator[tuple[int, Cells]]:
    """The wanted columns of JSON lines; a column that no record has is a problem."""
    columns: dict[str, None] = {}
    empty = True
    for line, record in jsonl.objects(lines, nested=False, problems=problems):
        empty = False
        columns.update(dict.fromkeys(record))
        cells = jsonl.texts({name: record.get(name) for name in wanted}, line, problems)
        yield line, tuple([cells[name] for name in wanted])
    if not empty:
        require(columns, wanted, None, problems)


def _counted(rows: Iterator[tuple[int, Cells]], problems: Problems) -> Iterator[tuple[int, Cells]]:
    """The rows; at their end the problems that were met, the absence of every row among them."""
    count = 0
    for row in rows:
        count += 1
        yield row
    _check_read(count, problems)


def _check_read(rows: int, problems: Problems) -> None:
    if not rows and not problems:
        problems.add("no rows were found; a file with cases was expected")
    problems.check()


def delimiter_of(path: Path) -> str | None:
    """What a name says about the sign between cells: tabs in ``.tsv``, nothing elsewhere."""
    return "\t" if path.name.lower().endswith((".tsv", ".tsv.gz")) else None
