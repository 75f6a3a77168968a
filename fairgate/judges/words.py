"""What the lexical judge sees of a text: sentences, content words, numbers, negation. By Unicode, for any script.

Words of scripts that write spaces are runs of letters, marks and digits. Scripts without spaces (Chinese, Japanese,
Thai, Khmer …) and Korean, whose words carry their particles, are read as pairs of neighbouring signs: no dictionary is
needed, and a pair is far less likely than a single sign to stand in another text by chance.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import groupby

from fairgate.judges.phrases import (
    ABBREVIATIONS,
    NEGATING_SIGNS,
    NEGATIONS,
    NO_NEGATION,
    PERCENT,
    SCALES,
    STOP_SIGNS,
    STOP_WORDS,
)

Number = tuple[Decimal, bool]
"""A value, and whether it is a percentage."""


@dataclass(frozen=True)
class Content:
    """What a text says, as far as words show it.

    :param words: content words, folded; pairs of signs for scripts without spaces
    :param numbers: for each number, the values that it can mean (``1.500`` is 1500 or 1.5)
    :param negated: whether something in it is negated
    """

    words: frozenset[str]
    numbers: tuple[frozenset[Number], ...]
    negated: bool


@lru_cache(maxsize=4096)
def content(text: str) -> Content:
    """Words, numbers and negation of a text."""
    folded = fold(text)
    return Content(frozenset(_content_words(_NUMBER.sub(" ", folded))), tuple(_numbers(folded)), negated(folded))


def fold(text: str) -> str:
    """One spelling for what looks the same: NFKC, casefold, plain apostrophes, no blanks inside numbers."""
    text = re.sub(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3})", "", text)
    text = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    text = re.sub(r"(?<!\d)\d{1,3}(?: \d{3}){2,}(?!\d)", lambda match: match[0].replace(" ", ""), text)
    return re.sub(r"n't\b", " not", re.sub(r"\bcan(?:not|'t)\b", "can not", text))


# --- words -----------------------------------------------------------------------------------------------------------

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)


def _content_words(folded: str) -> Iterator[str]:
    for run in _runs(re.sub(r"'s\b", "", folded)):
        if _UNSPACED.match(run):
            yield from _pairs(run)
        elif run not in STOP_WORDS and run not in NEGATIONS and len(run) > 1:
            yield _stem(run)


def _runs(text: str) -> Iterator[str]:
    """Runs of letters, marks and digits, cut where a script with spaces meets one without."""
    for kind, run in groupby(text, key=_kind):
        if kind:
            yield "".join(run)


def _kind(char: str) -> int:
    """0: no part of a word, 1: of a word, 2: of a run of signs without spaces."""
    if unicodedata.category(char)[0] not in "LMN":
        return 0
    return 2 if _UNSPACED.match(char) else 1


def _pairs(run: str) -> Iterator[str]:
    """Neighbouring signs of a run, cut at the signs that only join; a sign that stands alone is one by itself."""
    for joins, part in groupby(run, key=STOP_SIGNS.__contains__):
        signs = "".join(part)
        if joins:
            continue
        if len(signs) == 1:
            yield signs
        yield from (signs[at : at + 2] for at in range(len(signs) - 1))


def _stem(word: str) -> str:
    """The word without the commonest endings of English: ``prices``, ``priced`` and ``price`` are one word here. Words
    with a letter outside ASCII are left alone."""
    if not word.isascii():
        return word
    for ending in ("ing", "ed", "es", "s", "ly", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


# --- numbers ---------------------------------------------------------------------------------------------------------

_SCALES = "|".join(word if _UNSPACED.match(word) else rf"{word}(?![^\W\d_])" for word in SCALES)
_NUMBER = re.compile(
    r"(?P<before>百分之\s*)?(?P<digits>\d+(?:[.,']\d+)*)"
    rf"(?:\s*(?P<scale>{_SCALES})(?![克米瓦]))?(?:\s*(?P<percent>{'|'.join(PERCENT)}))?"
)
_GROUPED = re.compile(r"\d{1,3}(?:([.,'])\d{3})(?:\1\d{3})*")


def _numbers(folded: str) -> Iterator[frozenset[Number]]:
    for match in _NUMBER.finditer(folded):
        scale = Decimal(10) ** SCALES.get(match["scale"], 0)
        is_percent = bool(match["percent"] or match["before"])
        for readings in decimals(match["digits"]):
            yield frozenset((Decimal(digits) * scale, is_percent) for digits in readings)


def decimals(text: str) -> list[set[str]]:
    """The numbers in digits with points, commas or apostrophes; for each one, the plain decimals that it can mean.

    Groups of three are thousands; a single one (``1,500``) may be a fraction as well. What is neither is a date, a
    version or a list: each of its parts is a number.

    >>> decimals("1.000.000"), decimals("3,5"), decimals("1.234,50"), decimals("05.01.2026")
    ([{'1000000'}], [{'3.5'}], [{'1234.50'}], [{'05'}, {'01'}, {'2026'}])
    """
    head, mark, tail = _last_mark(text)
    plain = re.sub("[.,']", "", text)
    grouped = _GROUPED.fullmatch(text) is not None and not text.startswith("0")
    if not mark or (grouped and plain != head + tail):
        return [{plain}]
    if plain == head + tail and mark != "'":
        return [{f"{head}.{tail}", plain} if grouped else {f"{head}.{tail}"}]
    if plain == head + tail and grouped:
        return [{plain}]
    if _GROUPED.fullmatch(head) and mark not in head:
        return [{re.sub("[.,']", "", head) + "." + tail}]
    return [{part} for part in re.split("[.,']", text)]


def _last_mark(text: str) -> tuple[str, str, str]:
    """What stands before the last point, comma or apostrophe, the mark, and what stands behind it."""
    at = max(text.rfind(mark) for mark in ".,'")
    return ("", "", text) if at < 0 else (text[:at], text[at], text[at + 1 :])


def has_numbers(numbers: tuple[frozenset[Number], ...], there: tuple[frozenset[Number], ...]) -> bool:
    """Whether every number occurs, in one of its readings, among the numbers there."""
    known = frozenset(value for readings in there for value in readings)
    return all(readings & known for readings in numbers)


# --- negation --------------------------------------------------------------------------------------------------------


def negated(folded: str) -> bool:
    """Whether a folded text negates something; compounds that only look like it (不过, hàng không) do not count."""
    rest = NO_NEGATION.sub(" ", folded)
    return NEGATING_SIGNS.search(rest) is not None or any(run in NEGATIONS for run in _runs(rest))


# --- sentences -------------------------------------------------------------------------------------------------------

_END = re.compile(
    r"[。！？｡؟۔।॥።…!?]+[\"'”’»)\]】』」）]*"  # ends wherever it stands
    r"|\.+[\"'”’»)\]]*(?=\s|$)"  # a full stop only before a blank
    r"|\s*\n\s*"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, each word for word as it stands there.

    A full stop inside a number, an address or an abbreviation ends none; a line break ends one unless the next line
    goes on in lower case.
    """
    found, start = [], 0
    for match in _END.finditer(text):
        if _goes_on(text, start, match):
            continue
        found.append(text[start : match.end()].strip())
        start = match.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if any(_kind(char) for char in sentence)]


def _goes_on(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether the sentence goes on behind what looks like its end."""
    after = text[match.end() :].lstrip()[:1]
    if "\n" in match[0]:
        return after.islower() and match[0].count("\n") == 1
    if match[0].strip("."):
        return False
    before = text[start : match.start()].split()
    last = before[-1].casefold().lstrip("(\"'“‘[") if before else ""
    initials = last.replace(".", "").isalpha() and (len(last) == 1 or "." in last)
    if last in ABBREVIATIONS or initials:
        return bool(after)
    return last.isdigit() and len(before) == 1  # the number of an item in a list
