"""Holm's correction of several p-values.

Source: Holm (1979), Scandinavian Journal of Statistics 6, 65–70.
"""

from collections.abc import Sequence


def adjusted(values: Sequence[float]) -> list[float]:
    """Each p-value as Holm's step-down has it, in the order given: at most α where the null is rejected at α over all.

    >>> [round(value, 3) for value in adjusted([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    found = [1.0] * len(values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=lambda one: values[one])):
        largest = max(largest, (len(values) - rank) * values[index])
        found[index] = min(1.0, largest)
    return found
