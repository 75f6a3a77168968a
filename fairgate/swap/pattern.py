"""Regular expressions over answers: what they find, in bounded time.

An answer comes from a model and may be made to be slow to search, so every search has a time limit. An answer that
could not be searched is missing, never half read. The limit is of each answer and not of all together: what is read in
one must not depend on the others.

``regex`` is used in place of ``re``, which knows no time limit, for patterns in the syntax of ``re``. (RE2 needs none,
but its ``\\w`` and ``\\b`` are ASCII: of DUYỆT they see DUY.)
"""

import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from time import process_time
from typing import Any

from fairgate.swap.negation import NEAR

SECONDS = 0.25
"""How long the search of one answer may take, in the time of this process alone, so that a busy machine searches no
less. 200,000 characters take a few thousandths of a second."""

ALL_SECONDS = 1.0
"""How long all texts of one answer may take together, reading them out of it included."""

LONGEST = 10_000
"""Characters of a pattern."""

MOST_REPEATS = 100_000
"""All counted repetitions of a pattern multiplied, as if they stood in each other: to compile it takes as long."""

AROUND = 32
"""Characters that are kept of what stands on each side of a finding."""

_COUNTED = re.compile(r"\{(\d*),?(\d*)\}", re.ASCII)

_OF_REGEX_ALONE = re.compile(r"(?<!\\)\{(?:\d+\s*<=?\s*)?\d*[dies](?:[<+,:=][^{}\"']*)?\}|\[:\^?\w+:\]", re.ASCII)
"""What compiles in both and means more to ``regex``: fuzzy matches (``{e<=1}``), classes (``[[:alpha:]]``)."""

_NAMED_OTHERWISE = re.compile(r"\(\?<[^\W\d]")

NAMED = "outcome"
"""The group that is meant, where there are several."""


class TooSlow(Exception):
    """A search ran into its time limit."""


@dataclass(frozen=True)
class Found:
    """What a pattern found once.

    :param text: of its group, or of the whole match; empty when the group took no part
    :param before: what stands directly before it in the answer, empty where the match itself covers that
    :param after: what stands directly behind it
    :param leading: what stands before it in the answer, whether the match covers that or not
    """

    text: str
    before: str
    after: str
    leading: str = ""


class Pattern:
    """A compiled pattern."""

    def __init__(self, text: str, *, captures: bool = True) -> None:
        """
        :param captures: whether it finds a text, so that it must be clear which
        :raises ValueError: with a sentence about what is wrong with it
        """
        import regex  # noqa: PLC0415 - 40 ms, and most suites have no pattern

        if len(text) > LONGEST or _repeats(text) > MOST_REPEATS:
            raise ValueError(f"{_quoted(text)} is too large for a regular expression: repeat less, or write + or *")
        _check_syntax(text)
        try:
            self._compiled = regex.compile(text)
            matches_nothing = self._compiled.search("", timeout=SECONDS) is not None
        except regex.error as error:
            raise ValueError(f"{_quoted(text)} is no regular expression: {error}") from None
        except (OverflowError, RecursionError, MemoryError, TimeoutError):
            raise ValueError(f"{_quoted(text)} is too large for a regular expression") from None
        self._group: int | str = NAMED if NAMED in self._compiled.groupindex else min(self._compiled.groups, 1)
        if captures and self._compiled.groups > 1 and self._group != NAMED:
            raise ValueError(
                f"{_quoted(text)} has {self._compiled.groups} groups, expected one: name the one that is meant "
                f"(?P<{NAMED}>…), or begin the others with ?:"
            )
        if matches_nothing:
            raise ValueError(f"{_quoted(text)} matches an empty answer, so it finds something everywhere")

    def findings(self, answer: str) -> Iterator[Found]:
        """Every match, from left to right.

        :raises TooSlow: the search took too long
        """
        for match in self._matches(answer):
            start, end = match.span(self._group)
            if start < 0:
                yield Found("", "", "")
            else:
                before = answer[max(0, start - AROUND) : start] if start == match.start() else ""
                after = answer[end : end + AROUND] if end == match.end() else ""
                yield Found(answer[start:end], before, after, answer[max(0, start - NEAR) : start])

    def is_in(self, answer: str) -> bool:
        """Whether it matches anywhere.

        :raises TooSlow: the search took too long
        """
        return next(self._matches(answer), None) is not None

    def is_in_any(self, texts: Iterable[str]) -> bool:
        """Whether it matches in one of the texts of an answer.

        :raises TooSlow: the searches took too long together
        """
        begun = process_time()
        for text in texts:
            if self.is_in(text):
                return True
            if process_time() - begun > ALL_SECONDS:
                raise TooSlow
        return False

    def _matches(self, answer: str) -> Iterator[Any]:
        try:
            yield from self._compiled.finditer(answer, timeout=SECONDS)
        except TimeoutError:
            raise TooSlow from None


def _check_syntax(text: str) -> None:
    """Only what is the syntax of ``re`` too: ``regex`` knows patterns that call themselves, and others by which more
    than what is written is found.

    :raises ValueError: with a sentence about what is wrong with it
    """
    other = _OF_REGEX_ALONE.search(text)
    if other is not None:
        raise ValueError(f"{_quoted(text)} holds {other[0]!r}, which Python's re does not know as what it looks like")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(text)
    except re.error as error:
        hint = "; a group is named as in (?P<name>…)" if _NAMED_OTHERWISE.search(text) else ""
        raise ValueError(f"{_quoted(text)} is no regular expression: {error}{hint}") from None
    except (OverflowError, RecursionError, MemoryError):
        raise ValueError(f"{_quoted(text)} is too large for a regular expression") from None


def _repeats(text: str) -> int:
    """How often a part of the pattern is repeated at most, were all its counts nested."""
    counts = [max(int(number[:9] or 1) for number in found.groups()) for found in _COUNTED.finditer(text)]
    return prod(max(count, 1) for count in counts)


def _quoted(pattern: str) -> str:
    return repr(pattern if len(pattern) <= 80 else pattern[:80] + "…")
