"""From a test to a confidence bound: the smallest limit that is rejected."""

from collections.abc import Callable

_SMALL = 1000


def smallest(  # noqa: PLR0913 - two tests, a range, a place to start: none follows from another
    seems: Callable[[float], bool],
    rejected: Callable[[float], bool],
    low: float,
    high: float,
    *,
    guess: float,
    spread: float,
    cases: int,
) -> float:
    """About the smallest value in [low, high] that is rejected, itself rejected.

    The quick test finds the place, the full one confirms it.

    :param seems: a quick test, true wherever ``rejected`` is
    :param rejected: the test whose bound this is: false up to some value and true from there on
    :param guess: where that value may be
    :param spread: how far off the guess may easily be, > 0
    :param cases: of both samples: up to a thousand the result is about a hundredth of ``spread`` too large, with more a
        twentieth, because the full test takes long near the place
    :returns: ``high`` where nothing below it is rejected
    """
    precise = spread / (100 if cases <= _SMALL else 20)
    step = spread
    below = above = min(max(guess, low), high)
    if seems(above):
        while below > low and seems(below):
            below, above, step = max(low, below - step), below, 2 * step
        if below == low and seems(low):
            above = low
    else:
        while above < high and not seems(above):
            below, above, step = above, min(high, above + step), 2 * step
    while above - below > precise / 10:
        middle = (below + above) / 2
        below, above = (below, middle) if seems(middle) else (middle, above)
    step = precise
    above = min(high, above + step)
    while above < high and not rejected(above):
        above, step = min(high, above + step), 2 * step
    return above
