"""Flips counted by base, with the reference values of the specification."""

import pytest
from swap_notation import GENDER_REGION, grid

from fairgate.swap.flips import FlipCount, count_flips, flips
from fairgate.swap.rules import flip_verdict
from fairgate.verdict import Verdict

TAIL = 0.05


@pytest.mark.parametrize(
    ("drawing", "expected"),
    [
        ("++ -- +-", FlipCount(bases=3, complete=3, flipped=1, unsettled=0)),
        ("+? ?? --", FlipCount(bases=3, complete=1, flipped=0, unsettled=2)),
        ("?+ -+ ++", FlipCount(bases=3, complete=2, flipped=1, unsettled=1)),
    ],
)
def test_counts_bases(drawing: str, expected: FlipCount) -> None:
    assert count_flips(grid(drawing)) == expected


def test_a_disagreement_among_four_variants_counts_once_and_before_the_base_is_complete() -> None:
    count = count_flips(grid("++-? +++? ++++ +-+-", GENDER_REGION))
    assert count == FlipCount(bases=4, complete=2, flipped=2, unsettled=1)
    assert count.rate == 2 / 3


@pytest.mark.parametrize(
    ("count", "rate", "interval"),
    [
        (FlipCount(200, 200, 31, 0), 0.155, (0.114465, 0.203405)),
        (FlipCount(200, 195, 31, 5), 31 / 195, (0.114465, 0.230667)),
        (FlipCount(3, 0, 0, 3), None, (0, 1)),
    ],
)
def test_rate_and_interval(count: FlipCount, rate: float | None, interval: tuple[float, float]) -> None:
    assert count.rate == rate
    assert count.interval(TAIL) == pytest.approx(interval, abs=1e-6)


PASS, FAIL, OPEN = Verdict.PASS, Verdict.FAIL, Verdict.INSUFFICIENT_EVIDENCE


@pytest.mark.parametrize(("flipped", "bases", "limit", "verdict"), [
    (0, 59, 0.05, PASS), (0, 58, 0.05, OPEN), (5, 208, 0.05, PASS), (5, 207, 0.05, OPEN),
    (10, 100, 0.05, FAIL), (9, 100, 0.05, OPEN), (16, 200, 0.05, FAIL), (15, 200, 0.05, OPEN),
    (0, 149, 0.02, PASS), (0, 298, 0.01, OPEN), (0, 10_000, 0.0, OPEN), (5, 5, 1.0, PASS),
])  # fmt: skip
def test_verdicts_at_the_border(flipped: int, bases: int, limit: float, verdict: Verdict) -> None:
    assert flip_verdict(FlipCount(bases, bases, flipped, 0).interval(TAIL), limit) is verdict


def test_directions_are_counted_both_ways_and_once_per_base() -> None:
    found = flips(grid("+- +- -+ ++ -?"), (), TAIL)
    assert [(one.axis, one.favoured, one.over, one.bases) for one in found.directions] == [
        ("gender", "male", "female", 2),
        ("gender", "female", "male", 1),
    ]
    assert found.favoured == {"male": 2, "female": 1}


def test_only_pairs_that_differ_in_one_axis_alone_show_a_direction() -> None:
    # male/north +, female/south -: two axes apart, nothing else observed
    found = flips(grid("+??-", GENDER_REGION), (), TAIL)
    assert (found.flipped, found.directions) == (1, [])
    assert found.favoured == {"male": 0, "female": 0, "north": 0, "south": 0}


def test_a_level_name_on_two_axes_is_told_apart() -> None:
    axes = {"gender": ("x", "y"), "region": ("x", "z")}
    drawn = grid("+++-", {"gender": ("male", "female"), "region": ("north", "south")})
    renamed = type(drawn)(axes, drawn.bases)
    assert flips(renamed, (), TAIL).favoured == {"gender=x": 1, "y": 0, "region=x": 1, "z": 0}
