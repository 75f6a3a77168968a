"""How long the exact test of a difference takes, clear of the limit and near it, beside one plain evaluation.

    python benchmarks/exact.py [--sizes 1000 10000 100000] [--repeat 3]

Two groups of equal size, base rate 0.10, limit 0.05, alpha 0.05; the first group has more and more events. *z* is how
many standard errors the data are on the passing side of the decision: near 0 the test has to look closely. Processor
seconds, the best of some repetitions. The last column is the time over that of *one* probability of the same region at
*one* truth, written with scipy.stats.binom over every row of the table: what each point of a grid of truths would cost.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.stats import binom

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fairgate.stats.difference import Sample, significant, upper_bound
from fairgate.stats.score import region

ALPHA, LIMIT, RATE = 0.05, 0.05, 0.10
PLACES = (6.0, 2.0, 0.5, 0.1, 0.02, -0.02, -0.1, -0.5, -2.0)


def seconds(work: Callable[..., object], *arguments: object, repeat: int) -> float:
    """The least processor time of some calls."""
    found = []
    for _ in range(repeat):
        start = time.process_time()
        work(*arguments)
        found.append(time.process_time() - start)
    return min(found)


def plain(one: Sample, other: Sample) -> float:
    """P(region) at one truth, every row of the table."""
    most = region((one.events, other.events), (one.cases, other.cases), LIMIT, LIMIT)
    rows = np.arange(other.cases + 1)
    return float(np.sum(binom.pmf(rows, other.cases, RATE) * binom.cdf(most, one.cases, RATE + LIMIT)))


def samples(n: int, place: float) -> tuple[Sample, Sample]:
    """Data ``place`` standard errors on the passing side of where the test turns."""
    error = (((RATE + LIMIT) * (1 - RATE - LIMIT) + RATE * (1 - RATE)) / n) ** 0.5
    events = round(n * (RATE + LIMIT - (1.645 + place) * error))
    return Sample(min(max(events, 0), n), n), Sample(round(RATE * n), n)


def main() -> None:
    """One table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--bounds", action="store_true", help="the confidence bound too")
    chosen = options.parse_args()
    print(f"{'cases':>8} {'z':>6} {'events':>13}  {'verdict':<9} {'seconds':>8} {'over one evaluation':>20}")
    for n in chosen.sizes:
        alone = seconds(plain, *samples(n, 0.0), repeat=chosen.repeat)
        for place in PLACES:
            one, other = samples(n, place)
            took = seconds(significant, one, other, LIMIT, ALPHA, repeat=chosen.repeat)
            said = "PASS" if significant(one, other, LIMIT, ALPHA) else "undecided"
            data = f"{n:>8,} {place:>6.2f} {one.events:>6}/{other.events:<6}"
            print(f"{data}  {said:<9} {took:>8.3f} {took / alone:>20.1f}", flush=True)
        if chosen.bounds:
            took = seconds(upper_bound, one, other, ALPHA, repeat=1)
            print(f"{n:>8,}  upper bound {took:>31.3f} {took / alone:>20.1f}", flush=True)


if __name__ == "__main__":
    main()
