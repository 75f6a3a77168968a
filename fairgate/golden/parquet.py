"""Parquet files, where ``pyarrow`` is installed (the extra ``parquet``): values become the text that CSV would hold."""

from collections.abc import Iterator
from math import isnan
from pathlib import Path
from typing import Any
from unicodedata import normalize

from fairgate.golden.header import require
from fairgate.golden.problems import Problems, quoted

_BATCH = 1 << 14


def parquet_rows(path: Path, wanted: tuple[str, ...], problems: Problems) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The wanted columns row by row; a row's place is its number, counted from 1, in place of a line.

    Whole numbers and text are kept exactly, true is ``true``, 1.0 is ``1.0``, null and NaN are ``""``.

    :param wanted: names in NFC
    :raises InputError: pyarrow is not installed, the file cannot be read, a column is absent or holds lists
    """
    try:
        import pyarrow as arrow  # noqa: PLC0415 - an optional extra, and slow to import
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        problems.stop("reading Parquet needs pyarrow: pip install 'fairgate[parquet]', or write the table as CSV")
    try:
        with parquet.ParquetFile(path) as file:
            yield from _rows(file, wanted, problems)
    except FileNotFoundError:
        problems.stop("there is no such file")
    except (arrow.ArrowException, OSError) as error:
        problems.stop(f"cannot be read as Parquet: {str(error).splitlines()[0]}")


def _rows(file: Any, wanted: tuple[str, ...], problems: Problems) -> Iterator[tuple[int, tuple[str, ...]]]:
    written: dict[str, str] = {}
    for name in file.schema_arrow.names:
        if normalize("NFC", name) in written:
            problems.stop(f"column {name!r} stands twice; rename or remove one")
        written[normalize("NFC", name)] = name
    require(written, wanted, None, problems)
    problems.check()
    row = 0
    for batch in file.iter_batches(_BATCH, columns=[written[name] for name in wanted]):
        columns = [batch.column(written[name]).to_pylist() for name in wanted]
        for values in zip(*columns, strict=True):
            row += 1
            yield row, tuple([_text(value, name, row, problems) for value, name in zip(values, wanted, strict=True)])


def _text(value: Any, name: str, row: int, problems: Problems) -> str:
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and isnan(value)):  # NaN is how pandas writes an empty cell
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list | bytes):
        problems.add(f"column {name!r} holds {quoted(repr(value))}; text, a number or null was expected", row)
        return ""
    return str(value)
