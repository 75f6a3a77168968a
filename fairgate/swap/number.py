"""Numbers in answers: written in full, with one way to mean them, compared in decimals.

Nothing is guessed: a grouped thousand, a comma where points are declared, an exponent, a fraction, digits of other
scripts are no number here. Full-width digits and signs are the Latin ones in the width of Chinese text and count.
"""

import re
from decimal import Decimal
from math import isfinite
from typing import Any

MOST = Decimal(10) ** 15
"""A score is smaller than that, whatever it measures."""

_LONGEST = 64
"""Characters of a number at most."""

_WIDE = str.maketrans("０１２３４５６７８９．，％＋－−／", "0123456789.,%+--/")
_PLAIN = re.compile(r"[\s\"'“”‘’`]*([+-]?[0-9]+(?:([.,])[0-9]+)?)(\s*%)?[.。]?[\s\"'“”‘’`]*[.。]?\s*")
_BEFORE = re.compile(r"(?:\d|[.,]|[+-]|/\s*)\Z")
_AFTER = re.compile(r"\A(?:\d|[.,]\d|[eE][+-]?\d|\s*/\s*\d)")
_PERCENT = re.compile(r"\A\s*%")


def read_number(text: str, mark: str = ".", *, percent: bool = False) -> Decimal | None:
    """The number that a text is, quotes and a closing full stop aside; None when it is none, or not surely one.

    :param mark: the decimal mark, ``.`` or ``,``
    :param percent: whether a per cent sign is its unit and comes off
    """
    found = _PLAIN.fullmatch(text.translate(_WIDE)) if len(text) <= _LONGEST else None
    if found is None or found[2] not in (None, mark) or (found[3] and not percent):
        return None
    return _bounded(Decimal(found[1].replace(",", ".")))


def json_number(value: Any) -> Decimal | None:
    """A number of JSON: the shortest decimal that is the same double. Truth values are none, nor is what overflows."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not isfinite(value):
        return None
    return _bounded(Decimal(value) if isinstance(value, int) else Decimal(repr(value)))


def is_cut_out(before: str, after: str) -> bool:
    """Whether a number between the two was cut out of a longer one: the 1 of ``1,250``, the 5 of ``-5``, the 7 of
    ``7/10``."""
    return bool(_BEFORE.search(before[-8:].translate(_WIDE)) or _AFTER.search(after[:16].translate(_WIDE)))


def is_percent(after: str) -> bool:
    """Whether a per cent sign follows."""
    return bool(_PERCENT.search(after[:8].translate(_WIDE)))


def _bounded(number: Decimal) -> Decimal | None:
    return number if abs(number) < MOST else None
