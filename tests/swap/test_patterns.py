"""Who got which answer: patterns by the fewest axes that tell them."""

from dataclasses import replace

import pytest
from swap_notation import GENDER, GENDER_REGION, grid

from fairgate.render.flips import patterns as told
from fairgate.results import Counts, Flips, Pattern, SuiteResult, Words
from fairgate.swap.direction import direction_tests
from fairgate.swap.flips import flips
from fairgate.swap.grid import Grid
from fairgate.swap.patterns import SHOWN, patterns
from fairgate.verdict import Verdict

M, F = {"gender": "male"}, {"gender": "female"}
N, S = {"region": "north"}, {"region": "south"}


@pytest.mark.parametrize(
    ("drawing", "positive", "negative", "incomplete"),
    [
        ("++--", [M], [F], False),
        ("+-+-", [N], [S], False),
        ("+?-?", [M], [F], True),
        ("+---", [M | N], [M | S, F | N, F | S], False),
        ("+--+", [M | N, F | S], [M | S, F | N], False),
        ("+??-", [M], [F], True),  # both axes would tell it: the first declared one does
    ],
)
def test_the_fewest_axes(
    drawing: str, positive: list[dict[str, str]], negative: list[dict[str, str]], incomplete: bool
) -> None:
    ((found,), other) = patterns(grid(drawing, GENDER_REGION))
    assert (found.positive, found.negative, found.refusal, other) == (positive, negative, [], 0)
    assert (found.incomplete, found.bases, found.of) == (incomplete, 1, 1)


def test_the_most_frequent_first_and_the_rest_counted() -> None:
    drawn = grid("++++ +-+- ++-- ++-- +--- -+++ -+-- --+- ---+ ++-?", GENDER_REGION)
    found, other = patterns(drawn)
    assert [one.bases for one in found] == [2, 1, 1, 1, 1]
    assert (len(found), other, found[0].of) == (SHOWN, 3, 9)
    assert (found[0].positive, found[0].negative) == ([M], [F])


def test_people_of_one_group_who_disagree_stand_on_both_sides() -> None:
    ((alike, mixed), _) = patterns(grid("+-+- +++- ", GENDER, per_cell=2))
    assert (alike.positive, alike.negative) == ([{}], [{}])
    assert (mixed.positive, mixed.negative) == ([M, F], [F])


def refusing(drawn: Grid) -> Grid:
    """Every negative answer of the women is a refusal."""
    bases = [
        replace(
            base,
            cells=tuple(
                tuple(replace(one, refused=one.outcome is False and one.group["gender"] == "female") for one in cell)
                for cell in base.cells
            ),
        )
        for base in drawn.bases
    ]
    return Grid(drawn.axes, tuple(bases))


def test_a_refusal_is_no_negative_decision() -> None:
    found, _ = patterns(refusing(grid("+-*2 --")))
    assert found == [
        Pattern(positive=[M], refusal=[F], bases=2, of=3),
        Pattern(negative=[M], refusal=[F], bases=1, of=3),
    ]


def suite(drawn: Grid) -> SuiteResult:
    shown, other = patterns(drawn)
    facts = {"tests": direction_tests(drawn), "patterns": shown, "other_patterns": other}
    counted: Flips = flips(drawn, (), 0.05).model_copy(update=facts | {"words": Words(positive="yes", negative="no")})
    counts = Counts(cases=1, expected=1, observed=1, missing=0)
    return SuiteResult(name="s", kind="swap", verdict=Verdict.FAIL, counts=counts, rules=[], flips=counted)


def test_sentences() -> None:
    assert told(suite(grid("++--*3 +---", GENDER_REGION))) == [
        "3 of 4: “no” for female, “yes” for male.",
        "1 of 4: “yes” for male × north, “no” for everybody else.",
    ]
    assert told(suite(refusing(grid("+- --")))) == [
        "1 of 2: a refusal for female, “yes” for male.",
        "1 of 2: “no” for male, a refusal for female.",
    ]
    drawn = grid("+-+- ++--", GENDER, per_cell=2)
    assert told(suite(drawn))[0] == "1 of 2: “no” for somebody of each group, “yes” for somebody of each group."


def test_everybody_else_is_only_who_was_observed() -> None:
    assert told(suite(grid("+--? +-++", GENDER_REGION))) == [
        "1 of 2: “no” for male × south, female × north, “yes” for male × north (outcomes are missing).",
        "1 of 2: “no” for male × south, “yes” for everybody else.",
    ]


def test_nothing_is_said_twice_where_two_levels_are_all_there_is() -> None:
    assert told(suite(grid("+-*3 -+ ++"))) == []
    assert told(suite(grid("++ --"))) == []
