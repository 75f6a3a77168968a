"""Whether the excess flip rate is unbiased and its bounds cover, on a loan screener with known bias and noise.

    python benchmarks/swap_noise.py [--seeds N] [--cases N]

The screener approves case i with a probability that depends on the case, on the person, and, through its noise, on
chance; identical and different people are asked as a run asks them, and the evidence is judged by the gate's own
functions. The truth is the mean over pairs of variants of (p_v − p_w)². Printed for each design:

    bias      mean of the estimate minus the truth, with its standard error over the seeds
    FAIL      share of runs that fail a limit that is the truth: whose lower bound is above it; at most 5 % is promised
    PASS      share of runs that pass a limit just below the truth: whose upper bound is; at most 5 % is promised
    flips     the plain flip rate, for comparison: it grows with the noise, and with the variants
"""

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fairgate.swap.control import draw
from fairgate.swap.flips import count_flips
from fairgate.swap.grid import Base, Control, Grid, Observation, Repeats
from fairgate.swap.noise import measure
from fairgate.swap.noise_rule import excess_verdict
from fairgate.verdict import Verdict

TAIL = 0.05
Axes = dict[str, tuple[str, ...]]
TWO: Axes = {"gender": ("male", "female")}
FOUR: Axes = {"gender": ("male", "female"), "region": ("ha_noi", "soc_trang")}


@dataclass(frozen=True)
class Screener:
    """Decides by a score of the case, against a threshold that some people find higher; its noise turns a decision
    round with a fixed probability.

    :param bias: of the whole range of scores, for the last level of each axis
    :param noise: probability that a call is answered the other way round
    """

    bias: Sequence[float]
    noise: float

    def probability(self, score: float, group: Sequence[int]) -> float:
        """Of a positive answer to one call."""
        threshold = 0.5 + sum(bias for bias, level in zip(self.bias, group, strict=False) if level)
        return 1 - self.noise if score >= threshold else self.noise


@dataclass(frozen=True)
class Design:
    """What is asked: the axes, how often again."""

    name: str
    axes: Axes
    repeats: int


@dataclass
class Tally:
    """What the runs of one screener and one design came to."""

    estimates: list[float]
    truths: list[float]
    wrong_fail: int = 0
    wrong_pass: int = 0
    flips: float = 0.0

    @property
    def bias(self) -> tuple[float, float]:
        """The mean of estimate minus truth, and its standard error."""
        errors = [one - truth for one, truth in zip(self.estimates, self.truths, strict=True)]
        mean = sum(errors) / len(errors)
        variance = sum((error - mean) ** 2 for error in errors) / (len(errors) - 1)
        return mean, (variance / len(errors)) ** 0.5


DESIGNS = (Design("V = 2, k = 1", TWO, 1), Design("V = 4, k = 1", FOUR, 1), Design("V = 4, k = 2", FOUR, 2))
SCREENERS = {
    "steady, fair": Screener((0.0, 0.0), 0.0),
    "steady, biased": Screener((0.1, 0.06), 0.0),
    "noisy, fair": Screener((0.0, 0.0), 0.1),
    "noisy, biased": Screener((0.1, 0.06), 0.1),
}


def run(screener: Screener, design: Design, cases: int, seed: int) -> tuple[Grid, Control]:
    """The evidence of one run: every case one of those that the system may meet, every call a draw of its own."""
    chance = random.Random(f"{design.name} {seed}")
    axes = list(design.axes.values())
    groups = Grid(design.axes, ()).cells
    levels = [[axis.index(level) for axis, level in zip(axes, cell.values(), strict=True)] for cell in groups]
    bases, again = [], []
    for number in range(cases):
        score, name = chance.random(), f"c{number}"
        approves = [screener.probability(score, level) for level in levels]

        def answer(cell: int, name: str = name, approves: Sequence[float] = approves) -> Observation:
            return Observation(name, name, groups[cell], chance.random() < approves[cell])

        bases.append(Base(name, tuple((answer(cell),) for cell in range(len(groups)))))
        cell = draw(len(groups), f"seed {seed}", name, "variant")
        again.append(Repeats(cell, tuple(answer(cell) for _ in range(design.repeats))))
    return Grid(design.axes, tuple(bases)), Control(tuple(again), design.repeats)


def truth(screener: Screener, design: Design) -> float:
    """The mean over scores and over pairs of variants of (p_v − p_w)²: the share of scores between their thresholds,
    times (1 − 2 · noise)²."""
    shifts = [0.0]
    for bias, _ in zip(screener.bias, design.axes, strict=False):
        shifts = [shift + more for shift in shifts for more in (0.0, bias)]
    apart = [abs(one - other) for number, one in enumerate(shifts) for other in shifts[number + 1 :]]
    return sum(apart) / len(apart) * (1 - 2 * screener.noise) ** 2


def calibrate(screener: Screener, design: Design, cases: int, seeds: int) -> Tally:
    """Judge as many runs as there are seeds."""
    known = truth(screener, design)
    tally = Tally([], [])
    for seed in range(seeds):
        grid, control = run(screener, design, cases, seed)
        excess = measure(grid, control).excess
        assert excess.estimate is not None
        tally.estimates.append(excess.estimate)
        tally.truths.append(known)
        tally.wrong_fail += excess_verdict(excess, known, TAIL) is Verdict.FAIL
        tally.wrong_pass += excess_verdict(excess, known - 1e-9, TAIL) is Verdict.PASS
        tally.flips += (count_flips(grid).rate or 0.0) / seeds
    return tally


def rows(cases: int, seeds: int) -> Iterator[str]:
    """The table, row by row."""
    yield "| screener | design | truth | bias | FAIL | PASS | flips |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for name, screener in SCREENERS.items():
        for design in DESIGNS:
            found = calibrate(screener, design, cases, seeds)
            bias, error = found.bias
            shares = (found.wrong_fail, found.wrong_pass)
            cells = [f"{count / seeds:.1%}" for count in shares]
            yield (
                f"| {name} | {design.name} | {truth(screener, design):.4f} | {bias:+.4f} ± {error:.4f} | "
                f"{' | '.join(cells)} | {found.flips:.1%} |"
            )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=400)
    parser.add_argument("--cases", type=int, default=100)
    options = parser.parse_args()
    print(f"{options.cases} cases, {options.seeds} seeds\n")
    for row in rows(options.cases, options.seeds):
        print(row, flush=True)


if __name__ == "__main__":
    main()
