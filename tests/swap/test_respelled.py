"""How hidden values may be spelled in a text: which spellings go, and which words stay."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairgate.swap.redaction import GONE, Redaction

LAN = "Nguyễn Thị Lan"
ADDRESS = "12B Lê Lợi, phường 3, thành phố Bến Tre"


def hide(value: Any, text: str) -> str:
    """A text with ``_`` where something was taken out of it."""
    return Redaction.of(["field"], [{"field": value}]).text(text).replace(GONE, "_")


@pytest.mark.parametrize(
    ("value", "text", "left"),
    [
        # case
        (LAN, "chị LAN và lan, NGUYỄN", "chị _ và _, _"),
        ("Lan", "LAN, lan", "_, _"),
        # joined
        (LAN, "nguyễn-thị-lan nguyễn_thị_lan Lan-Nguyễn NguyễnThịLan nguyenthilan92@", "_ _ _-_ _ _92@"),
        # without diacritics, or with them on the other vowel
        (LAN, "Nguyen Thi Lan, Nguyen Thị Lan, chi THI", "_, _, chi _"),
        ("Đỗ Hòa", "Do Hoa, Hoà, HOÀ, ĐỖ", "_, _, _, _"),
        (LAN, "lần đầu, lành, lăn, làn, thì, nguyên", "lần đầu, lành, lăn, làn, thì, nguyên"),
        # as URLs and JSON escape it
        (LAN, "?q=Nguy%E1%BB%85n%20Th%E1%BB%8B%20Lan&n=Nguyễn+Thị+Lan", "?q=_&n=_"),
        (LAN, "%20Thị%20Lan, nguy%e1%bb%85n", "%20_%20_, _"),
        (LAN, r'{"a": "chị\nLan Nguy\u1ec5n"}', r'{"a": "chị\n_ _"}'),
        # short words
        ("Trần An", "an applicant; An; AN; chị an; tran an; chi an", "an applicant; _; _; chị _; _; chi _"),
        ("An", "an applicant; An; chị an", "an applicant; _; chị _"),
        ("Lý Hồ", "lý do của hồ sơ; anh hồ; LÝ", "lý do của hồ sơ; anh _; _"),
        # cut off
        (LAN, "no decision for Nguyễn Th…", "no decision for _ _…"),
        (LAN, "…uyễn Thị", "…_ _"),
        # Chinese
        ("王小明", "王小明先生，小明，王先生", "_先生，_，王先生"),
        # running text: three words in a row
        (ADDRESS, "ở Lê Lợi phường 3 và thanh pho Ben Tre", "ở _ và _"),
        (ADDRESS, "thành phố Hồ Chí Minh, Bến Tre", "thành phố Hồ Chí Minh, Bến Tre"),
        # numbers
        (18_000_000, "18000000 18,000,000 18.000.000 18 000 000 18'000'000 18_000_000", "_ _ _ _ _ _"),
        ("18000000", "18,000,000 and 18.000.000đ", "_ and _đ"),
        (18_000_000, "118000000 180,000,000 18,000,0001 1.18000000", "118000000 180,000,000 18,000,0001 1.18000000"),
        (4.5, "4.5 4,5 4.50 14.5 4.51", "_ _ _ 14.5 4.51"),
        (47, "47 aged 47, not 470 or 4.7 or 147", "_ aged _, not 470 or 4.7 or 147"),
        ("0912345678", "0912.345.678 0912-345-678 (091) 234 5678 +84 912 345 678 84912345678", "_ _ (_ _ _"),
        ("1990-05-12", "1990/05/12 19900512", "_ _"),
    ],
)  # fmt: skip
def test_spellings(value: Any, text: str, left: str) -> None:
    assert hide(value, text) == left


PEOPLE = st.lists(st.sampled_from(["Nguyễn", "Thị", "Lan", "Đỗ", "Kim", "Oanh", "Hòa"]), min_size=1, max_size=4)


@given(PEOPLE, st.sampled_from([str, str.upper, str.lower, str.title]), st.sampled_from(" -_+."), st.text(max_size=20))
def test_no_word_of_a_name_is_left(words: list[str], case: Any, joint: str, around: str) -> None:
    hidden = hide(" ".join(words), f"{around} | bà {case(joint.join(words))} | {around}")
    told = hidden.split(" | ")[1].lower()
    assert not any(word.lower() in told for word in words if len(word) > 2)


@given(st.text(max_size=60))
def test_every_text_can_be_searched_and_nothing_is_found_twice(text: str) -> None:
    redaction = Redaction.of(
        ["field"], [{"field": value} for value in (LAN, ADDRESS, "王小明", 18_000_000, "0912345678")]
    )
    once = redaction.text(text)
    assert redaction.text(once) == once
