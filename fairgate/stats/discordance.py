"""McNemar's exact test: whether discordant pairs lean to one side beyond chance.

Source: McNemar (1947), Psychometrika 12, 153–157, with the binomial distribution in place of its approximation.
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
