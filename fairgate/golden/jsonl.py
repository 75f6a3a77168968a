"""JSON lines: one object per line, told apart by the exact text of its values."""

import json
from collections.abc import Iterable, Iterator
from math import isinf
from typing import Any
from unicodedata import normalize

from fairgate.golden.problems import Problems, quoted

Record = tuple[int, dict[str, Any]]
DEEPEST = 64
"""Lists and objects inside of each other; more than any case needs, and less than any part of Python stumbles over."""

_TOO_DEEP = f"is nested more than {DEEPEST} levels deep: "
_WORDS = {True: "true", False: "false", None: ""}


def read_records(
    lines: Iterable[tuple[int, str]], *, nested: bool, problems: Problems
) -> tuple[tuple[str, ...], list[Record]]:
    """Read every line that is not blank as one object.

    :param lines: physical line number and text
    :param nested: keep JSON values; else values become their exact text, see ``texts``
    :returns: the names of all columns in the order in which they were first met (NFC), and line and cells of each
        record; a column that only other records have is ``""`` (None when nested)
    """
    columns: dict[str, None] = {}
    records: list[Record] = []
    for number, record in objects(lines, nested=nested, problems=problems):
        columns.update(dict.fromkeys(record))
        records.append((number, record if nested else texts(record, number, problems)))
    absent = None if nested else ""
    return tuple(columns), [(number, {name: cells.get(name, absent) for name in columns}) for number, cells in records]


def objects(lines: Iterable[tuple[int, str]], *, nested: bool, problems: Problems) -> Iterator[Record]:
    """Every line that is not blank as one object with names in NFC; a line that is none is a problem and left out.

    :param nested: numbers become numbers; else they stay the text that was written, as NaN and Infinity do
    """
    decoder = _decoder(nested)
    for number, line in lines:
        text = line.strip()
        if text:
            record = _decode(decoder, text, number, problems)
            if record is not None:
                yield number, record


def texts(cells: dict[str, Any], number: int, problems: Problems) -> dict[str, str]:
    """The exact text of values: ``1.0`` stays ``1.0``, true is ``true``, null is ``""``; a list or an object is a
    problem."""
    found = {}
    for name, value in cells.items():
        if isinstance(value, str):
            found[name] = value
        elif isinstance(value, dict | list):
            kind = "an object" if isinstance(value, dict) else "a list"
            problems.add(f"column {name!r} holds {kind}; text, a number or null was expected", number)
            found[name] = ""
        else:
            found[name] = _WORDS[value]
    return found


def _decoder(nested: bool) -> json.JSONDecoder:
    if nested:
        return json.JSONDecoder(object_pairs_hook=_object, parse_float=_finite, parse_constant=_refuse)
    return json.JSONDecoder(object_pairs_hook=_object, parse_int=str, parse_float=str, parse_constant=str)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = {normalize("NFC", name): value for name, value in pairs}
    if len(record) < len(pairs):
        names = [normalize("NFC", name) for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"key {twice!r} stands twice")
    return record


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if isinf(number):
        raise ValueError(f"the number {text[:40]} is too large")
    return number


def _decode(decoder: json.JSONDecoder, line: str, number: int, problems: Problems) -> dict[str, Any] | None:
    """The object on a line, or None when the problem was noted."""
    try:
        record = decoder.decode(line)
    except json.JSONDecodeError as error:
        problems.add(f"is not one JSON object: {error.msg}: {quoted(line)}{_hint(line, error)}", number)
    except RecursionError:
        problems.add(_TOO_DEEP + quoted(line), number)
    except ValueError as error:
        problems.add(f"{error}: {quoted(line)}", number)
    else:
        if not isinstance(record, dict):
            problems.add(f"one JSON object was expected: {quoted(line)}{_array_hint(record)}", number)
        elif _deeper_than(record, DEEPEST):
            problems.add(_TOO_DEEP + quoted(line), number)
        elif "\\ud" in line.lower() and not _is_text(record):
            problems.add(f"holds half of a surrogate pair, which is no character: {quoted(line)}", number)
        else:
            return record
    return None


_ONE_PER_LINE = "; write one object per line, without brackets around them or commas between them"


def _hint(line: str, error: json.JSONDecodeError) -> str:
    """What to do about a line that is no JSON, where it shows what was meant."""
    rest = line[error.pos :].lstrip()
    if line in ("[", "]", "{", "}", "},") or (line.startswith("[") and not line.endswith("]")):
        return _ONE_PER_LINE
    if line.startswith(("//", "/*", "#")):
        return "; JSON lines have no comments, remove it"
    if error.msg == "Extra data" and rest == ",":
        return "; remove the comma at the end of the line"
    if error.msg == "Extra data" and rest.startswith("{"):
        return "; two objects stand on one line, give each its own"
    if "'" in line and '"' not in line:
        return "; JSON has double quotes"
    return ""


def _array_hint(value: Any) -> str:
    return _ONE_PER_LINE if isinstance(value, list) else ""


def _deeper_than(value: Any, levels: int) -> bool:
    """Whether something lies deeper; level by level, so that no depth is too much to find out."""
    layer = [value]
    for _ in range(levels):
        layer = [
            inner
            for outer in layer
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not layer:
            return False
    return any(isinstance(item, dict | list) for item in layer)


def _is_text(record: dict[str, Any]) -> bool:
    try:
        json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
