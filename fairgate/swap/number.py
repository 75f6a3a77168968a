"""Numbers in answers: written in full, with one way to mean them, compared in decimals.

Nothing is guessed: a range, a grouped thousand, a comma where points are declared, an exponent, a fraction, digits of
other scripts are no number here. Full-width digits and signs are the Latin ones in the width of Chinese text and count.
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
_NEAR = 32
"""Characters beside a number that are looked at."""

_SMALL = "¼½¾⅐-⅟↉⁰¹²³⁴-⁹₀-₉"
"""Fractions in one character, and raised or lowered digits."""

_ABOUT = "±≈~∼〜～≤≥"

_B = r"[^\S\n]*"
"""Blanks on one line: what begins the next is another thing."""

_UNIT = rf"(?:{_B}(?:%|(?:points?|pts?|điểm)(?!\w)|[分點点]))?"

_JOINED = (
    r"[-‐-―~∼〜～/⁄∕*×÷:^]",
    r"\.\.+|…",
    r"(?<!\w)(?:x|to|or|of|out of|in|over|through|vs\.?|versus|đến|tới|hoặc|hay|trên|trong)(?!\w)",
    r"[至到或比]",
)
"""What stands between two numbers that are one range, choice, fraction or product."""

_JOINING = rf"{_B}[(（]?(?:{'|'.join(_JOINED)}){_B}[(（]?"

_BEFORE = (
    rf"[\d.,+\-–^⁄∕{_ABOUT}{_SMALL}]",
    r"\d[\u00a0\u202f'’]",  # the rest of a grouped thousand
    rf"[/{_ABOUT}]{_B}",
    rf"\d{_UNIT}{_JOINING}",
    rf"(?<!\w)(?:minus|negative|âm|trừ){_B}",
    rf"between{_B}(?:\d[\d.,]*{_B}and{_B})?",
    r"分之",
    r"[点點]",
)
_AFTER = (
    r"\d|[.,]\d|e[+-]?\d",
    r"(?:[^\S\n]|['’])\d{3}(?!\d)",
    rf"{_B}[+±^⁄∕]",
    rf"{_B}[{_SMALL}]",
    rf"{_UNIT}{_JOINING}\d",
    rf"{_B}(?:hundred|thousand|million|billion|and a half|trăm|nghìn|ngàn|triệu|tỷ|tỉ|rưỡi|chục|[km])(?!\w)",
    rf"{_B}[十百千万萬亿億半成]",
    r"分之|[点點]\d",
)
_CUT_BEFORE = re.compile(rf"(?:{'|'.join(_BEFORE)})\Z", re.IGNORECASE)
_CUT_AFTER = re.compile(rf"(?:{'|'.join(_AFTER)})", re.IGNORECASE)
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
    """Whether a number between the two was cut out of something longer that says another: the 1 of ``1,250``, the 5 of
    ``-5``, the 7 of ``7/10``, ``7 out of 10``, ``7–9``, ``7 đến 9``, ``7到9``, ``7½`` and ``7 triệu``."""
    return bool(
        _CUT_BEFORE.search(before[-_NEAR:].translate(_WIDE)) or _CUT_AFTER.match(after[:_NEAR].translate(_WIDE))
    )


def is_percent(after: str) -> bool:
    """Whether a per cent sign follows."""
    return bool(_PERCENT.search(after[:8].translate(_WIDE)))


def _bounded(number: Decimal) -> Decimal | None:
    return number if abs(number) < MOST else None
