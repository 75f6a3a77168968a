"""Clopper–Pearson bounds of a proportion, and the sample sizes that follow from them.

Source: Clopper & Pearson (1934), Biometrika 26, 404–413, in its beta-quantile form.
"""

from math import ceil, log

from scipy.special import betaincinv


def lower_bound(events: float, cases: float, tail: float) -> float:
    """The exact lower confidence bound of a proportion.

    :param events: observed events, 0 ≤ events ≤ cases
    :param cases: all expected cases
    :param tail: error probability of this one side, 0 < tail < 1
    :returns: Beta(tail; events, cases − events + 1); 0 when there are no events or no cases
    """
    if events <= 0:
        return 0.0
    return float(betaincinv(events, cases - events + 1, tail))


def upper_bound(events: float, cases: float, tail: float) -> float:
    """The exact upper confidence bound of a proportion; count missing cases into ``events`` for their worst.

    :returns: Beta(1 − tail; events + 1, cases − events); 1 when every case is an event or there is no case
    """
    if events >= cases:
        return 1.0
    return float(betaincinv(events + 1, cases - events, 1 - tail))


def cases_to_stay_below(limit: float, tail: float) -> int | None:
    """How many cases without a single event are needed before the upper bound is within ``limit``.

    (1 − limit)^n ≤ tail, so n = ⌈ln tail / ln(1 − limit)⌉; None where no number suffices (a limit of 0).
    """
    if limit <= 0:
        return None
    if limit >= 1:
        return 0
    cases = ceil(log(tail) / log(1 - limit))
    return cases if upper_bound(0, cases, tail) <= limit else cases + 1
