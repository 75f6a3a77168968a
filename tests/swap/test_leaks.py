"""Swapped values elsewhere in a case: leaks are found, names that only contain them are not."""

from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest

from fairgate.golden.cases import Case
from fairgate.golden.problems import Problems
from fairgate.swap.leaks import leaks, stands_in
from fairgate.swap.variants import plan_cases

AXES = {
    "gender": {
        "male": [{"ten": "Trần Văn Hùng", "xung_ho": "anh"}],
        "female": [{"ten": "Nguyễn Thu Lan", "xung_ho": "chị"}],
    },
    "region": {"hn": [{"que": "Hà Nội"}], "st": [{"que": "Sóc Trăng"}]},
}


def found(axes: Any = AXES, **fields: Any) -> list[tuple[str, str]]:
    plans = plan_cases([Case("c1", fields, 2)], axes, (), Problems(Path("golden.jsonl")))
    return [(axis, remark.message) for axis, remark in leaks(plans, axes)]


@pytest.mark.parametrize(("value", "text", "leaks"), [
    ("Lan", "du học Hà Lan", False),
    ("Lan", "Hà Lan là một nước", False),
    ("Lan", "quê ở Thái Lan.", False),
    ("Lan", "gặp Lan Anh", False),
    ("Lan", "bạn của Lan từ lâu", True),
    ("Lan", "Chị Lan đã trả hết nợ", True),
    ("Lan", "đã gặp chị Lan, và", True),
    ("Lan", "Lan", True),
    ("Lan", "hoa lan", False),
    ("Lan", "Tên: {ten}, Langbiang", False),
    ("Thu", "Thu nhập 18 triệu", False),
    ("Thu", "Ghi chú.\n- Thu nhập 18 triệu", False),
    ("Emily", "he saw Emily there", True),
    ("Emily", "Mrs Emily pays; ", True),
    ("Grace", "Grace period of 30 days", False),
    ("Hà Nội", "Đại học Quốc gia Hà Nội", True),
    ("Hà Nội", "đại học HÀ NỘI", True),
    (normalize("NFC", "Hà Nội"), normalize("NFD", "sống ở Hà Nội"), True),
    ("Hà Nội", "Hà Nộii", False),
    ("she", "says she owns a house", True),
    ("she", "ashes and shed", False),
    ("anh", "thu nhập của anh là 18 triệu", True),
    ("anh", "có anh trai và ba anh chị em", False),
    ("nam", "ở miền nam, phía nam", False),
    ("王小明", "他說王小明已經還清", True),
    ("王小明", "王小美", False),
])  # fmt: skip
def test_a_name_of_its_own_is_a_leak_and_part_of_another_is_not(value: str, text: str, leaks: bool) -> None:
    assert stands_in(value, text) is leaks


def test_a_leak_is_named_with_its_cases() -> None:
    (told,) = found(ho_so="{ten}, du học Hà Lan", note=[{"text": "theo Lan thì đã trả"}])
    assert told == (
        "gender",
        "“Lan” of ten (axis gender) also stands in the field note of 1 case (c1), where nothing swaps it: the variants "
        "still name the same person there. Write {ten} in its place, or take it out.",
    )


def test_what_the_case_itself_said_in_the_field_is_looked_for_too() -> None:
    (told,) = found(ten="Phạm Thị Mai", ho_so="khách hàng Mai đã trả")
    assert "“Mai” of ten" in told[1]


@pytest.mark.parametrize(("axes", "text"), [
    ({"age": {"young": [{"tuoi": "25"}], "old": [{"tuoi": "60"}]}}, "thu nhập 25 triệu"),
    ({"disability": {"no": [{"kt": "không"}], "yes": [{"kt": "có"}]}}, "không nợ, có nhà"),
    ({"origin": {"a": [{"sex": "他"}], "b": [{"sex": "她"}]}}, "其他收入"),
    (AXES, "vay 18 triệu, {ten} ở {que}"),
])  # fmt: skip
def test_numbers_and_everyday_words_are_none(axes: Any, text: str) -> None:
    assert found(axes, ho_so=text) == []


def test_many_cases_are_counted() -> None:
    cases = [Case(f"c{n}", {"note": "sống ở Hà Nội"}, n) for n in range(7)]
    ((axis, remark),) = leaks(plan_cases(cases, AXES, (), Problems(Path("g.csv"))), AXES)
    assert (axis, remark.code) == ("region", "swapped_value_elsewhere")
    assert "of 7 cases (c0, c1, c2, …)" in remark.message
