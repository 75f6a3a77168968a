"""Columns of text, read as what they are meant to be: groups, decisions, probabilities.

A label or a decision that is neither 0 nor 1 refuses the whole file: reading around it would be guessing. Groups are
compared as text, never trimmed, so that an odd spelling is seen and not quietly dropped or merged.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal
from unicodedata import normalize

from fairgate.golden.header import nearest
from fairgate.golden.problems import quoted

BLANK, UNREADABLE, WRONG = 2, 3, 4
"""What a label or a prediction can mean besides 0 and 1: nothing, evidence that is missing, a file that is refused."""

_WHOLE = re.compile(r"(-?[0-9]+)\.0+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_SPELLINGS_SHOWN = 10

NOTHING = {"na", "n/a", "nan", "null", "none", "nil", "missing", "unknown"}
"""Words that people write for nothing: to call one of them 1 or 0 would make a decision out of a missing one."""


def has_decimal_commas(delimiter: str | None) -> bool:
    """Whether a comma can be a decimal sign: where commas do not part the cells of a CSV file."""
    return delimiter not in (None, ",")


def whole(text: str, commas: bool) -> str:
    """A whole number that some program wrote as ``1.0`` (or ``1,0``), without its zeros; any other text as it is.

    >>> whole("1.0", False), whole("1,0", True), whole("1,0", False), whole("010", False), whole("1.10", False)
    ('1', '1', '1,0', '010', '1.10')
    """
    found = _WHOLE.fullmatch(text.replace(",", ".") if commas else text)
    return found[1] if found else text


@dataclass(frozen=True)
class Attribute:
    """What the spellings of an attribute mean.

    :param declared: its groups; empty where every spelling is a group
    """

    declared: Sequence[str]
    _exact: Mapping[str, str] = field(init=False)
    _whole: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        """The groups by their form NFC, and by the whole number that they write."""
        object.__setattr__(self, "_exact", {normalize("NFC", group): group for group in self.declared})
        wholes = {whole(normalize("NFC", group), False): group for group in reversed(self.declared)}
        object.__setattr__(self, "_whole", wholes)

    def meaning(self, spelling: str, commas: bool) -> str | None:
        """The declared group that a cell means, else the cell itself; None when it is empty.

        Equal is what is equal in NFC, and a whole number with or without a ``.0`` behind it.
        """
        if not spelling:
            return None
        text = normalize("NFC", spelling)
        return self._exact.get(text) or self._whole.get(whole(text, commas)) or spelling


@dataclass(frozen=True)
class Binary:
    """What the spellings of a label or a prediction mean.

    :param column: its name
    :param words: the words for 0 and 1 that were declared, in NFC
    """

    role: Literal["label", "prediction"]
    column: str
    words: Mapping[str, int] = field(default_factory=dict)

    def meaning(self, spelling: str, commas: bool) -> int:
        """0, 1, ``BLANK``, ``UNREADABLE`` (a prediction in other words than the declared ones) or ``WRONG``."""
        text = normalize("NFC", spelling)
        if text in self.words:
            return self.words[text]
        if (number := whole(text, commas)) in self.words:  # 2.0, as tables with blanks write a 2
            return self.words[number]
        if not self._redefines_numbers and (number := whole(text, commas)) in ("0", "1"):
            return int(number)
        if self.role == "label":
            return WRONG
        if not text:
            return BLANK
        return UNREADABLE if self.words else WRONG

    @property
    def _redefines_numbers(self) -> bool:
        return "0" in self.words or "1" in self.words

    def refusal(self, spelling: str) -> str:
        """Why a spelling refuses the file."""
        numbers = () if self._redefines_numbers else ("0", "1")
        expected = [*numbers, *map(repr, self.words), *(["blank"] if self.role == "prediction" else [])]
        wanted = f"{', '.join(expected[:-1])} or {expected[-1]}"
        return f"{self.role} {quoted(spelling)} is not {wanted}{self._hint(spelling)}"

    def _hint(self, spelling: str) -> str:
        text = normalize("NFC", spelling)
        if text == normalize("NFC", self.column):
            return "; the header stands here a second time, remove this line"
        if text.strip().casefold() in NOTHING:
            return "; where nothing was decided leave the cell empty"
        if self.words:
            return nearest(text, self.words)
        if text.strip() != text and text.strip() in ("0", "1"):
            return "; remove the blanks around it"
        folded = normalize("NFKC", text)
        if folded != text and folded in ("0", "1"):
            return f"; it is another form of the digit, write {folded}"
        return ""


def seen(counts: Counter[str]) -> str:
    """Spellings and how often each was seen, the most frequent first: ``'1' (7 times), 'yes' (once)``."""
    common = counts.most_common()
    shown = [f"{quoted(text)} ({'once' if n == 1 else f'{n} times'})" for text, n in common[:_SPELLINGS_SHOWN]]
    more = len(common) - len(shown)
    return ", ".join(shown) + (f" and {more} other values" if more > 0 else "")


def probability(text: str, commas: bool) -> float | None:
    """A number in [0, 1], None for everything else. Where commas do not part the cells, one may be the decimal sign."""
    if commas and "." not in text:
        text = text.replace(",", ".", 1)
    value = float(text) if _NUMBER.fullmatch(text) else -1.0
    return value if 0 <= value <= 1 else None
