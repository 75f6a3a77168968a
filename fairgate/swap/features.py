"""What a field of a case says, as features that can be counted: its value, its words, the range it lies in."""

import re
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any
from unicodedata import normalize

BINS = 5
"""Ranges of a field of many numbers, about as many cases in each."""

_FEW = 8
"""Different numbers up to which each is a value of its own."""
_PLACEHOLDER = re.compile(r"(?<!\{)\{[^{}]*\}(?!\})")
_CHARACTERS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORDS = re.compile(rf"[{_CHARACTERS}]|[^\W{_CHARACTERS}]+")
"""A word; of a script without blanks between words, each character."""


def features(values: Sequence[Any]) -> list[set[str]]:
    """The features of one field in every case.

    Numbers are put into ranges, or stand for themselves where there are few different ones; of text, the whole value
    and each word, placeholders left out; a field that a case does not have is a value as well.

    :param values: of each case; None where it has none
    """
    numbers = [_number(value) for value in values]
    known = [number for number, value in zip(numbers, values, strict=True) if value is not None and value != ""]
    if known and all(number is not None for number in known):
        return _ranges(numbers)
    return [{f"={_folded(' '.join(texts(value)))}", *words(value)} for value in values]


def words(value: Any) -> list[str]:
    """The words of every text inside a value, folded, in order, placeholders left out."""
    return [word for text in texts(value) for word in _WORDS.findall(_folded(_PLACEHOLDER.sub(" ", text)))]


def texts(value: Any) -> Iterator[str]:
    """Every text, number and truth value inside a value, as text."""
    if isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts(item)
    elif value is not None:
        yield str(value)


def _ranges(numbers: Sequence[float | None]) -> list[set[str]]:
    known = sorted(number for number in numbers if number is not None)
    if len(set(known)) <= _FEW:
        return [{f"={number}"} for number in numbers]
    cuts = [known[len(known) * cut // BINS] for cut in range(1, BINS)]
    return [{"=" if number is None else f"range {sum(number >= cut for cut in cuts)}"} for number in numbers]


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


def _folded(text: str) -> str:
    return normalize("NFC", text).casefold().strip()
