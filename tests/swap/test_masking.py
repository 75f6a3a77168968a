"""A mask replaces a field wherever it is asked, for everybody alike, under ids of its own."""

from pathlib import Path
from typing import Any

import pytest

from fairgate.golden.cases import Case
from fairgate.golden.problems import Problems
from fairgate.swap.control import with_control
from fairgate.swap.masking import masked, unknown_fields
from fairgate.swap.variants import CasePlan, plan_cases

AXES: Any = {
    "gender": {"male": [{"ten": "Hùng", "xung_ho": "anh"}], "female": [{"ten": "Lan", "xung_ho": "chị"}]},
    "region": {"north": [{"que": "Hà Nội"}], "south": [{"que": "Cà Mau"}]},
}
FIELDS = {"income": 12, "school": "THPT Chu Văn An", "note": "{xung_ho} {ten} ở {que}", "turns": [{"text": "{ten}"}]}


def plan(fields: dict[str, Any] | None = None) -> CasePlan:
    cases = [Case("c1", fields or FIELDS, 2, position=0)]
    return plan_cases(cases, AXES, [{"income": 1}], Problems(Path("golden.jsonl")))[0]


def test_a_masked_field_is_masked_where_it_stands_and_where_it_is_filled_in() -> None:
    found = masked(plan(), "no name", {"ten": "[name]", "school": "[school]"})
    first = found.grid[0].fields

    assert first["ten"] == "[name]"
    assert first["school"] == "[school]"
    assert first["note"] == "anh [name] ở Hà Nội"
    assert first["turns"] == [{"text": "[name]"}]
    assert first["income"] == 12
    assert found.grid[0].differs == {"ten": "[name]", "xung_ho": "anh", "que": "Hà Nội"}


def test_every_variant_is_there_even_where_the_mask_makes_them_the_same() -> None:
    everything = dict.fromkeys(("ten", "xung_ho", "que"), "[masked]")
    found = masked(plan(), "all", everything).grid

    assert [variant.group for variant in found] == [variant.group for variant in plan().grid]
    assert len({str(variant.fields) for variant in found}) == 1
    assert len({variant.id for variant in found}) == 4


def test_changes_that_ought_to_matter_are_not_asked_again() -> None:
    assert len(plan().changed) == 1
    assert masked(plan(), "no name", {"ten": "x"}).changed == ()


def test_an_id_names_the_mitigation_and_follows_the_masked_fields() -> None:
    (one, other, unmasked) = (masked(plan(), "a|b", mask).grid[0].id for mask in ({"ten": "x"}, {"ten": "y"}, {}))

    assert one.startswith("c1|gender=male|region=north|mitigation=a%7Cb#")
    assert len({one, other, unmasked, plan().grid[0].id}) == 4


def test_a_field_that_a_case_lacks_stays_absent() -> None:
    assert "school" not in masked(plan({"income": 12}), "m", {"school": "x", "ten": "y"}).grid[0].fields


@pytest.mark.parametrize(
    ("name", "said"), [("shcool", "did you mean 'school'?"), ("xyz", "the fields are income, school"), ("que", None)]
)
def test_a_field_that_nothing_has_is_named_with_what_there_is(name: str, said: str | None) -> None:
    found = [message for _, message in unknown_fields([name], [plan()])]
    assert (said in found[0]) if said else not found


def test_what_is_asked_again_of_the_suite_is_no_part_of_a_mitigation() -> None:
    repeated = with_control([plan()], "loans", 2)[0]
    assert len(repeated.control) == 2
    assert masked(repeated, "no name", {"ten": "[name]"}).variants == masked(plan(), "no name", {"ten": "[name]"}).grid
