"""How numbers and groups are written for people, everywhere the same."""

from collections.abc import Mapping

MISSING = "–"
"""Stands for a number that does not exist."""

_MOST_DIGITS = 6


def percent(rate: float | None, digits: int = 1, beside: float | None = None) -> str:
    """A rate in [0, 1] as per cent: 0.155 → ``15.5 %``; ``–`` for a rate that does not exist.

    Never rounds onto a bound that was not reached: 0.9999 reads ``> 99.9 %`` and 0.0001 ``< 0.1 %``.

    :param beside: a limit that stands next to it: the rate gets the digits that keep the two apart
    """
    return MISSING if rate is None else f"{_number(rate, digits, beside)} %"


def points(difference: float | None, digits: int = 1, beside: float | None = None) -> str:
    """A difference of two rates in percentage points: 0.155 → ``15.5 points``; rounded as ``percent`` is."""
    if difference is None:
        return MISSING
    text = _number(difference, digits, beside)
    return f"{text} point{'' if text == '1' else 's'}"


def interval(ends: tuple[float, float], digits: int = 1, beside: float | None = None) -> str:
    """The two ends of an interval in hundredths, without their unit: (0.114, 0.203) → ``11.4 to 20.3``."""
    lower, upper = ends
    return f"{_number(lower, digits, beside)} to {_number(upper, digits, beside)}"


def score(value: float | None, digits: int = 2, beside: float | None = None) -> str:
    """A score in [0, 1] as people write it: 0.5833 → ``.58``, 1.0 → ``1``; ``–`` for a score that does not exist.

    Rounded as ``percent`` is: 0.999 reads ``> .99``, and .8496 beside a limit of .85 reads ``.8496``.
    """
    if value is None:
        return MISSING
    while beside is not None and value != beside and digits < _MOST_DIGITS and _same_score(value, beside, digits):
        digits += 1
    return _score(value, digits)


def p_value(value: float) -> str:
    """A p-value, everywhere with four digits: 0.0703125 → ``.0703``, 0.00004 → ``< .0001``; 1 → ``1``."""
    if value >= 1:
        return "1"
    if value > 0.9999:
        return "> .9999"
    return "< .0001" if value < 0.0001 else f"{value:.4f}".removeprefix("0")


def p_equals(value: float) -> str:
    """The same behind a p: ``= .0703``, ``< .0001``."""
    text = p_value(value)
    return text if text[0] in "<>" else f"= {text}"


def units(value: float, scale: tuple[float, float]) -> str:
    """A score or a difference of scores in their own units, with the digits that their range calls for: 2.1 of 100."""
    width = scale[1] - scale[0]
    digits = next(number for number in range(1, 12) if width * 10**number >= 1000 or number == 11)
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def figure(value: float) -> str:
    """A number as somebody would write it into a file: 90.0 → ``90``, 0.25 → ``0.25``; six digits after the point."""
    text = f"{value:.6f}".rstrip("0").removesuffix(".")
    return "0" if text == "-0" else text


def count(number: int) -> str:
    """A count with grouped thousands: 12345 → ``12,345``."""
    return f"{number:,}"


def plural(number: int, one: str, many: str) -> str:
    """``1 case``, ``2 cases``: the count and the right word."""
    return f"{count(number)} {one if number == 1 else many}"


def group(levels: Mapping[str, str]) -> str:
    """A group as people read it: ``female`` or ``female × under_30``."""
    return " × ".join(levels.values())


def _number(rate: float, digits: int, beside: float | None) -> str:
    """A rate in hundredths with as few digits as keep it apart from the limit beside it."""
    while beside is not None and rate != beside and digits < _MOST_DIGITS and _same(rate, beside, digits):
        digits += 1
    return _rounded(rate * 100, digits)


def _same_score(value: float, other: float, digits: int) -> bool:
    return _score(value, digits) == _score(other, digits)


def _score(value: float, digits: int) -> str:
    if value in (0, 1):
        return f"{value:.0f}"
    step = 10.0**-digits
    if 0 < value < step / 2:
        return f"< {step:.{digits}f}".replace("0.", ".", 1)
    if 1 - step / 2 < value < 1:
        return f"> {1 - step:.{digits}f}".replace("0.", ".", 1)
    return f"{value:.{digits}f}".removeprefix("0")


def _same(rate: float, other: float, digits: int) -> bool:
    return _rounded(rate * 100, digits) == _rounded(other * 100, digits)


def _rounded(value: float, digits: int) -> str:
    step = 10.0**-digits
    if 0 < value < step / 2:
        return f"< {step:.{digits}f}"
    if 100 - step / 2 < value < 100:
        return f"> {100 - step:.{digits}f}"
    text = f"{value:.{digits}f}"
    short = text.rstrip("0").removesuffix(".") if digits else text
    return "0" if short == "-0" else short
