"""From an answer to an outcome: the declared words and nothing else.

An answer is compared as a whole after ``normalise``. A sentence, a fenced block, a word that nobody declared is a
missing outcome with its spelling shown; what it may have meant is never guessed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from unicodedata import category, normalize

OutcomeName = Literal["positive", "negative"]

SPELLING = 80
"""Characters of an unreadable answer that are shown."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_QUOTES = "\"'`“”‘’„‚«»‹›"
_BLANKS = " \t\r\n\u00a0\u200b\ufeff"
_WHOLE = re.compile(r"(\d+)\.0+", re.ASCII)


@dataclass(frozen=True)
class Unreadable:
    """An answer in which no declared word was found.

    :param reason: ``unreadable_outcome`` or ``empty_answer``
    :param spelling: the beginning of the answer as written
    """

    reason: str
    spelling: str


@dataclass(frozen=True)
class Vocabulary:
    """The declared words, normalised."""

    positive: frozenset[str]
    negative: frozenset[str]


def normalise(text: str) -> str:
    """The form in which answers and declared words are compared.

    Unicode form NFC; white space, punctuation and control characters off both ends (categories P, Z, C, and Sk for
    the backtick); case folded; white space inside folded to one blank; ``1.0`` read as ``1``. Around a number only
    blanks, quotes and a full stop come off: ``-1``, ``(1)`` and ``1 %`` are not ``1``. Other symbols
    stay too: what a cross or a negation sign before a word means is not ours to decide.
    """
    composed = normalize("NFC", text)
    start, end = 0, len(composed)
    while start < end and _around(composed[start]):
        start += 1
    while end > start and _around(composed[end - 1]):
        end -= 1
    if _NUMBER.fullmatch(composed[start:end]) and not _only_quotes(composed[:start], composed[end:]):
        start, end = 0, len(composed)
    folded = " ".join(normalize("NFC", composed[start:end].casefold()).split())
    whole = _WHOLE.fullmatch(folded)
    return whole[1] if whole else folded


def vocabulary(positive: Sequence[str], negative: Sequence[str]) -> Vocabulary:
    """The declared words, ready to compare with.

    :raises ValueError: a word of which normalisation leaves nothing, or one that means both outcomes
    """
    words: dict[str, tuple[str, str]] = {}
    for outcome, declared in (("positive", positive), ("negative", negative)):
        for word in declared:
            plain = normalise(word)
            if not plain:
                raise ValueError(f"{outcome} word {word!r} is only punctuation or white space; write letters or digits")
            other_outcome, other_word = words.setdefault(plain, (outcome, word))
            if other_outcome != outcome:
                raise ValueError(
                    f"positive word {other_word!r} and negative word {word!r} cannot be told apart: case, surrounding "
                    f"punctuation and white space do not count, so both read {plain!r}"
                )
    return Vocabulary(frozenset(map(normalise, positive)), frozenset(map(normalise, negative)))


def read_outcome(text: str, words: Vocabulary) -> OutcomeName | Unreadable:
    """What was decided, if the answer is one of the declared words."""
    plain = normalise(text)
    if plain in words.positive:
        return "positive"
    if plain in words.negative:
        return "negative"
    reason = "unreadable_outcome" if text.strip() else "empty_answer"
    return Unreadable(reason, spelling(text))


def spelling(text: str) -> str:
    """The beginning of an answer on one line, for the list of unreadable spellings."""
    line = " ".join(text.split())
    return line if len(line) <= SPELLING else line[:SPELLING] + "…"


def _only_quotes(before: str, after: str) -> bool:
    return not before.strip(_QUOTES + _BLANKS) and not after.strip(_QUOTES + _BLANKS + "。.")


def _around(character: str) -> bool:
    kind = category(character)
    return kind[0] in "PZC" or kind == "Sk"
