"""McNemar's exact test: whether discordant pairs lean to one side beyond chance.

Sources: McNemar (1947), Psychometrika 12, 153–157, with the binomial distribution in place of its approximation; the
mid-p value after Lancaster (1961), JASA 56, 223–234.
"""

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
