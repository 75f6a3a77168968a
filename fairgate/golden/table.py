"""Tables that people bring, CSV and JSON lines, read as the text they wrote.

Nothing is guessed: ``NA`` is Namibia, ``010`` stays ``010``, 16-digit ids stay exact. Only an empty cell is missing.
What cannot be read for certain (a ragged row, a name that stands twice, a NUL) refuses the file and names the line.
"""

import csv
import gzip
import io
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from unicodedata import normalize

from fairgate.golden import jsonl
from fairgate.golden.problems import Problems, quoted

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
SUFFIXES = (".csv", ".jsonl", ".csv.gz", ".jsonl.gz")


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


def read_table(path: Path, *, needed: Collection[str] = (), only_needed: bool = False, nested: bool = False) -> Table:
    """Read a ``.csv`` or ``.jsonl`` file (or either with ``.gz``), UTF-8 or, with a byte order mark, UTF-16.

    :param needed: columns that have to be there; they also tell which delimiter is meant
    :param only_needed: keep no other column, so that memory does not hold the text of all of them
    :param nested: keep JSON values of JSON lines as they are (numbers, lists, objects) instead of text
    :raises InputError: the file cannot be opened or decoded, a record is broken, a needed column or every row is absent
    """
    problems = Problems(path)
    needed = tuple(normalize("NFC", name) for name in needed)
    name = path.name.lower()
    if not name.endswith(SUFFIXES):
        problems.stop(f"cannot tell what kind of file this is; its name has to end in {', '.join(SUFFIXES)}")
    with _text(path, problems) as stream:
        lines = _checked(stream, problems)
        keep = frozenset(needed) if only_needed else None
        if name.removesuffix(".gz").endswith(".csv"):
            table = _read_csv(path, lines, needed, keep, problems)
        else:
            columns, records = jsonl.read_records(lines, keep=keep, nested=nested, problems=problems)
            table = Table(path, columns, [Row(line, cells) for line, cells in records])
    if table.rows:
        _require(table.columns, needed, table.delimiter, problems)
    elif not problems:
        problems.add("no rows were found; a file with cases was expected")
    problems.check()
    return table


def read_lines(path: Path) -> list[tuple[int, str]]:
    """The lines of a text file that are not blank, without white space around them, each with its physical line.

    :raises InputError: the file cannot be opened or decoded
    """
    problems = Problems(path)
    with _text(path, problems) as stream:
        return [(line, text.strip()) for line, text in _checked(stream, problems) if text.strip()]


def nearest(name: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` for the nearest known name, or nothing."""
    matches = get_close_matches(name, list(known), n=1)
    return f"; did you mean {matches[0]!r}?" if matches else ""


# --- bytes to lines --------------------------------------------------------------------------------------------------


@contextmanager
def _text(path: Path, problems: Problems) -> Iterator[io.TextIOBase]:
    """The decoded text; every way in which a file can fail to be read becomes a sentence."""
    try:
        with gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb") as binary:
            start = binary.read(2)
            binary.seek(0)
            encoding = "utf-16" if start in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
            # Bytes that are no UTF-8 come through as lone surrogates, so that their line can be named.
            with io.TextIOWrapper(binary, encoding, errors="surrogateescape", newline="") as stream:
                yield stream
    except FileNotFoundError:
        problems.stop("there is no such file")
    except UnicodeError:
        problems.stop("the file begins like UTF-16 but cannot be decoded; save it as UTF-8")
    except (EOFError, zlib.error, gzip.BadGzipFile):
        problems.stop("the file is not a complete gzip file; compress it again")
    except OSError as error:
        problems.stop(f"the file cannot be read: {error.strerror or error}")


def _checked(stream: Iterable[str], problems: Problems) -> Iterator[tuple[int, str]]:
    """Physical lines with their numbers, free of NULs and of bytes that are no text."""
    for number, line in enumerate(stream, start=1):
        if "\0" in line:
            problems.stop(
                "holds a NUL character; remove it, or save the file as UTF-8 if it is UTF-16 without a byte order mark",
                number,
            )
        if not line.isascii() and any("\ud800" <= character <= "\udfff" for character in line):
            problems.stop(f"is not UTF-8: {quoted(line.strip())}; save the file as UTF-8", number)
        yield number, line


# --- CSV -------------------------------------------------------------------------------------------------------------


def _read_csv(
    path: Path,
    lines: Iterator[tuple[int, str]],
    needed: tuple[str, ...],
    keep: frozenset[str] | None,
    problems: Problems,
) -> Table:
    line, text = next(((line, text) for line, text in lines if text.strip()), (1, ""))
    if not text:
        problems.stop("the file is empty; a header row and rows below it were expected")
    delimiter, header = _header(line, text, needed, problems)
    kept = [(index, name) for index, name in enumerate(header) if keep is None or name in keep]
    rows = []
    for start, record in _records(lines, line, delimiter, problems):
        if len(record) == len(header):
            rows.append(Row(start, {name: record[index] for index, name in kept}))
        else:
            problems.add(
                f"cells found: {len(record)}, cells in the header: {len(header)}: {quoted(delimiter.join(record))}; "
                "text that holds the delimiter has to stand in double quotes",
                start,
            )
    return Table(path, header, rows, delimiter)


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


def _header(line: int, text: str, needed: tuple[str, ...], problems: Problems) -> tuple[str, tuple[str, ...]]:
    """The delimiter that yields the needed columns, and the names in NFC."""
    candidates = [(delimiter, _names(text, delimiter)) for delimiter in DELIMITERS]
    delimiter, header = max(candidates, key=lambda found: (set(needed) <= set(found[1]), len(found[1])))
    if not header:
        problems.stop(f"the header row cannot be read as CSV: {quoted(text.strip())}", line)
    if needed and not set(needed) & set(header):
        problems.stop(
            f"no header row with {', '.join(needed)} was found; line {line} reads {quoted(text.strip())} "
            f"(cells between {DELIMITERS[delimiter]})"
        )
    for position, name in enumerate(header, start=1):
        first = header.index(name) + 1
        if not name.strip():
            problems.add(f"column {position} has no name in the header; name it or remove it", line)
        elif first < position:
            problems.add(
                f"column {name!r} stands twice, at positions {first} and {position}; rename or remove one", line
            )
    problems.check()
    _require(header, needed, delimiter, problems)
    problems.check()
    return delimiter, header


def _names(text: str, delimiter: str) -> tuple[str, ...]:
    try:
        return tuple(normalize("NFC", name) for name in next(csv.reader([text], delimiter=delimiter, strict=True)))
    except csv.Error:
        return ()


def _require(columns: tuple[str, ...], needed: tuple[str, ...], delimiter: str | None, problems: Problems) -> None:
    between = f" (cells between {DELIMITERS[delimiter]})" if delimiter else ""
    for name in needed:
        if name not in columns:
            found = ", ".join(columns)
            problems.add(f"column {name!r} was not found; the columns are {found}{between}{nearest(name, columns)}")
