"""From a text to an outcome: the declared words and nothing else.

A text (an answer, or what ``reading`` finds in one) is compared as a whole after ``normalise``. A sentence, a fenced
block, a word that nobody declared is a missing outcome with its spelling shown; what it may have meant is never
guessed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import category, normalize

from fairgate.swap.grid import Kind

SPELLING = 80
"""Characters of an unreadable answer that are shown."""

UNREADABLE = (
    "unreadable_outcome",
    "ambiguous_outcome",
    "negated_outcome",
    "part_of_a_word",
    "no_match",
    "no_json",
    "no_value",
    "not_a_scalar",
    "not_a_number",
    "out_of_range",
    "answer_too_long",
    "pattern_timeout",
)
"""Why no decision could be read out of an answer that came."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_QUOTES = "\"'`“”‘’„‚«»‹›"
_BLANKS = " \t\r\n\u00a0\u200b\ufeff"
_WHOLE = re.compile(r"(\d+)\.0+", re.ASCII)


@dataclass(frozen=True)
class Unreadable:
    """An answer in which no decision was found.

    :param reason: ``empty_answer``, or one of ``UNREADABLE``
    :param spelling: the beginning of the answer as written
    """

    reason: str
    spelling: str


@dataclass(frozen=True)
class Vocabulary:
    """The declared words, normalised."""

    positive: frozenset[str]
    negative: frozenset[str]
    refusal: frozenset[str] = frozenset()

    def kind(self, text: str) -> Kind | None:
        """What a text means as a whole; None for one that nobody declared."""
        plain = normalise(text)
        if plain in self.positive:
            return "positive"
        if plain in self.negative:
            return "negative"
        return "refusal" if plain in self.refusal else None


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


def vocabulary(positive: Sequence[str], negative: Sequence[str], refusal: Sequence[str] = ()) -> Vocabulary:
    """The declared words, ready to compare with.

    :raises ValueError: a word of which normalisation leaves nothing, or one that means two things
    """
    words: dict[str, tuple[str, str]] = {}
    for outcome, declared in (("positive", positive), ("negative", negative), ("refusal", refusal)):
        for word in declared:
            plain = normalise(word)
            if not plain:
                raise ValueError(f"{outcome} word {word!r} is only punctuation or white space; write letters or digits")
            other_outcome, other_word = words.setdefault(plain, (outcome, word))
            if other_outcome != outcome:
                raise ValueError(
                    f"{other_outcome} word {other_word!r} and {outcome} word {word!r} cannot be told apart: case, "
                    f"surrounding punctuation and white space do not count, so both read {plain!r}"
                )
    return Vocabulary(*(frozenset(map(normalise, declared)) for declared in (positive, negative, refusal)))


def unreadable(reason: str, text: str) -> Unreadable:
    """An answer that could not be read, with its beginning."""
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
