"""What is asked of two variants: explained by the fields, or not; and shown, word by word."""

from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import Environment

from fairgate.swap.declared import marked, shown_lines
from fairgate.swap.rendered import Comparer, Fields, pieces, undeclared

MALE = {"ten": "Nguyễn Văn Hùng", "xung_ho": "anh", "poss": "his"}
FEMALE = {"ten": "Trần Thị Lan", "xung_ho": "chị", "poss": "her"}
FIELDS: Fields = tuple(zip(MALE.values(), FEMALE.values(), strict=True))


def alike(one: Any, other: Any, fields: Fields = FIELDS) -> bool:
    return not list(Comparer().beyond_fields(one, other, fields))


@pytest.mark.parametrize("template", [
    "{{ ten }}: this thesis is {{ poss }} thesis, there with her and his",
    "{{ ten | upper }} {{ xung_ho | title }} {{ xung_ho | capitalize }}",
    "{{ ten | tojson }} {{ fields | tojson }}",
    "{{ ten | urlencode }} {{ ten | e }} {{ fields }}",
    "{{ ten.split() | last }} {{ ten[0] }}. {{ ten.split()[1] }}",
    "{{ xung_ho }}{{ xung_ho }}{{ xung_ho }}h",
    "{% if poss == 'his' %}Anh{% else %}Chị{% endif %} {{ ten }}",  # the words of a declared field
    "nothing of it",
])  # fmt: skip
def test_what_a_template_makes_of_the_fields_is_no_difference(template: str) -> None:
    made = Environment(autoescape=False).from_string(template)
    one, other = (made.render(person | {"fields": person}) for person in (MALE, FEMALE))
    assert alike({"messages": [{"content": one}]}, {"messages": [{"content": other}]})


@pytest.mark.parametrize(("one", "other"), [
    ("Ông Hùng", "Bà Lan"),
    ("Be fair.", "Be strict."),
    ("Be fair.", "Be fair. Look twice."),
    ("Hùng", "Hùng"[:0]),
    ("anh anh", "chị anh!"),
    ("his", "their"),
    ({"a": "x"}, {"a": "x", "b": "y"}),
    ([1, 2], [1, 3]),
])  # fmt: skip
def test_anything_else_is_one(one: Any, other: Any) -> None:
    assert not alike(one, other)


@pytest.mark.parametrize(("one", "other", "fields"), [
    ("An" + "h" * 50, "Anh" + "h" * 50, (("An", "Anh"),)),
    ("Be fair.", "Be stricter. Be fair.", (("", "Be stricter. "),)),
    ("Be stricter. Be fair.", "Be fair.", (("Be stricter. ", ""),)),
    ("aab", "aaab", (("a", "aa"),)),
    ("Lan An", "Hà Lan An", (("Lan", "Hà Lan"),)),
    (quote("Hà Nội"), quote("Cà Mau"), (("Hà Nội", "Cà Mau"),)),
])  # fmt: skip
def test_values_that_contain_each_other_or_are_empty(one: str, other: str, fields: Fields) -> None:
    assert alike(one, other, fields)


_TEXT = st.text("abh ", max_size=6)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.one_of(_TEXT, st.integers(0, 2)), max_size=8), st.lists(_TEXT, min_size=6, max_size=6))
def test_whatever_a_template_makes_is_explained(template: list[str | int], values: list[str]) -> None:
    one, other = (
        "".join(part if isinstance(part, str) else values[2 * part + which] for part in template) for which in (0, 1)
    )
    assert alike(one, other, tuple(zip(values[::2], values[1::2], strict=True)))


def test_a_long_text_that_differs_is_told_apart() -> None:
    text = "Lan ở Hà Lan. " * 2000
    assert not alike(f"{text}a", f"{text}b")
    assert alike(f"{text}his{text}", f"{text}her{text}")


def test_the_difference_is_shown_word_by_word() -> None:
    one, other = "Hồ sơ của Ông Nguyễn Văn Hùng.", "Hồ sơ của Bà Trần Thị Lan."
    assert marked(pieces(one, other)) == "Hồ sơ của [-Ông-]{+Bà+} [-Nguyễn-]{+Trần+} [-Văn-]{+Thị+} [-Hùng-]{+Lan+}."
    assert marked(undeclared(one, other, FIELDS)) == "Hồ sơ của [-Ông-]{+Bà+} Nguyễn Văn Hùng."
    assert marked(pieces("他是工程師", "她是工程師")) == "[-他-]{+她+}是工程師"


def test_only_lines_that_differ_are_shown() -> None:
    assert shown_lines("a\nTên: Hùng\nb", "a\nTên: Lan\nb") == ["Tên: [-Hùng-]{+Lan+}"]
    assert shown_lines("a\nb\n", "a\nb and x\n") == ["b{+ and x+}"]
