"""Fields that carry what is swapped: by construction, declared, found by what they tell, or by their name."""

import random
from pathlib import Path
from typing import Any

import pytest

from fairgate.config.project import load
from fairgate.config.swap import HarnessSuite
from fairgate.golden.cases import Case, read_cases
from fairgate.results import Carrier, Proxies
from fairgate.swap.carriers import kind_of
from fairgate.swap.features import features, words
from fairgate.swap.proxies import own_levels, proxies

CONFIG = """\
systems: {loan: {type: recorded, answers: answers.jsonl}}
swap:
  name: screen
  system: loan
  cases: golden.csv
  axes:
    gender:
      male: [{ten: Hùng, gioi_tinh: nam}, {ten: Quân, gioi_tinh: nam}]
      female: [{ten: Lan, gioi_tinh: nữ}, {ten: Hà, gioi_tinh: nữ}]
    region: {north: {que: Hà Nội}, south: {que: Cà Mau}}
  EXTRA
  outcome: {positive: ["yes"], negative: ["no"]}
  rules: [{id: flips, max_flip_rate: 0.5}]
"""


def listed(folder: Path, extra: str = "", own: bool = True, rows: int = 80) -> Proxies:
    """The suite over applications whose school tells their gender and whose income tells nothing."""
    chance = random.Random(3)
    lines = ["id,gioi_tinh,truong,thu_nhap,ghi_chu"]
    for number in range(rows):
        female = chance.random() < 0.5
        school = "Trưng Vương" if female and chance.random() < 0.7 else chance.choice(["Chu Văn An", "Lê Lợi"])
        said = ("nữ" if female else "nam") if own else ""
        lines.append(f"c{number},{said},{school},{chance.randrange(5, 40)},{{ten}} vay")
    (folder / "golden.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "fairgate.yaml").write_text(CONFIG.replace("EXTRA", extra or "must_respond_to: []"), encoding="utf-8")
    suite = load(folder / "fairgate.yaml").config.swap[0]
    assert isinstance(suite, HarnessSuite)
    return proxies(suite, read_cases(folder / "golden.csv"), 0.05)


def of(found: Proxies, field: str) -> list[Carrier]:
    return [one for one in found.fields if one.field == field]


def test_what_is_swapped_and_what_holds_it_is_listed(tmp_path: Path) -> None:
    found = listed(tmp_path)
    assert [(one.field, one.axis, one.how) for one in found.fields[:5]] == [
        ("ten", "gender", "swapped"),
        ("gioi_tinh", "gender", "swapped"),
        ("que", "region", "swapped"),
        ("ghi_chu", "gender", "filled"),
        ("truong", "gender", "predicts"),
    ]


def test_a_field_that_tells_the_level_of_the_cases_is_found(tmp_path: Path) -> None:
    found = listed(tmp_path)
    (school,) = of(found, "truong")

    assert school.cases == 80
    assert school.right is not None
    assert school.without is not None
    assert school.right > 0.75 > school.without
    assert school.p == pytest.approx(3 / 2000)  # three fields were measured
    assert of(found, "thu_nhap") == []
    gender, region = found.measured
    assert (gender.known, gender.used, gender.fields) == (80, 80, 3)
    assert (region.known, region.used) == (0, 0)


@pytest.mark.parametrize(("own", "rows"), [(False, 80), (True, 19)])
def test_what_cannot_be_measured_is_said_to_be_unknown(tmp_path: Path, own: bool, rows: int) -> None:
    found = listed(tmp_path, own=own, rows=rows)
    assert [measure.used for measure in found.measured] == [0, 0]
    (school,) = of(found, "truong")
    assert (school.how, school.kind, school.axis, school.p) == ("may_carry", "school", None, None)


def test_declared_fields_and_needed_ones(tmp_path: Path) -> None:
    found = listed(tmp_path, "proxies: {region: [truong]}\n  needed: {truong: policy 3, que: region of the branch}")
    gender, region = of(found, "truong")

    assert {(one.axis, one.how) for one in (gender, region)} == {("gender", "predicts"), ("region", "declared")}
    assert all(one.needed and one.why == "policy 3" for one in (gender, region))
    assert of(found, "que")[0].needed
    assert not of(found, "ten")[0].needed


AXES: Any = {"gender": {"male": [{"ten": "Hùng", "sex": "M"}], "female": [{"ten": "Lan", "sex": "F"}]}}


@pytest.mark.parametrize(
    ("fields", "level"),
    [
        ({"sex": "m"}, "male"),
        ({"sex": " F "}, "female"),
        ({"ten": "Lan"}, "female"),
        ({"ten": "Lan", "sex": "M"}, None),
        ({"ten": "Minh", "sex": "F"}, "female"),
        ({"sex": "X"}, None),
        ({}, None),
    ],
)
def test_the_level_that_a_case_has_of_its_own(fields: dict[str, Any], level: str | None) -> None:
    assert own_levels("gender", AXES, [Case("c", fields, 1)]) == [level]


@pytest.mark.parametrize(
    ("field", "values", "kind"),
    [
        ("ten", [], "name"),
        ("Họ và tên", [], "name"),
        ("fullName", [], "name"),
        ("姓名", [], "name"),
        ("product_name", [], None),
        ("tên công ty", [], None),
        ("dia_chi", [], "address"),
        ("zipCode", [], "address"),
        ("籍貫", [], "address"),
        ("nam_tot_nghiep", [], "year"),
        ("date_of_birth", [], "year"),
        ("x", ["1987", 2004], "year"),
        ("so_nam", [6, 15], None),
        ("nam_lam_viec", [6, 15], None),
        ("truong", [], "school"),
        ("tuoi", [34], "age"),
        ("x", ["0912 345 678", "+84 912 345 678"], "contact"),
        ("x", ["a@b.vn"], "contact"),
        ("thu_nhap", [18000000], None),
        ("x", ["one two three four five six seven eight"], "text"),
        ("x", ["我們需要這筆貸款"], "text"),
        ("muc_dich", ["mua xe máy và sửa bếp"], None),
        ("x", [], None),
    ],
)
def test_what_a_field_may_carry(field: str, values: list[Any], kind: str | None) -> None:
    assert kind_of(field, values) == kind


def test_features_are_values_words_and_ranges() -> None:
    assert features(["Trưng Vương", None]) == [{"=trưng vương", "trưng", "vương"}, {"="}]
    assert features([1, "2", True])[2] == {"=true", "true"}
    ranges = features([str(number) for number in range(100)])
    assert len({next(iter(one)) for one in ranges}) == 5
    assert features([3, None]) == [{"=3.0"}, {"=None"}]
    assert words([{"text": "{ten} vay 貸款"}]) == ["vay", "貸", "款"]
