"""Over many seeds of a screener with known bias and noise: the estimate is unbiased, the bounds cover at their level.

``benchmarks/swap_noise.py`` prints the same for many more seeds.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binom

from fairgate.swap.noise import measure


@pytest.fixture(scope="module")
def bench(repository: Path) -> Iterator[Any]:
    sys.path.insert(0, str(repository / "benchmarks"))
    try:
        import swap_noise

        yield swap_noise
    finally:
        sys.path.remove(str(repository / "benchmarks"))


@pytest.mark.parametrize(("design", "cases", "seeds"), [(0, 40, 30), (1, 60, 150), (2, 60, 150)])
@pytest.mark.parametrize("screener", ["noisy, fair", "noisy, biased"])
def test_unbiased_and_covering(bench: Any, screener: str, design: int, cases: int, seeds: int) -> None:
    found = bench.calibrate(bench.SCREENERS[screener], bench.DESIGNS[design], cases, seeds)
    bias, error = found.bias
    assert abs(bias) < 3.5 * error
    most = binom.ppf(0.999, seeds, bench.TAIL)  # were each bound to miss as often as it may
    for wrong in (found.wrong_fail, found.wrong_pass):
        assert wrong <= most


def test_noise_flips_cases_and_is_no_excess(bench: Any) -> None:
    found = bench.calibrate(bench.SCREENERS["noisy, fair"], bench.DESIGNS[1], 60, 100)
    assert found.flips == pytest.approx(1 - 0.9**4 - 0.1**4, abs=0.02)
    assert abs(found.bias[0]) < 0.02


def test_a_control_on_a_fixed_variant_would_hide_bias(bench: Any) -> None:
    """The draw matters: were the steadier people always asked again, noise would pass for bias, and the other way
    round. Here a screener is steady for the first level and noisy for the second."""

    class Uneven(bench.Screener):  # type: ignore[misc, name-defined]
        def probability(self, score: float, group: list[int]) -> float:
            return 0.5 if any(group) else 1.0

    uneven, design = Uneven((0, 0), 0), bench.DESIGNS[0]
    drawn, fixed = [], []
    for seed in range(60):
        grid, control = bench.run(uneven, design, 60, seed)
        drawn.append(measure(grid, control).excess.estimate)
        first = [one for one in control.bases if one.cell == 0]
        bases = tuple(base for base, one in zip(grid.bases, control.bases, strict=True) if one.cell == 0)
        steady = measure(type(grid)(grid.axes, bases), type(control)(tuple(first), control.repeats))
        fixed.append(steady.excess.estimate)
    assert sum(drawn) / 60 == pytest.approx(0.25, abs=0.03)  # (1 − ½)²
    assert sum(fixed) / 60 == pytest.approx(0.5, abs=0.03)
