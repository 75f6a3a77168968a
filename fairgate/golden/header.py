"""The header row of a CSV file: which sign parts the cells, and what the columns are called."""

import csv
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from unicodedata import normalize

from fairgate.golden.problems import Problems, quoted

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "pipes"}
_EXCEL_HINT = re.compile(r"\s*\"?sep=(.)\"?\s*", re.IGNORECASE)
"""A line before the header by which Excel is told what parts the cells."""


@dataclass(frozen=True)
class Header:
    """What the first lines of a CSV file say.

    :param names: the columns in Unicode form NFC
    :param line: the physical line on which the header ends
    """

    names: tuple[str, ...]
    delimiter: str
    line: int


def read_header(
    lines: Iterator[tuple[int, str]], needed: Collection[str], problems: Problems, delimiter: str | None = None
) -> Header:
    """Read the header with the delimiter that yields the needed columns, else the most of them.

    :param lines: physical lines from the first one; those of the header are consumed
    :param needed: columns in NFC that have to be there
    :param delimiter: the only one that comes into question; None for all
    :raises InputError: there is no header, a name stands twice or is blank, a needed column is absent
    """
    line, text = _first(lines)
    hint = _EXCEL_HINT.fullmatch(text)
    if hint:
        if hint[1] not in DELIMITERS:
            problems.stop(f"names {hint[1]!r} as the sign between cells; expected {_listed(DELIMITERS.values())}", line)
        delimiter = hint[1]
        line, text = _first(lines)
    if not text:
        problems.stop("the file is empty; a header row and rows below it were expected")
    last, text = _whole(line, text, lines)
    candidates = [(sign, _names(text, sign)) for sign in ([delimiter] if delimiter else DELIMITERS)]
    delimiter, names = max(candidates, key=lambda found: (set(needed) <= set(found[1]), len(found[1])))
    _check(names, delimiter, text, line, needed, problems)
    return Header(names, delimiter, last)


def require(columns: Collection[str], needed: Iterable[str], delimiter: str | None, problems: Problems) -> None:
    """Note every needed column that is absent, with the names that are there."""
    between = f" (cells between {DELIMITERS[delimiter]})" if delimiter else ""
    for name in needed:
        if name not in columns:
            found = _listed(columns)
            problems.add(f"column {name!r} was not found; the columns are {found}{between}{nearest(name, columns)}")


def nearest(name: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` for the nearest known name, or nothing.

    >>> nearest("lable", ["id", "label"]), nearest("sex", ["Sex"]), nearest("x", ["label"])
    ("; did you mean 'label'?", "; did you mean 'Sex'?", '')
    """
    near = nearest_name(name, known)
    return "" if near is None else f"; did you mean {near!r}?"


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that looks most like another one; case, width, blanks and invisible signs do not count."""
    folded = {_folded(other): other for other in known}
    near = get_close_matches(_folded(name), folded, n=1)
    return folded[near[0]] if near else None


def _folded(name: str) -> str:
    visible = (character for character in normalize("NFKC", name) if character.isprintable())
    return "".join(visible).strip().casefold()


def _listed(names: Iterable[str]) -> str:
    return ", ".join(name if name.isprintable() and name == name.strip() else repr(name) for name in names)


def _first(lines: Iterator[tuple[int, str]]) -> tuple[int, str]:
    return next(((line, text) for line, text in lines if text.strip()), (1, ""))


def _whole(line: int, text: str, lines: Iterator[tuple[int, str]]) -> tuple[int, str]:
    """A header in which a quoted name runs over several lines, and the line on which it ends."""
    start, whole = line, text
    while whole.count('"') % 2 and line < start + _LONGEST:
        line, more = next(lines, (line, ""))
        if not more:
            return start, text
        whole += more
    return (line, whole) if whole.count('"') % 2 == 0 else (start, text)


_LONGEST = 100
"""Lines of a header; a quote that is left open does not swallow the file."""


def _names(text: str, delimiter: str) -> tuple[str, ...]:
    try:
        records = list(csv.reader([text], delimiter=delimiter, strict=True))
    except csv.Error:
        return ()
    return tuple(normalize("NFC", name) for name in records[0]) if len(records) == 1 else ()


def _check(  # noqa: PLR0913, PLR0917 - everything that an error shows
    names: tuple[str, ...], delimiter: str, text: str, line: int, needed: Collection[str], problems: Problems
) -> None:
    shown = quoted(text.strip())
    if not names:
        problems.stop(f"the header row cannot be read as CSV: {shown}", line)
    if needed and not set(needed) & set(names):
        problems.stop(
            f"no header row with {', '.join(needed)} was found; line {line} reads {shown} "
            f"(cells between {DELIMITERS[delimiter]}){_what_it_is(text, needed)}"
        )
    for position, name in enumerate(names, start=1):
        first = names.index(name) + 1
        if not name.strip():
            problems.add(f"column {position} has no name in the header; name it or remove it", line)
        elif first < position:
            problems.add(
                f"column {name!r} stands twice, at positions {first} and {position}; rename or remove one", line
            )
    problems.check()
    require(names, needed, delimiter, problems)
    problems.check()


def _what_it_is(text: str, needed: Collection[str]) -> str:
    """A guess at what stands where the header should be."""
    plain = normalize("NFC", text)
    if text.lstrip().startswith(("{", "[")):
        return "; it looks like JSON: write one object per line into a file that ends in .jsonl"
    if text.lstrip().startswith(("#", "//", "--")):
        return "; it looks like a comment: remove the lines above the header"
    if all(name in plain for name in needed):
        return f"; the names stand there between other signs: put {_listed(DELIMITERS.values())} between the cells"
    return "; write the names of the columns into the first line"
