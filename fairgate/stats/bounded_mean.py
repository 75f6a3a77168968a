"""Bounds of the mean of values in [0, 1] for any number of them: the mixture bound.

With E(m) = (1/64) Σ_{j=1..64} Π_i [1 + (j/64)(x_i/m − 1)] the lower bound is the m at which E(m) = 1/tail. E is a
nonnegative supermartingale while the mean is at most m, so by Ville's inequality the bound holds at any number of
values. It does not depend on their order and grows with every one of them, which is why a missing value may stand at
its worst: 0 for the lower bound, 1 for the upper.

Source: betting confidence bounds, Waudby-Smith & Ramdas (2024), JRSS B 86, 1–27, with a fixed mixture of 64 bets in
place of predictable ones, which depend on the order of the rows.
"""

from collections.abc import Mapping
from math import log

import numpy as np
import numpy.typing as npt

BETS = 64
_HALVINGS = 60

Distribution = Mapping[float, float]
"""Value in [0, 1]: how often it occurs. A count need not be whole (planning asks for scaled samples)."""

_Array = npt.NDArray[np.float64]


def lower_bound(values: Distribution, tail: float) -> float:
    """The one-sided lower confidence bound of the mean.

    :param values: the values in [0, 1], each with its count; missing ones as 0
    :param tail: error probability of this one side, 0 < tail < 1
    :returns: the m with E(m) = 1/tail, rounded down; 0 when every value is 0 or there is none
    :raises ValueError: when a value is outside [0, 1]
    """
    if any(not 0 <= value <= 1 for value in values):
        raise ValueError("the mixture bound is for values in [0, 1]")
    present = {value: count for value, count in values.items() if count > 0}
    if not any(present):
        return 0.0
    x, counts = np.array(list(present)), np.array(list(present.values()), dtype=float)
    wanted = log(BETS / tail)
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _log_wealth(x, counts, middle) > wanted:
            low = middle
        else:
            high = middle
    return low


def upper_bound(values: Distribution, tail: float) -> float:
    """The one-sided upper confidence bound of the mean: the lower bound of 1 − x, mirrored; missing values as 1."""
    mirrored: dict[float, float] = {}
    for value, count in values.items():
        mirrored[1 - value] = mirrored.get(1 - value, 0.0) + count
    return 1 - lower_bound(mirrored, tail)


def is_at_least(values: Distribution, mean: float, tail: float) -> bool:
    """Whether ``lower_bound(values, tail) >= mean``, by one look at E instead of a search.

    :param mean: in (0, 1)
    """
    present = {value: count for value, count in values.items() if count > 0}
    x, counts = np.array(list(present)), np.array(list(present.values()), dtype=float)
    return bool(present) and _log_wealth(x, counts, mean) >= log(BETS / tail)


def _log_wealth(x: _Array, counts: _Array, mean: float) -> float:
    """log of 64 · E(mean): summed in log space, so that ten thousand values neither overflow nor vanish."""
    bets = np.arange(1, BETS + 1)[:, np.newaxis] / BETS
    with np.errstate(divide="ignore"):  # the full bet on a value of 0 loses everything: log 0
        logs = np.log1p(bets * (x / mean - 1)) @ counts
    peak = float(np.max(logs))
    return peak + log(float(np.sum(np.exp(logs - peak))))
