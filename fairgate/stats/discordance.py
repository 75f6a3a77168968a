"""McNemar's exact test: whether discordant pairs lean to one side beyond chance.

Sources: McNemar (1947), Psychometrika 12, 153–157, with the binomial distribution in place of its approximation; the
mid-p value after Lancaster (1961), JASA 56, 223–234; several tests after Holm (1979), Scand J Statist 6, 65–70.
"""

from collections.abc import Sequence
from math import comb


def mcnemar(one: int, other: int) -> float:
    """The two-sided p-value of H0: a discordant pair is as likely to go one way as the other.

    :param one: pairs that are discordant one way
    :param other: pairs that are discordant the other way
    :returns: twice the smaller tail of Binomial(one + other, 1/2), at most 1; 1 without a discordant pair
    """
    pairs = one + other
    tail = sum(comb(pairs, events) for events in range(min(one, other) + 1))
    return min(1.0, float(2 * tail / 2**pairs))


def mcnemar_mid_p(one: int, other: int) -> float:
    """The same with half the probability of what was seen: less conservative, and not exact.

    :returns: ``mcnemar(one, other)`` less the probability of ``one`` of ``one + other``; 1 where both are equal
    """
    if one == other:
        return 1.0
    pairs = one + other
    return mcnemar(one, other) - float(comb(pairs, one) / 2**pairs)


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values corrected for being several, in the order given: the probability that any of them is a false alarm.

    The k-th smallest of m is multiplied by m − k + 1; none becomes smaller than one before it, nor more than 1.
    """
    corrected, floor = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        floor = max(floor, min(1.0, p_values[index] * (len(p_values) - rank)))
        corrected[index] = floor
    return corrected
