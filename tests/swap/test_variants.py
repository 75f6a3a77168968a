"""Variants: the full product, people rotated, placeholders filled once."""

import os
from collections import Counter
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
import yaml

from fairgate.errors import InputError
from fairgate.golden.cases import Case
from fairgate.golden.problems import Problems
from fairgate.swap.variants import CasePlan, fill, plan_cases

AXES = {
    "gender": {
        "male": [{"ten": "Hùng", "Anh": "Anh"}, {"ten": "Long", "Anh": "Anh"}],
        "female": [{"ten": "Lan", "Anh": "Chị"}, {"ten": "Hà", "Anh": "Chị"}],
    },
    "region": {"hn": [{"que": "Hà Nội"}, {"que": "Hà Tây"}, {"que": "Ba Vì"}], "st": [{"que": "Sóc Trăng"}] * 3},
}


def plans(*cases: dict[str, Any], axes: Any = AXES, changes: Any = ()) -> list[CasePlan]:
    numbered = [Case(f"c{n}", fields, n + 1) for n, fields in enumerate(cases)]
    return plan_cases(numbered, axes, changes, Problems(Path("golden.jsonl")))


def test_the_full_product_with_the_last_axis_fastest() -> None:
    (case,) = plans({"x": "1"})
    assert [tuple(one.group.values()) for one in case.grid] == [
        ("male", "hn"), ("male", "st"), ("female", "hn"), ("female", "st"),
    ]  # fmt: skip
    assert case.grid[3].fields == {"x": "1", "ten": "Lan", "Anh": "Chị", "que": "Sóc Trăng"}
    assert case.grid[3].differs == {"ten": "Lan", "Anh": "Chị", "que": "Sóc Trăng"}


def test_people_are_paired_by_position_and_every_combination_comes_up() -> None:
    found = plans(*({} for _ in range(6)))
    men = [case.grid[0].fields for case in found]
    assert [person["ten"] for person in men] == ["Hùng", "Long"] * 3
    assert set(Counter((person["ten"], person["que"]) for person in men).values()) == {1}
    assert [case.grid[2].fields["ten"] for case in found] == ["Lan", "Hà"] * 3


def test_a_level_replaces_a_field_of_the_case() -> None:
    (case,) = plans({"ten": "somebody {x}", "note": "{ten}"})
    assert (case.grid[0].fields["ten"], case.grid[0].fields["note"]) == ("Hùng", "Hùng")


@pytest.mark.parametrize(("text", "filled"), [
    ("{ten} quê ở Long An, du học Hà Lan. {Anh} đi.", "Lan quê ở Long An, du học Hà Lan. Chị đi."),
    ("His car is paid off; the house is his.", "His car is paid off; the house is his."),
    ("{{ten}} {{{ten}}} {", "{{ten}} {{{ten}}} {"),
    ('{"json": 1} {} { } {a b}', '{"json": 1} {} { } {a b}'),
    ("{ten}{ten}", "LanLan"),
    (["{ten}", {"k": "{ten}", "n": 3}], ["Lan", {"k": "Lan", "n": 3}]),
    (18, 18),
    (None, None),
])  # fmt: skip
def test_only_declared_placeholders_are_filled(text: Any, filled: Any) -> None:
    assert fill(text, {"ten": "Lan", "Anh": "Chị"}) == filled


def test_a_name_inside_another_word_is_not_touched() -> None:
    shared = Path(os.environ.get("FAIRGATE_SHARED") or Path(__file__).resolve().parents[2].parent / "shared")
    template = shared / "cases" / "field" / "66-swap-grammar" / "template.yaml"
    if not template.exists():
        pytest.skip("../shared is not here")
    swap = yaml.safe_load(template.read_text(encoding="utf-8"))["swap"]
    people = {level.pop("id"): [level] for level in swap["variants"]["gioi_tinh"]}
    (case,) = plans({"text": swap["template"]}, axes={"gioi_tinh": people})
    assert [one.fields["text"] for one in case.grid] == [
        f"{ten} quê ở Long An, du học Hà Lan. {anh} có thu nhập 18 triệu. His car is paid off; the house is his."
        for ten, anh in (("Nguyễn Văn Long", "Anh"), ("Nguyễn Thị Lan", "Chị"))
    ]


def test_what_is_filled_in_is_not_looked_at_again() -> None:
    assert fill("{a} {b}", {"a": "{b}", "b": "{a}"}) == "{b} {a}"


def test_a_placeholder_may_be_written_in_another_unicode_form() -> None:
    assert fill(normalize("NFD", "{tên}"), {normalize("NFC", "tên"): "Lan"}) == "Lan"


@pytest.mark.parametrize(
    ("fields", "about"),
    [
        ({"ho_so": "{ten_ho} vay"}, "golden.jsonl: line 1: case 'c0': field 'ho_so' has the placeholder {ten_ho}"),
        ({"ho_so": "{ten_ho} vay"}, "the axes fill {ten}, {Anh}, {que}; did you mean 'ten'?"),
        ({"ho_so": "{anh} vay"}, "did you mean 'Anh'?"),
        ({"ho_so": "{ ten } vay"}, "has the placeholder { ten }, which no axis fills"),
        ({"history": [{"content": "{nobody}"}]}, "field 'history' has the placeholder {nobody}"),
    ],
)
def test_a_placeholder_that_no_axis_fills_refuses_the_file(fields: dict[str, Any], about: str) -> None:
    with pytest.raises(InputError) as error:
        plans(fields)
    assert about in str(error.value)


def test_ids_are_readable_escaped_and_tell_the_text_apart() -> None:
    axes = {"a|b": {"x=1": [{"f": "1"}], "y#": [{"f": "2"}]}}
    (case,) = plan_cases([Case("c%1", {"t": "{f}"}, 1)], axes, [], Problems(Path("g.csv")))
    (edited,) = plan_cases([Case("c%1", {"t": "{f}!"}, 1)], axes, [], Problems(Path("g.csv")))
    name, digest = case.grid[0].id.split("#")
    assert name == "c%251|a%7Cb=x%3D1"
    assert len(digest) == 12
    assert edited.grid[0].id.split("#")[0] == name != edited.grid[0].id
    assert len({one.id for one in case.variants}) == 2


def test_the_same_on_every_run() -> None:
    assert plans({"x": "{ten}"}) == plans({"x": "{ten}"})


def test_a_change_is_made_to_the_first_variant() -> None:
    (case,) = plans({"income": 18, "note": "{ten}"}, changes=[{"income": 4}, {"note": "{ten} owes"}])
    first, second = case.changed
    assert first.id.startswith("c0|gender=male|region=hn|must_respond_to=1#")
    assert (first.fields["income"], first.group) == (4, {"gender": "male", "region": "hn"})
    assert first.differs["income"] == 4
    assert second.fields == {**case.grid[0].fields, "note": "Hùng owes"}


def test_a_change_is_written_as_text_where_the_case_has_text() -> None:
    (case,) = plans({"income": "18000000"}, changes=[{"income": 4_000_000}])
    assert case.changed[0].fields["income"] == "4000000"


def test_a_case_that_says_so_already_is_not_asked_again() -> None:
    first, second = plans({"income": 4}, {"income": 9}, changes=[{"income": 4}])
    assert (len(first.changed), len(second.changed)) == (0, 1)


def test_a_change_of_a_field_that_a_case_does_not_have_is_refused() -> None:
    with pytest.raises(InputError, match=r"case 'c0' has no field 'incom'.*its fields are income; did you mean"):
        plans({"income": 1}, changes=[{"incom": 4}])
