"""The needed columns of a file in chunks of coded rows: by the quick reader where it is plain, else by the exact one.

Nothing is kept of a chunk but what its reader keeps, so that memory does not grow with the rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from unicodedata import normalize

import numpy as np

from fairgate.golden.header import Header, read_header
from fairgate.golden.plain import Block, Cells, Irregular, Keys, NotPlain, Positions, Vocabulary, read_plain, text_cells
from fairgate.golden.problems import Problems
from fairgate.golden.source import encoding_of, open_bytes, open_lines, start_of
from fairgate.golden.table import check_name, csv_rows, delimiter_of, nfc_names, open_rows

ROWS = 1 << 14
"""Rows of a chunk that the exact reader makes."""


@dataclass(frozen=True)
class Coded:
    """The cells of a column: each one's place in the list of the column's spellings."""

    codes: Positions
    spellings: Sequence[str]


@dataclass(frozen=True)
class Chunk:
    """Some rows of a file.

    :param columns: name in NFC to the cells of a column that is counted
    :param keys: name in NFC to a number per cell of a column in which no value may repeat. Equal values, compared in
        NFC and without blanks around them, have equal numbers; different ones almost never do. A blank cell has 0.
    :param delimiter: what stands between the cells of the file; None where it is not CSV
    """

    rows: int
    columns: dict[str, Coded]
    keys: dict[str, Keys]
    delimiter: str | None


def one_form(text: str) -> str:
    """What a value is compared by: NFC, without blanks around it."""
    return normalize("NFC", text).strip()


def read_chunks(path: Path, counted: Sequence[str], unique: Sequence[str], rows: int = ROWS) -> Iterator[Chunk]:
    """Read some columns of a file, its rows in the order of the file.

    :param counted: columns whose spellings are wanted
    :param unique: columns in which no value may repeat
    :param rows: rows of a chunk, where the exact reader makes it
    :raises InputError: as ``read_table``; broken rows are told together at the end
    """
    counted, unique = nfc_names(counted), nfc_names(unique)
    names = nfc_names([*unique, *counted])
    problems = Problems(path)
    plain = None if check_name(path, problems) not in (".csv", ".tsv") else _plain_start(path, names, problems)
    if plain is None:
        with open_rows(path, names) as stream:
            yield from _exact(stream.rows, stream.delimiter, counted, unique, names, rows)
        return
    header, offset = plain
    seen = 0
    try:
        for chunk in _quick(path, header, offset, counted, unique, problems):
            seen += chunk.rows
            yield chunk
    except NotPlain as rest:
        with open_lines(path, problems, (rest.offset, rest.line)) as lines:
            found = csv_rows(lines, replace(header, line=rest.line), names, problems)
            for chunk in _exact(found, header.delimiter, counted, unique, names, rows):
                seen += chunk.rows
                yield chunk
    if not seen and not problems:
        problems.add("no rows were found; a file with cases was expected")
    problems.check()


def _plain_start(path: Path, names: Sequence[str], problems: Problems) -> tuple[Header, int] | None:
    """The header and where the rows begin, in bytes; None for a file that the quick reader does not read."""
    with open_bytes(path, problems) as binary:
        encoding = encoding_of(start_of(binary), problems)
    if encoding == "utf-16":
        return None
    read = 3 if encoding == "utf-8-sig" else 0

    def counted(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        nonlocal read
        for line, text in lines:
            read += len(text.encode())
            yield line, text

    with open_lines(path, problems) as lines:
        header = read_header(counted(lines), names, problems, delimiter_of(path))
    return (header, read) if len(header.names) > 1 else None


def _quick(  # noqa: PLR0913, PLR0917 - what is read, from where, and where problems go
    path: Path, header: Header, offset: int, counted: Sequence[str], unique: Sequence[str], problems: Problems
) -> Iterator[Chunk]:
    places = [header.names.index(name) for name in (*unique, *counted)]
    words = [Vocabulary() for _ in counted]
    with open_bytes(path, problems) as binary:
        binary.seek(offset)
        for block in read_plain(binary, header.delimiter, len(header.names), places, (offset, header.line)):
            yield _chunk(block, header.delimiter, counted, unique, words)


def _chunk(
    block: Block, delimiter: str, counted: Sequence[str], unique: Sequence[str], words: Sequence[Vocabulary]
) -> Chunk:
    singular, plural = block.cells[: len(unique)], block.cells[len(unique) :]
    try:
        coded = [Coded(*vocabulary.encode(cells)) for vocabulary, cells in zip(words, plural, strict=True)]
    except Irregular:
        raise NotPlain(block.offset, block.line) from None
    keys = dict(zip(unique, map(_keys, singular), strict=True))
    return Chunk(len(block.cells[0].starts), dict(zip(counted, coded, strict=True)), keys, delimiter)


def _keys(cells: Cells) -> Keys:
    keys = cells.keys()
    odd = np.flatnonzero(cells.unlike_ascii_words())
    if len(odd):
        keys = keys.copy()
        keys[odd] = text_cells([one_form(cells.text(int(index))) for index in odd]).keys()
    return keys


def _exact(  # noqa: PLR0913, PLR0917 - as above
    found: Iterator[tuple[int, tuple[str, ...]]],
    delimiter: str | None,
    counted: Sequence[str],
    unique: Sequence[str],
    names: Sequence[str],
    rows: int,
) -> Iterator[Chunk]:
    while batch := list(islice(found, rows)):
        columns = dict(zip(names, zip(*(cells for _, cells in batch), strict=True), strict=True))
        keys = {name: text_cells([one_form(text) for text in columns[name]]).keys() for name in unique}
        yield Chunk(len(batch), {name: _coded(columns[name]) for name in counted}, keys, delimiter)


def _coded(texts: Sequence[str]) -> Coded:
    places: dict[str, int] = {}
    codes = [places.setdefault(text, len(places)) for text in texts]
    return Coded(np.array(codes, np.int64), list(places))
