"""How many bases the gap between two swapped levels needs, and how often its verdict is wrong.

    python benchmarks/power_paired.py [--quick]

1. Bases for 80 % PASS at a limit of 0.05 when 5 % of the bases flip, as often one way as the other: by the exact paired
   test, by the mixture bound with one pair per base and with two (which flip independently), and as if the variants of
   a base were different cases: Clopper-Pearson intervals of two groups (``method: interval``), at that selection rate.
   The paired test and the independent intervals are enumerated, the mixture bound is simulated.
2. Wrong verdicts of the exact paired test where the gap is the limit, the worst case of either, enumerated over a grid
   of flip rates. Each must stay within alpha.
"""

import argparse
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fairgate.stats import binomial, bounded_mean
from fairgate.stats.paired import boundary

ALPHA, POWER, LIMIT, FLIPS = 0.05, 0.80, 0.05, 0.05
DRAWS = 10_000
Counts = npt.NDArray[np.int64]
Array = npt.NDArray[np.float64]


# --- the exact paired test --------------------------------------------------------------------------------------------


def trinomial(n: int, p_b: float, p_c: float) -> Array:
    """P(b, c), a row for every c and a column for every b, up to where it matters."""
    last_c, last_b = (min(n, int(binom.isf(1e-12, n, p)) + 1) for p in (p_c, p_b))
    c, b = np.arange(last_c + 1)[:, np.newaxis], np.arange(last_b + 1)
    given = min(1.0, p_b / (1 - p_c)) if p_c < 1 else 0.0
    return np.asarray(binom.pmf(c, n, p_c) * binom.pmf(b, np.maximum(n - c, 0), given))


def within(most: Counts, shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """Which (c, b) have b at most the limit of row c."""
    return np.asarray(np.arange(shape[1]) <= most[: shape[0], np.newaxis])


def paired_power(n: int, confirm: bool) -> float:
    """P(PASS): both directions within the limit."""
    mass = trinomial(n, FLIPS / 2, FLIPS / 2)
    most = boundary(n, LIMIT, ALPHA, range(mass.shape[0]) if confirm else range(0))
    passed = within(most, mass.shape)
    return float(np.sum(mass * (passed & passed.T)))


def wrong(n: int, limit: float) -> tuple[float, float, float, float]:
    """The largest P(PASS) and P(FAIL) with a gap of the limit, each with its share of flips.

    PASS by the test at this very margin: looking at looser ones too only takes tables away."""
    to_pass = boundary(n, limit, ALPHA, range(0))
    to_fail = boundary(n, -limit, ALPHA / 2, range(0))  # of (c, b): the difference is beyond
    largest = [(0.0, 0.0), (0.0, 0.0)]
    for p_c in grid(limit):
        p_b = min(1 - p_c, p_c + limit)
        mass = trinomial(n, p_b, p_c)
        passed = within(to_pass, mass.shape) & within(to_pass, mass.T.shape).T
        failed = within(to_fail, mass.T.shape).T | within(to_fail, mass.shape)
        for i, verdict in enumerate((passed, failed)):
            largest[i] = max(largest[i], (float(np.sum(mass * verdict)), p_b + p_c))
    return (*largest[0], *largest[1])


def grid(limit: float) -> Array:
    """Values of p_c, denser where discordant bases are few."""
    return np.asarray((1 - limit) / 2 * np.linspace(0, 1, 60) ** 3)


# --- what it is compared with -----------------------------------------------------------------------------------------


def mixture_power(n: int, pairs: int) -> float:
    """P(PASS) by the mixture bound, simulated: how many bases have each mean difference of their pairs."""
    levels = np.linspace(-1, 1, 2 * pairs + 1)
    chances = np.array([1.0])
    for _ in range(pairs):
        chances = np.convolve(chances, [FLIPS / 2, 1 - FLIPS, FLIPS / 2])
    drawn = np.random.default_rng(8).multinomial(n, chances, DRAWS)
    tables, times = np.unique(drawn, axis=0, return_counts=True)
    least = (1 - LIMIT) / 2  # upper bound of the mean of D <= limit: lower bound of the mean of (1 - D) / 2 >= this
    passed = [
        all(
            bounded_mean.is_above(dict(zip((1 - sign * levels) / 2, table, strict=True)), least, ALPHA)
            for sign in (1, -1)
        )
        for table in tables
    ]
    return float(np.sum(times[np.array(passed)]) / DRAWS)


@cache
def bounds(n: int, tail: float) -> tuple[Array, Array]:
    """Clopper-Pearson bounds of every count."""
    lower = np.array([binomial.lower_bound(x, n, tail) for x in range(n + 1)])
    return lower, 1 - lower[::-1]


def independent_power(n: int, rate: float, tail: float) -> float:
    """P(PASS) by intervals of two groups of n cases each, as ``method: interval`` would have it."""
    lower, upper = bounds(n, tail)
    mass = binom.pmf(np.arange(n + 1), n, rate)
    total = np.concatenate([[0.0], np.cumsum(mass)])
    most = np.searchsorted(upper, LIMIT + lower, side="right")  # x2 below this passes against x1
    least = np.searchsorted(lower, upper - LIMIT, side="left")
    return float(np.sum(mass * np.maximum(total[most] - total[np.minimum(least, most)], 0)))


def smallest(enough: Callable[[int], bool], low: int, high: int) -> int:
    """The number of bases from which on the power is kept: it grows in a zigzag, hence the approach from above."""
    while high - low > 8:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    n = high + 16
    while enough(n - 1):
        n -= 1
    return n


# --- tables -----------------------------------------------------------------------------------------------------------


def bases_needed() -> None:
    """The table of bases."""
    print(f"bases for {POWER:.0%} PASS at a limit of {LIMIT}, {FLIPS:.0%} flips, no bias")
    exact = smallest(lambda n: paired_power(n, confirm=False) >= POWER, 180, 240)
    while paired_power(exact, confirm=True) < POWER:
        exact += 1
    print(f"{'exact paired test':>44} {exact:>6,}", flush=True)
    one = smallest(lambda n: mixture_power(n, 1) >= POWER, 350, 450)
    two = smallest(lambda n: mixture_power(n, 2) >= POWER, 150, 250)
    print(f"{'mixture bound, one pair per base':>44} {one:>6,} (simulated)")
    print(f"{'mixture bound, two pairs per base':>44} {two:>6,} (simulated)")
    for rate in (0.2, 0.5):
        n = smallest(lambda n: independent_power(n, rate, ALPHA / 4) >= POWER, 2_300, 4_300)  # noqa: B023
        label = f"intervals, were variants independent, rate {rate}"
        print(f"{label:>44} {n:>6,}, {n / exact:.1f} times as many", flush=True)
    print()


def errors(quick: bool) -> bool:
    """The table of wrong verdicts; whether all are within alpha."""
    print(f"wrong verdicts of the exact paired test where the gap is the limit (alpha {ALPHA}, enumerated)")
    print(f"{'bases':>6} {'limit':>6} {'wrong PASS':>11} {'at flips':>9} {'wrong FAIL':>11} {'at flips':>9}")
    largest = 0.0
    for n in (50, 200) if quick else (50, 200, 1000):
        for limit in (0.02, 0.05, 0.10):
            passes, at_pass, fails, at_fail = wrong(n, limit)
            largest = max(largest, passes, fails)
            print(f"{n:>6} {limit:>6.2f} {passes:>11.4f} {at_pass:>9.3f} {fails:>11.4f} {at_fail:>9.3f}", flush=True)
    print(f"largest {largest:.4f}, within alpha: {largest <= ALPHA}\n")
    return largest <= ALPHA


def main() -> int:
    """Both tables and the time they took; 1 when some error is above alpha."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer sizes")
    begun = time.perf_counter()
    quick = parser.parse_args().quick
    bases_needed()
    kept = errors(quick)
    print(f"{time.perf_counter() - begun:.0f} s")
    return not kept


if __name__ == "__main__":
    sys.exit(main())
