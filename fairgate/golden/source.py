"""Bytes to lines: files are opened, unpacked and decoded here, or refused by the name of what they are.

A name says what a person meant, the first bytes say what it is: a workbook called ``.csv`` is named as one, a gzip file
without ``.gz`` is unpacked. What is read is bounded, so that a few kilobytes cannot unpack to all of memory.
"""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from fairgate.golden.encodings import looks_like
from fairgate.golden.problems import Problems, quoted

MAX_LINE = 8 << 20
"""Characters of one line; more than any case needs, and little enough to hold."""
UNPACKED_FREELY = 256 << 20
MAX_RATIO = 200
"""A gzip file may unpack to 256 MiB, and beyond that to 200 times its own size; tables reach 10 to 50 times."""
SAMPLE = 1 << 16

_GZIP = b"\x1f\x8b"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_UTF32 = (b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")
_UTF8_BOM = b"\xef\xbb\xbf"
_FOREIGN = {
    b"PK\x03\x04": "an Excel workbook or another zip archive",
    b"PK\x05\x06": "an empty zip archive",
    b"\xd0\xcf\x11\xe0": "an old Excel or Word document",
    b"%PDF": "a PDF document",
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"SQLite format 3": "an SQLite database",
    b"{\\rtf": "an RTF document",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"Rar!": "a RAR archive",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"version https://git-lfs": "a Git LFS pointer, not the file itself (run git lfs pull)",
}
_WEB_PAGE = (b"<!doctype", b"<html", b"<table", b"<?xml", b"<head", b"<meta")


Skip = tuple[int, int] | None
"""Bytes and physical lines from the beginning of a file."""


class _TooLarge(Exception):
    """A gzip file unpacks to more than anybody's cases need."""


class _Unpacking(gzip.GzipFile):
    """A gzip file that stops when it unpacks to far more than it is."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._left = max(UNPACKED_FREELY, MAX_RATIO * path.stat().st_size)

    def read(self, size: int | None = -1) -> bytes:
        return self._counted(super().read(size))

    def read1(self, size: int = -1) -> bytes:
        return self._counted(super().read1(size))

    def _counted(self, data: bytes) -> bytes:
        self._left -= len(data)
        if self._left < 0:
            raise _TooLarge
        return data


@contextmanager
def open_bytes(path: Path, problems: Problems) -> Iterator[BinaryIO]:
    """The unpacked bytes of a file with a table; every way in which it can fail to be read becomes a sentence.

    :raises InputError: it cannot be opened or unpacked, or is no text at all but a workbook, a document, an archive
    """
    try:
        with path.open("rb") as file:
            packed_start = file.read(16)
        packed = packed_start.startswith(_GZIP)
        if path.name.lower().endswith(".gz") and not packed:
            problems.stop("is called .gz but is not compressed; take .gz off its name, or compress it with gzip")
        if packed:
            with _Unpacking(path) as unpacked:
                yield cast(BinaryIO, unpacked)
        else:
            with path.open("rb") as plain:
                yield plain
    except FileNotFoundError:
        problems.stop("there is no such file")
    except UnicodeError:
        problems.stop("the file begins like UTF-16 but cannot be decoded; save it as UTF-8")
    except _TooLarge:
        problems.stop(f"the gzip file unpacks to more than {MAX_RATIO} times its size; a table of cases was expected")
    except (EOFError, zlib.error, gzip.BadGzipFile):
        problems.stop("the file is not a complete gzip file; compress it again")
    except OSError as error:
        problems.stop(f"the file cannot be read: {error.strerror or error}")


def encoding_of(start: bytes, problems: Problems) -> str:
    """The encoding that the first bytes tell, after a look at what they are.

    :param start: a few hundred bytes from the beginning of the unpacked file
    :returns: ``utf-8``, ``utf-8-sig`` (a byte order mark stands first) or ``utf-16``
    :raises InputError: it is no text, or text in an encoding that is not read
    """
    for magic, what in _FOREIGN.items():
        if start.startswith(magic):
            problems.stop(f"is {what}, whatever its name says; {_TABLE_EXPECTED}")
    if start.lstrip(b" \t\r\n" + _UTF8_BOM)[:10].lower().startswith(_WEB_PAGE):
        problems.stop(f"is a web page or XML, whatever its name says; {_TABLE_EXPECTED}")
    if start.startswith(_UTF32):
        problems.stop("is UTF-32; save it as UTF-8")
    if start.startswith(_UTF16):
        return "utf-16"
    if _is_bare_utf16(start):
        problems.stop(
            "is UTF-16 without a byte order mark; save it as UTF-8 (a program shows NULs between the letters)"
        )
    return "utf-8-sig" if start.startswith(_UTF8_BOM) else "utf-8"


_TABLE_EXPECTED = "a table as text was expected: export it as CSV in UTF-8"


def _is_bare_utf16(start: bytes) -> bool:
    """Latin letters in UTF-16 have a NUL in every other byte."""
    pairs = start[: len(start) // 2 * 2]
    return len(pairs) >= 8 and any(not any(pairs[i::2]) and all(pairs[1 - i :: 2]) for i in (0, 1))


@contextmanager
def open_lines(path: Path, problems: Problems, skip: Skip = None) -> Iterator[Iterator[tuple[int, str]]]:
    """The physical lines of a text file with their numbers, the first one 1, ends of lines kept.

    A line ends with LF, CR or both. A byte order mark is no part of the first line.

    :param skip: bytes and lines that have been read already
    :raises InputError: also while iterating: NULs, bytes that are no text, a line without an end
    """
    with open_bytes(path, problems) as binary:
        encoding = encoding_of(start_of(binary), problems)
        offset, before = skip or (0, 0)
        if offset:
            binary.seek(offset)
        # Bytes that are no UTF-8 come through as lone surrogates, so that their line can be named.
        with io.TextIOWrapper(binary, encoding, errors="surrogateescape", newline="") as stream:
            yield _checked(stream, before, path, problems)


def start_of(binary: BinaryIO) -> bytes:
    """The first bytes, which stay there to be read."""
    return cast(io.BufferedReader, binary).peek(512)[:512]


def _checked(stream: io.TextIOWrapper, before: int, path: Path, problems: Problems) -> Iterator[tuple[int, str]]:
    """The lines with their numbers, free of NULs and of bytes that are no text."""
    number = before
    while line := stream.readline(MAX_LINE):
        number += 1
        if len(line) == MAX_LINE:
            problems.stop(f"is longer than {MAX_LINE:,} characters: {quoted(line)}; one case per line", number)
        if "\0" in line:
            problems.stop("holds a NUL character; remove it, or save the file as UTF-8 if it is UTF-16", number)
        if not line.isascii() and any("\ud800" <= character <= "\udfff" for character in line):
            problems.stop(f"is not UTF-8: {quoted(line.strip())}; {_save_as(path, line)}", number)
        yield number, line


def _save_as(path: Path, line: str) -> str:
    """What to do about text that is not UTF-8, with the encoding that it looks like."""
    odd = [part for part in _sample(path).splitlines() if not part.isascii()] or [
        line.encode("utf-8", "surrogateescape")
    ]
    names = " or ".join(looks_like(b"\n".join(odd)))
    return f"it looks like {names}: save it as UTF-8" if names else "save it as UTF-8"


def _sample(path: Path) -> bytes:
    """The beginning of a file, cut at the end of a line."""
    with open_bytes(path, Problems(path)) as binary:
        start = binary.read(SAMPLE)
    return start[: start.rfind(b"\n") + 1] or start
