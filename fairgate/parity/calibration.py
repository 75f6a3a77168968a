"""Calibration per group: whether 0.7 means seven in ten for everybody. Reported, never a rule.

Source: expected calibration error over equal-width bins, Naeini, Cooper & Hauskrecht (2015), AAAI, 2901–2907.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import product

from fairgate.golden.decided import Decided
from fairgate.golden.tally import BINS, PROBABILITY_UNIT
from fairgate.results import CalibrationGroup
from fairgate.wording.numbers import group as words


def calibrate(decided: Decided, crossings: Sequence[Sequence[str]]) -> list[CalibrationGroup]:
    """The expected calibration error of every declared group of each attribute or crossing.

    ECE = Σ over bins of (n_b / n) · |mean probability − share of label 1|, which is (1/n) Σ over bins of
    |Σ (probability − label)|.
    Cases whose probability is blank or no number in [0, 1] are left out and counted.
    """
    return [row for attributes in crossings for row in _one(decided, list(attributes))]


def _one(decided: Decided, attributes: list[str]) -> list[CalibrationGroup]:
    levels = list(product(*(decided.declared[name] for name in attributes)))
    excess: dict[tuple[object, ...], int] = defaultdict(int)
    sizes: dict[tuple[object, ...], int] = defaultdict(int)
    lacking: dict[tuple[object, ...], int] = defaultdict(int)
    for level, kind, cases in decided.levels(attributes):
        if kind.bin is None:
            lacking[level] += cases
        else:
            sizes[level] += cases
            excess[*level, kind.bin] += decided.probabilities[kind] - cases * (kind.label or 0) * PROBABILITY_UNIT
    rows = []
    for level in levels:
        n = sizes[level]
        distance = sum(abs(excess[*level, number]) for number in range(BINS)) / PROBABILITY_UNIT
        rows.append(
            CalibrationGroup(
                attribute=attributes,
                group=words(dict(zip(attributes, level, strict=True))),
                n=n,
                ece=distance / n if n else None,
                left_out=lacking[level],
            )
        )
    return rows
