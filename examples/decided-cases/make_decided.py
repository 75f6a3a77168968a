"""Write ``decided.csv``: invented decisions of an automatic screening of job applications.

    python make_decided.py > decided.csv

Nobody in the file exists. Every row is drawn with a fixed seed from the probabilities below, which are chosen so that
the file shows what a gate over decided cases has to tell apart (see README.md). Only ``Random.random`` is used: its
sequence for a seed is the same in every version of Python, so the file comes out byte for byte.
"""

import csv
import sys
from collections.abc import Iterator
from random import Random
from typing import TextIO

SEED = 20_261_130
ROWS = 2_800

COLUMNS = ("id", "applicant", "sex", "age_band", "disability", "label", "prediction", "score")

SEXES = (("female", 0.50), ("male", 0.50))
AGE_BANDS = (("under_35", 1 / 3), ("35_to_54", 1 / 3), ("over_54", 1 / 3))
DISABILITIES = (("none_declared", 0.92), ("declared", 0.05), ("", 0.03))

QUALIFIED = 0.50

MISSED = {
    ("female", "under_35"): 0.06,
    ("female", "35_to_54"): 0.08,
    ("female", "over_54"): 0.28,
    ("male", "under_35"): 0.20,
    ("male", "35_to_54"): 0.18,
    ("male", "over_54"): 0.04,
}
"""Probability that a qualified applicant is not invited. The mean over ages is .14 for both sexes: what women over 54
lose, younger women make up for, so neither attribute alone shows it."""

MISSED_MORE_WITH_DISABILITY = 0.06
INVITED_UNQUALIFIED = 0.10
NO_PREDICTION = 0.004


def decided(random: Random) -> Iterator[tuple[str, ...]]:
    """The rows of the file: label 1 is qualified, prediction 1 is invited, an empty prediction never came."""
    for number in range(1, ROWS + 1):
        sex, age_band = _draw(random, SEXES), _draw(random, AGE_BANDS)
        disability = _draw(random, DISABILITIES)
        qualified = random.random() < QUALIFIED
        invited = random.random() < _chance_to_be_invited(qualified, sex, age_band, disability)
        score = _score(random, invited)
        prediction = "" if random.random() < NO_PREDICTION else str(int(invited))
        yield (
            f"case-{number:04}",
            f"applicant-{number:04}",
            sex,
            age_band,
            disability,
            str(int(qualified)),
            prediction,
            f"{score:.3f}" if prediction else "",
        )


def write(file: TextIO) -> None:
    """Write the whole file, UTF-8 text with plain line feeds."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(decided(Random(SEED)))


def _draw(random: Random, choices: tuple[tuple[str, float], ...]) -> str:
    left = random.random()
    for choice, probability in choices:
        left -= probability
        if left < 0:
            return choice
    return choices[-1][0]


def _chance_to_be_invited(qualified: bool, sex: str, age_band: str, disability: str) -> float:
    if not qualified:
        return INVITED_UNQUALIFIED
    return 1 - MISSED[sex, age_band] - (MISSED_MORE_WITH_DISABILITY if disability == "declared" else 0)


def _score(random: Random, invited: bool) -> float:
    """The screening's own probability that the applicant is qualified; it invites from one half."""
    return (0.5 + 0.5 * random.random()) if invited else 0.4999 * random.random()


if __name__ == "__main__":
    write(sys.stdout)
