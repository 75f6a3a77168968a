"""Paired differences of scores: bounds of the mixture, missing scores at either end of the range."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from swap_notation import GENDER_REGION, grid

from fairgate.swap.grid import Grid
from fairgate.swap.scores import score_gaps

HUNDRED = (0.0, 100.0)


def scored(rows: Sequence[Sequence[float | None]]) -> Grid:
    """A man and a woman for each base, with their scores."""
    drawn = grid(" ".join(["++"] * len(rows)))
    return replace(
        drawn,
        bases=tuple(
            replace(
                base,
                cells=tuple(
                    (replace(cell[0], score=score, outcome=None if score is None else True),)
                    for cell, score in zip(base.cells, row, strict=True)
                ),
            )
            for base, row in zip(drawn.bases, rows, strict=True)
        ),
    )


@pytest.mark.parametrize(
    ("rows", "estimate", "interval"),
    [
        ([(50, 50)] * 100, 0.0, (-4.3567, 4.3567)),  # statistics.md section 7: ±.043567
        ([(100, 0)] * 10 + [(0, 100)] * 4 + [(7, 7)] * 186, 3.0, (-2.3072, 9.0658)),
        ([(60, 10)] * 20 + [(10, 60)] * 10 + [(7, 7)] * 170, 2.5, (-1.2476, 6.3692)),
    ],
)
def test_reference_values(rows: list[tuple[float, float]], estimate: float, interval: tuple[float, float]) -> None:
    (gap,) = score_gaps(scored(rows), HUNDRED, 0.05)
    assert (gap.axis, gap.between, gap.estimate) == ("gender", ("male", "female"), pytest.approx(estimate))
    assert gap.interval == pytest.approx(interval, abs=5e-4)


def test_the_higher_one_comes_first() -> None:
    (gap,) = score_gaps(scored([(40, 60)] * 50), HUNDRED, 0.05)
    (turned,) = score_gaps(scored([(60, 40)] * 50), HUNDRED, 0.05)
    assert gap.between == ("female", "male")
    assert (gap.estimate, gap.interval) == (turned.estimate, turned.interval)


def test_the_range_is_the_unit() -> None:
    (wide,) = score_gaps(scored([(40, 60)] * 50), (0.0, 100.0), 0.05)
    (narrow,) = score_gaps(scored([(3, 3.2)] * 50), (2.6, 3.6), 0.05)
    assert narrow.interval == pytest.approx([end / 100 for end in wide.interval], abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), min_size=1, max_size=30),
    st.integers(0, 59),
)
def test_a_hidden_score_only_widens(rows: list[tuple[int, int]], place: int) -> None:
    hidden: list[list[float | None]] = [list(row) for row in rows]
    hidden[place % len(rows)][place % 2] = None
    (whole,), (partial,) = (score_gaps(scored(one), HUNDRED, 0.05) for one in (rows, hidden))
    lower, upper = (
        partial.interval if partial.between == whole.between else (-partial.interval[1], -partial.interval[0])
    )
    assert lower <= whole.interval[0] + 1e-9
    assert upper >= whole.interval[1] - 1e-9
    assert partial.complete == len(rows) - 1


def test_nothing_scored_says_nothing() -> None:
    (gap,) = score_gaps(scored([(None, None)] * 3), HUNDRED, 0.05)
    assert (gap.estimate, gap.complete, gap.interval) == (None, 0, (-100.0, 100.0))


def test_every_axis_and_pair_of_levels() -> None:
    gaps = score_gaps(grid("++++ ++++", GENDER_REGION), HUNDRED, 0.05)
    assert [(gap.axis, *gap.between) for gap in gaps] == [
        ("gender", "male", "female"),
        ("region", "north", "south"),
    ]


@pytest.mark.parametrize(
    ("scores", "between", "estimate"),
    [
        ({("m", "x"): 80, ("f", "x"): 80, ("m", "y"): 20}, ("m", "f"), 0.0),  # the region moves it, the person does not
        ({("m", "x"): 80, ("f", "x"): 50, ("m", "y"): 20}, ("m", "f"), 30.0),
        ({("m", "x"): 50, ("f", "x"): 80, ("m", "y"): None}, ("f", "m"), 30.0),  # missing where nobody is compared
    ],
)
def test_one_at_a_time_levels_are_compared_with_everything_else_equal(
    scores: dict[tuple[str, str], float | None], between: tuple[str, str], estimate: float
) -> None:
    axes = {"gender": ("m", "f"), "region": ("x", "y")}
    drawn = grid(" ".join(["+++"] * 20), axes, design="one_at_a_time")
    cells = tuple(tuple(cell.values()) for cell in drawn.cells)
    asked = tuple(
        replace(
            base,
            cells=tuple(
                (replace(cell[0], score=scores[group[0], group[1]]),)
                for group, cell in zip(cells, base.cells, strict=True)
            ),
        )
        for base in drawn.bases
    )
    gap = next(one for one in score_gaps(replace(drawn, bases=asked), HUNDRED, 0.05) if one.axis == "gender")
    assert (gap.between, gap.estimate, gap.complete) == (between, estimate, 20)
