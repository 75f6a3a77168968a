"""How many cases it takes: searches over the size of a suite."""

from collections.abc import Callable

MOST = 10_000_000
"""Nobody collects more cases than this; a search that gets here says that no number suffices."""


def cases_needed(suffices: Callable[[int], bool], start: int) -> int | None:
    """The smallest number of cases, at least ``start``, that suffices.

    :param suffices: true from some number of cases on (more evidence never hurts)
    :param start: where to begin, ≥ 0
    :returns: the number; None when not even ``MOST`` cases suffice
    """
    if suffices(start):
        return start
    below, above = start, max(2 * start, 1)
    while not suffices(above):
        if above >= MOST:
            return None
        below, above = above, min(2 * above, MOST)
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if suffices(middle) else (middle, above)
    return above
