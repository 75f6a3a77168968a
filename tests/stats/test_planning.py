"""The search for the number of cases that suffices."""

import pytest

from fairgate.stats.binomial import upper_bound
from fairgate.stats.planning import cases_needed


@pytest.mark.parametrize(
    ("flips", "limit", "cases"),
    [
        (0, 0.05, 59),
        (1, 0.05, 93),
        (2, 0.05, 124),
        (3, 0.05, 153),
        (5, 0.05, 208),
        (0, 0.02, 149),
        (1, 0.02, 236),
        (2, 0.02, 313),
        (0, 0.01, 299),
        (1, 0.01, 473),
        (2, 0.01, 628),
        (0, 0.10, 29),
        (1, 0.10, 46),
        (2, 0.10, 61),
    ],
)
def test_bases_that_a_flip_limit_needs(flips: int, limit: float, cases: int) -> None:
    assert cases_needed(lambda n: upper_bound(flips, n, 0.05) <= limit, 0) == cases


def test_starts_at_what_is_there_and_gives_up() -> None:
    assert cases_needed(lambda n: n >= 10, 25) == 25
    assert cases_needed(lambda n: n >= 10, 0) == 10
    assert cases_needed(lambda n: False, 7) is None
