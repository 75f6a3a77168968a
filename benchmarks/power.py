"""How often the two parity methods are wrong, and how many cases they need. Prints the tables of docs/statistics.md.

    python benchmarks/power.py [--quick]

1. Wrong verdicts: the share of PASS and of FAIL where the gap is the limit, the worst case of either, over truths,
   sizes and numbers of groups. Each must stay within alpha. Two groups are enumerated; more are simulated,
   the rejection region of every ordered pair being a table.
2. Cases per group for 80 % PASS where all groups have the same rate, enumerated: with groups of equal size the verdict
   is that of the group with most events against the group with fewest.
"""

import argparse
import sys
import time
from functools import cache
from itertools import permutations
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fairgate.stats import binomial
from fairgate.stats.difference import boundary

ALPHA = 0.05
POWER = 0.80
Counts = npt.NDArray[np.int64]


@cache
def exact(n1: int, n2: int, margin: float, alpha: float) -> Counts:
    """For every x2 the most x1 that rejects p1 − p2 ≥ margin, by the test at this very margin. Testing all looser
    margins too, as fairgate does, only takes outcomes away: its wrong verdicts are no more."""
    return boundary(n1, n2, margin, alpha, range(0))


@cache
def interval(n1: int, n2: int, margin: float, alpha: float) -> Counts:
    """The same for the difference of Clopper–Pearson bounds, ``alpha`` in the tail of each."""
    upper = np.array([binomial.upper_bound(x, n1, alpha) for x in range(n1 + 1)])
    lower = np.array([binomial.lower_bound(x, n2, alpha) for x in range(n2 + 1)])
    return np.searchsorted(upper, margin + lower, side="right") - 1


REGIONS = {"interval": interval, "exact": exact}


def tails(method: str, groups: int) -> tuple[float, float]:
    """The error probability of one test of a pair: for PASS, for FAIL."""
    if method == "interval":
        return ALPHA / (2 * groups), ALPHA / (2 * groups)
    return ALPHA, ALPHA / (groups * (groups - 1))


def power(method: str, groups: int, n: int, rate: float, limit: float, confirm: bool = False) -> float:
    """P(PASS) for equal groups of n: Σ over the fewest events a of P(minimum = a, maximum ≤ the most that pass).

    :param confirm: look at every likely outcome with all looser margins tested too
    """
    alpha = tails(method, groups)[0]
    likely = range(int(binom.ppf(1e-6, n, rate)), int(binom.isf(1e-6, n, rate)) + 1)
    most = boundary(n, n, limit, alpha, likely) if confirm else REGIONS[method](n, n, limit, alpha)
    fewest = np.array(likely)
    most = np.maximum(most[fewest], fewest - 1)
    to_most, below, upto = (binom.cdf(x, n, rate) for x in (most, fewest - 1, fewest))
    return float(np.sum((to_most - below) ** groups - np.maximum(to_most - upto, 0) ** groups))


def cases_needed(method: str, groups: int, rate: float, limit: float, guess: int) -> int:
    """The smallest number of cases per group with the power, searched from 3 % below ``guess``."""
    n = guess * 97 // 100
    while power(method, groups, n, rate, limit) < POWER:
        n += 1
    while method == "exact" and power(method, groups, n, rate, limit, confirm=True) < POWER:
        n += 1
    return n


def draw(rates: list[float], sizes: list[int], draws: int, seed: int) -> tuple[Counts, npt.NDArray[np.float64]]:
    """Distinct tables of events (a row per table) with their weights: all likely ones of two groups, else drawn."""
    if len(rates) == 2:
        ranges = [
            np.arange(int(binom.ppf(1e-6, n, p)), int(binom.isf(1e-6, n, p)) + 1)
            for p, n in zip(rates, sizes, strict=True)
        ]
        grid = np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1).reshape(-1, 2)
        mass = binom.pmf(grid[:, 0], sizes[0], rates[0]) * binom.pmf(grid[:, 1], sizes[1], rates[1])
        return grid, mass
    tables = np.random.default_rng(seed).binomial(sizes, rates, (draws, len(rates)))
    return tables, np.full(draws, 1 / draws)


def wrong(method: str, rates: list[float], sizes: list[int], limit: float, draws: int) -> tuple[float, float]:
    """P(PASS) and P(FAIL) at these truths."""
    to_pass, to_fail = tails(method, len(rates))
    tables, weights = draw(rates, sizes, draws, seed=20)
    passed, failed = np.ones(len(tables), dtype=bool), np.zeros(len(tables), dtype=bool)
    for i, j in permutations(range(len(rates)), 2):
        regions = REGIONS[method]
        passed &= tables[:, i] <= regions(sizes[i], sizes[j], limit, to_pass)[tables[:, j]]
        failed |= tables[:, i] <= regions(sizes[i], sizes[j], -limit, to_fail)[tables[:, j]]
    return float(weights @ passed), float(weights @ failed)


def settings(quick: bool) -> list[tuple[list[int], float, float]]:
    """Sizes of the groups, base rate, limit."""
    sizes = [[50, 50], [200, 200], [50, 200], [200] * 4]
    if not quick:
        sizes += [[1000, 1000], [200, 1000], [50] * 4, [50, 200, 50, 200], [50] * 8, [200] * 8]
    return [(size, base, 0.10) for size in sizes for base in ((0.10,) if quick else (0.02, 0.10, 0.45))]


def worst(sizes: list[int], base: float, limit: float) -> list[list[float]]:
    """Truths whose gap is the limit: one group apart from all others, and half of them."""
    groups = len(sizes)
    shapes = {
        (1,) + (0,) * (groups - 1),
        (0,) * (groups - 1) + (1,),
        (1,) * (groups // 2) + (0,) * (groups - groups // 2),
    }
    return [[base + limit * up for up in shape] for shape in sorted(shapes)]


def errors(quick: bool) -> None:
    """The table of wrong verdicts."""
    draws = 4_000 if quick else 20_000
    print(
        f"wrong verdicts where the gap is the limit of 0.10 (alpha {ALPHA}; {draws:,} draws with more than two groups)"
    )
    print(f"{'cases per group':>28} {'base':>5} {'method':>9} {'wrong PASS':>11} {'wrong FAIL':>11}")
    largest = 0.0
    for sizes, base, limit in settings(quick):
        for method in ("interval", "exact"):
            found = [wrong(method, rates, sizes, limit, draws) for rates in worst(sizes, base, limit)]
            passes, fails = (max(values) for values in zip(*found, strict=True))
            largest = max(largest, passes, fails)
            label = ", ".join(map(str, sizes)) if len(set(sizes)) > 1 else f"{len(sizes)} x {sizes[0]}"
            print(f"{label:>28} {base:5.2f} {method:>9} {passes:11.4f} {fails:11.4f}", flush=True)
    chance = 3 * (ALPHA * (1 - ALPHA) / draws) ** 0.5
    print(
        f"largest {largest:.4f}; within alpha and the chance of the draws ({chance:.4f}): {largest <= ALPHA + chance}\n"
    )


def sizes_needed(quick: bool) -> None:
    """The table of cases per group."""
    guesses = {
        0.10: {2: (371, 163), 4: (561, 245), 8: (746, 317)},
        0.05: {2: (1453, 624), 4: (2223, 946), 8: (2965, 1256)},
    }
    print("cases per group for 80 % PASS, every group at a rate of 0.10")
    print(f"{'limit':>6} {'groups':>6} {'interval':>9} {'exact':>6} {'ratio':>6}")
    for limit, row in guesses.items():
        for groups, (by_interval, by_exact) in row.items():
            if quick and limit < 0.10:
                continue
            a = cases_needed("interval", groups, 0.10, limit, by_interval)
            b = cases_needed("exact", groups, 0.10, limit, by_exact)
            print(f"{limit:6.2f} {groups:6d} {a:9d} {b:6d} {a / b:6.2f}", flush=True)


def main() -> None:
    """Both tables and the time they took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer truths, draws and limits")
    quick = parser.parse_args().quick
    begun = time.perf_counter()
    sizes_needed(quick)
    errors(quick)
    print(f"{time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
