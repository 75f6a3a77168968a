"""Flips that a person can read: which ones, and what they say."""

from collections.abc import Callable
from dataclasses import replace

from swap_notation import GENDER_REGION, grid

from fairgate.swap.examples import SHOWN, examples
from fairgate.swap.grid import Base, Grid, Observation


def cases(drawing: str, **kwargs: object) -> list[str]:
    return [example.case for example in examples(grid(drawing, **kwargs))]  # type: ignore[arg-type]


def test_none_without_a_flip() -> None:
    assert examples(grid("++ -- +? ??")) == []


def test_says_what_differed_and_what_each_got() -> None:
    (example,) = examples(grid("+-"))
    assert (example.case, example.axes) == ("c1", ["gender"])
    assert [(one.field, one.positive, one.negative) for one in example.differs] == [("name", "male c1", "female c1")]
    assert (example.positive.group, example.positive.answer) == ({"gender": "male"}, "YES")
    assert (example.negative.group, example.negative.answer) == ({"gender": "female"}, "NO")


def test_both_directions_are_shown_in_turn_the_frequent_one_first() -> None:
    assert cases("+-*6 -+*2 ++") == ["c1", "c7", "c2", "c8", "c3"]


def test_a_rare_reverse_is_not_crowded_out() -> None:
    assert "c9" in cases("+-*8 -+")


def test_at_most_five_each_base_once() -> None:
    found = cases("+-*50")
    assert len(found) == len(set(found)) == SHOWN


def test_the_pair_with_the_fewest_differing_axes() -> None:
    (near,) = examples(grid("+-?-", GENDER_REGION))
    assert near.axes == ["region"]
    (far,) = examples(grid("+??-", GENDER_REGION))
    assert far.axes == ["gender", "region"]


def test_people_of_one_cell_who_disagree_are_the_last_resort() -> None:
    (other_cell,) = examples(grid("+-+?", per_cell=2))
    assert other_cell.axes == ["gender"]
    (same_cell,) = examples(grid("+-??", per_cell=2))
    assert (same_cell.axes, same_cell.differs) == ([], [])


def changed(drawn: Grid, change: Callable[[Observation], Observation]) -> Grid:
    bases = [
        Base(base.id, tuple(tuple(change(one) for one in observations) for observations in base.cells))
        for base in drawn.bases
    ]
    return Grid(drawn.axes, tuple(bases))


def test_within_a_direction_the_fewest_differing_fields_come_first() -> None:
    def titled(one: Observation) -> Observation:
        title = one.group["gender"] if one.case in ("c1", "c3") else "Dr"
        return replace(one, fields={**one.fields, "title": title})

    assert [one.case for one in examples(changed(grid("+-*4"), titled))] == ["c2", "c4", "c1", "c3"]


def test_a_refusal_is_a_side_of_its_own() -> None:
    def refusing(one: Observation) -> Observation:
        return replace(one, refused=one.outcome is False and one.group["gender"] == "female")

    decided, undecided = examples(changed(grid("+- --"), refusing))
    assert (decided.positive.outcome, decided.negative.outcome) == ("positive", "refusal")
    assert (undecided.positive.outcome, undecided.negative.outcome) == ("negative", "refusal")
    assert undecided.negative.group == {"gender": "female"}
