"""How numbers and groups are written for people, everywhere the same."""

from collections.abc import Mapping


def percent(rate: float | None, digits: int = 1) -> str:
    """A rate in [0, 1] as per cent: 0.155 → ``15.5 %``; ``–`` for a rate that does not exist.

    Never rounds onto a bound that was not reached: 0.9999 reads ``> 99.9 %`` and 0.0001 ``< 0.1 %``.
    """
    if rate is None:
        return "–"
    step = 10.0**-digits
    value = rate * 100
    if 0 < value < step / 2:
        return f"< {step:.{digits}f} %"
    if 100 - step / 2 < value < 100:
        return f"> {100 - step:.{digits}f} %"
    text = f"{value:.{digits}f}"
    return f"{text.removesuffix('.' + '0' * digits)} %"


def points(difference: float | None, digits: int = 1) -> str:
    """A difference of two rates in percentage points: 0.155 → ``15.5 points``."""
    if difference is None:
        return "–"
    text = f"{difference * 100:.{digits}f}".removesuffix("." + "0" * digits)
    return f"{text} point{'' if text == '1' else 's'}"


def count(number: int) -> str:
    """A count with thin grouping: 12345 → ``12,345``."""
    return f"{number:,}"


def plural(number: int, one: str, many: str) -> str:
    """``1 case``, ``2 cases``: the count and the right word."""
    return f"{count(number)} {one if number == 1 else many}"


def group(levels: Mapping[str, str]) -> str:
    """A group as people read it: ``female`` or ``female × under_30``."""
    return " × ".join(levels.values())
