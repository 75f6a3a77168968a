"""Hidden values in a text, however they are spelled there: which stretches of it have to go.

A text is read word by word. What is compared of a word is its letters without case and diacritics (``đ`` is ``d``),
with its diacritics beside them, so that ``NGUYEN``, ``nguyễn``, ``nguy%E1%BB%85n`` and ``nguy\\u1ec5n`` are one word
and ``lần`` is not ``Lan``. The time grows with the length of the text, not with the number of values times that.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple
from unicodedata import normalize
from urllib.parse import unquote

MOST_WORDS = 6
"""Words up to which each word of a value is taken for a part of a name; a longer value is running text."""

RUN = 3
"""Words of running text in a row that are recognised."""

Span = tuple[int, int]
"""Where a stretch of a text begins and ends."""

_FEWEST = 3
"""Characters from which on a value is recognised inside a longer word too, and a word of a name in lower case."""
_JOINED = 6
"""Letters from which on the words of a name are recognised written as one."""
_GROUPED = 4
"""Digits from which on a number is recognised in groups."""
_MARKS = "\u0300-\u036f"
_ESCAPED = r"%[89A-Fa-f][0-9A-Fa-f]|\\u[0-9A-Fa-f]{4}"
_WORD = re.compile(rf"%[0-7][0-9A-Fa-f]|\\[nrtbf](?=\w)|((?:[^\W\d_]|[{_MARKS}]|{_ESCAPED})+|\d+)")
_JSON_ESCAPED = re.compile(r"\\u([0-9A-Fa-f]{4})")
_BETWEEN_DIGITS = r"[\s.,'’/()_-]{0,2}"
_NUMBER = re.compile(r"[+(]*\d[\d\s.,'’/()_-]*")
_HAN_NAME = re.compile(r"[\u3400-\u9fff]{3,4}")


class Folded(NamedTuple):
    """What is compared of a word."""

    letters: str
    marks: str
    lower: bool


class _Word(NamedTuple):
    folded: Folded
    start: int
    end: int


@lru_cache(maxsize=65_536)
def folded(word: str) -> Folded:
    """Letters without case and diacritics; the diacritics sorted, since ``hòa`` and ``hoà`` are one word.

    :param word: it may be written in the escapes of URLs and JSON
    """
    if "%" in word:
        word = unquote(word, errors="replace")
    if "\\" in word:
        word = _JSON_ESCAPED.sub(lambda escape: chr(int(escape[1], 16)), word)
    decomposed = normalize("NFD", word.casefold())
    marks = sorted(char for char in decomposed if "\u0300" <= char <= "\u036f")
    letters = "".join(char for char in decomposed if not "\u0300" <= char <= "\u036f").replace("đ", "d")
    marks += ["đ"] * decomposed.count("đ")
    return Folded(letters, "".join(marks), word == word.lower() and not word.isdecimal())


_ADDRESS = frozenset(
    folded(word).letters for word in re.findall(r"\w+", "anh chị ông bà cô chú bác em mr mrs ms miss dr sir madam")
)
"""Words before a name."""


def _words(text: str) -> Iterator[_Word]:
    for found in _WORD.finditer(text):
        if found[1] is not None:
            yield _Word(folded(found[1]), found.start(), found.end())


@dataclass
class Hidden:
    """The values that must not be seen, ready to be looked for.

    :param names: letters of the single words of names to the diacritics that they may have
    :param lower: those of them with two letters that a value itself writes in lower case
    :param phrases: first word of every value of several words to the letters of all its words
    :param joined: the letters of all words of such a value as one
    :param runs: the letters of ``RUN`` words in a row, of running text
    :param begun: how words of names begin, and in ``ended`` how they end, where a text is cut off
    :param literal: finds what is no matter of words
    """

    names: dict[str, set[str]] = field(default_factory=dict)
    lower: set[str] = field(default_factory=set)
    phrases: dict[str, set[tuple[str, ...]]] = field(default_factory=dict)
    joined: set[str] = field(default_factory=set)
    runs: set[tuple[str, ...]] = field(default_factory=set)
    begun: set[str] = field(default_factory=set)
    ended: set[str] = field(default_factory=set)
    literal: re.Pattern[str] | None = None

    @classmethod
    def of(cls, values: Iterable[Any]) -> "Hidden":
        """Texts and numbers, ready to be looked for."""
        hidden, expressions = cls(), set[str]()
        for value in values:
            text = normalize("NFC", str(value).strip())
            expressions.update(_expressions(value, text))
            words = list(_words(text))
            hidden._add(text, words)
        # The longest first: a part of a name must not hide the whole of it.
        ordered = sorted(expressions, key=len, reverse=True)
        hidden.literal = re.compile("|".join(ordered)) if ordered else None
        return hidden

    def _add(self, text: str, words: Sequence[_Word]) -> None:
        letters = tuple(word.folded.letters for word in words)
        if len(words) > MOST_WORDS:
            self.runs.update(letters[start : start + RUN] for start in range(len(letters) - RUN + 1))
            return
        if len(words) > 1:
            self.phrases.setdefault(letters[0], set()).add(letters)
            if len("".join(letters)) >= _JOINED:
                self.joined.add("".join(letters))
        for word in words:
            if len(word.folded.letters) > 1 and (len(words) > 1 or not text.isdecimal()):
                self._add_name(word)

    def _add_name(self, word: _Word) -> None:
        letters = word.folded.letters
        self.names.setdefault(letters, set()).update((word.folded.marks, ""))
        if word.folded.lower:
            self.lower.add(letters)
        self.begun.update(letters[:end] for end in range(2, len(letters)))
        self.ended.update(letters[start:] for start in range(1, len(letters) - 1))

    def spans(self, text: str) -> list[Span]:
        """The stretches of a text (in NFC) that hold a value or a part of one, in order, none in another."""
        found = [] if self.literal is None else [match.span() for match in self.literal.finditer(text)]
        if self.names or self.phrases or self.runs:
            found += self._worded(text, list(_words(text)))
        return _merged(found)

    @cached_property
    def _beginnings(self) -> set[str]:
        """Words at which something hidden may begin."""
        return {*self.names, *self.joined, *self.phrases, *(run[0] for run in self.runs), *self.begun, *self.ended}

    def _worded(self, text: str, words: Sequence[_Word]) -> Iterator[Span]:
        for number, word in enumerate(words):
            letters = word.folded.letters
            if letters not in self._beginnings:
                continue
            if letters in self.joined or self._is_name(words, number) or self._is_cut_off(text, word):
                yield word.start, word.end
            for phrase in self.phrases.get(letters, ()):
                if _follow(words, number, phrase):
                    yield word.start, words[number + len(phrase) - 1].end
            if self.runs and tuple(one.folded.letters for one in words[number : number + RUN]) in self.runs:
                yield word.start, words[number + RUN - 1].end

    def _is_name(self, words: Sequence[_Word], number: int) -> bool:
        word = words[number]
        letters = word.folded.letters
        if word.folded.marks not in self.names.get(letters, ()):
            return False
        if not word.folded.lower or len(letters) >= _FEWEST or letters in self.lower:
            return True
        before = words[number - 1].folded if number else folded("")
        # Two letters in lower case are an everyday word more often than a name: an applicant, hồ sơ, lý do.
        return before.letters in _ADDRESS

    def _is_cut_off(self, text: str, word: _Word) -> bool:
        """Whether a word is the rest of a name where a text was cut: ``Nguyễn Thị L…``."""
        return (word.folded.letters in self.begun and text.startswith("…", word.end)) or (
            word.folded.letters in self.ended and text.endswith("…", 0, word.start)
        )


def _follow(words: Sequence[_Word], number: int, phrase: Sequence[str]) -> bool:
    there = words[number : number + len(phrase)]
    near = all(after.start - before.end <= _FAR for before, after in pairwise(there))
    return near and [word.folded.letters for word in there] == list(phrase)


_FAR = 8
"""Characters between two words of a name at most."""


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


# --- as it is written ------------------------------------------------------------------------------------------------


def _expressions(value: Any, text: str) -> Iterator[str]:
    """Regular expressions for what is no matter of words: a value inside a longer word, Chinese, numbers in groups."""
    if not text:
        return
    if not isinstance(value, str):
        yield rf"(?<![\d.]){re.escape(text)}(?!\d)"
    digits = re.sub(r"\D", "", text)
    if _NUMBER.fullmatch(text) and len(digits) >= _GROUPED and digits.isascii():
        yield _grouped(digits, whole=isinstance(value, int))
        return
    if isinstance(value, float):
        whole, _, part = text.removeprefix("-").partition(".")
        if part.isdigit():
            yield rf"(?<![\d.,])-?{_grouped_digits(whole)}[.,]{part}0*(?!\d)"
    if not isinstance(value, str):
        return
    forms = {text, *(json.dumps(text, ensure_ascii=flag)[1:-1] for flag in (True, False))}
    if _HAN_NAME.fullmatch(text):
        forms |= {text[-2:]}  # the given name alone
    for form in forms:
        if len(form) >= _FEWEST or not _has_case(form):
            yield f"(?i:{_spaced(form)})"
        elif len(list(_words(form))) != 1 or not form.isalpha():
            yield rf"(?<!\w)(?i:{_spaced(form)})(?!\w)"


def _grouped(digits: str, *, whole: bool) -> str:
    """A number with whatever groups it, and a telephone number with the country in place of its first nought."""
    if digits[0] == "0" and len(digits) >= 9 and not whole:
        return rf"(?<!\d)(?:0|\+?\d{{1,3}}){_BETWEEN_DIGITS}{_grouped_digits(digits[1:])}(?!\d)"
    return rf"(?<!\d)(?<!\d[.,]){_grouped_digits(digits)}(?!\d)"


def _grouped_digits(digits: str) -> str:
    return _BETWEEN_DIGITS.join(digits)


def _spaced(text: str) -> str:
    return r"\s+".join(re.escape(part) for part in text.split())


def _has_case(text: str) -> bool:
    """Whether words are parted by blanks in the script of a text, roughly: Chinese and Thai know no capitals."""
    return text.lower() != text.upper() or text.isdigit()
