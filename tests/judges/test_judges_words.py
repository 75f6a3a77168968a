"""Sentences, words, numbers and negation, in any script."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairgate.judges.words import content, decimals, fold, has_numbers, negated, sentences


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("it began in 1954. then it went on", ["it began in 1954.", "then it went on"]),
        ("Giá 3.5 triệu. Còn hàng.", ["Giá 3.5 triệu.", "Còn hàng."]),
        ("See www.shop.vn/a.html for more. Thanks.", ["See www.shop.vn/a.html for more.", "Thanks."]),
        (
            "Dr. J. R. Smith lives in the U.S. today. TP. HCM too.",
            ["Dr. J. R. Smith lives in the U.S. today.", "TP. HCM too."],
        ),
        ("ThS. Lan và TS. Minh đến. Họ về.", ["ThS. Lan và TS. Minh đến.", "Họ về."]),
        ("保修期为24个月。不包括损坏！可以吗？可以", ["保修期为24个月。", "不包括损坏！", "可以吗？", "可以"]),
        ("他说：“可以。”然后走了。", ["他说：“可以。”", "然后走了。"]),
        ('He said "no." Then left.', ['He said "no."', "Then left."]),
        ("- Bước một\n- Bước hai\n\n- Bước ba", ["- Bước một", "- Bước hai", "- Bước ba"]),
        ("a line that\ngoes on here", ["a line that\ngoes on here"]),
        ("1. Open it.\n2. Close it.", ["1. Open it.", "2. Close it."]),
        ("Wait... Then go…  Done", ["Wait...", "Then go…", "Done"]),
        ("यह सही है। वह गलत है।", ["यह सही है।", "वह गलत है।"]),
        ("هل هذا صحيح؟ نعم.", ["هل هذا صحيح؟", "نعم."]),
        ("...", []),
        ("", []),
        (" \n\n ", []),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


@given(st.text())
def test_every_sentence_stands_in_the_text_word_for_word(text: str) -> None:
    rest = text
    for sentence in sentences(text):
        assert sentence in rest
        rest = rest[rest.index(sentence) + len(sentence) :]
    assert not any(unicodedata.category(char)[0] in "LN" for char in text) or sentences(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The cats are shifting to the gardens", {"cat", "shift", "garden"}),
        ("Sản phẩm được bảo hành", {"sản", "phẩm", "bảo", "hành"}),
        ("保修期", {"保修", "修期"}),
        ("电池的保修", {"电池", "保修"}),
        ("iPhone手机", {"iphon", "手机"}),
        ("वारंटी अवधि", {"वारंटी", "अवधि"}),
        ("the of and", set()),
        ("Ｗａｒｒａｎｔｙ", {"warranty"}),
        ("the shop’s prices, priced, a price", {"shop", "pric"}),
    ],
)
def test_content_words(text: str, words: set[str]) -> None:
    assert content(text).words == words


def test_decomposed_letters_are_the_same_words() -> None:
    text = "Sản phẩm được bảo hành"
    assert content(unicodedata.normalize("NFD", text)) == content(text)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("1.000.000", "1,000,000", True),
        ("1.000.000", "1 000 000", True),
        ("1\u00a0500", "1500", True),
        ("1'500", "1500", True),
        ("1.500", "1500", True),
        ("1.500", "1,5", True),
        ("1,500.75", "1.500,75", True),
        ("3,5", "3.5", True),
        ("3.50", "3.5", True),
        ("0.500", "500", False),
        ("15%", "15 %", True),
        ("15%", "１５％", True),
        ("15%", "15 percent", True),
        ("15%", "15 phần trăm", True),
        ("15%", "百分之15", True),
        ("15%", "15 days", False),
        ("1 triệu", "1.000.000", True),
        ("2,5 triệu", "2.500.000", True),
        ("3万", "30000", True),
        ("5 tỷ", "5 billion", True),
        ("5 tỉnh", "5 tỉ", False),
        ("5千克", "5 kg", True),
        ("24", "２４", True),
        ("24", "٢٤", True),
        ("24个月", "24 tháng", True),
        ("24", "42", False),
        ("24", "2.4", False),
        ("2026-01-05", "5/1/2026", True),
        ("05.01.2026", "5/1/2026", True),
        ("v1.2.3", "v1.2.4", False),
        ("A4", "A5", False),
        ("12:30", "12h30", True),
        ("12:30", "12:45", False),
    ],
)
def test_numbers_are_the_same_in_every_spelling(one: str, other: str, same: bool) -> None:
    assert has_numbers(content(one).numbers, content(other).numbers) is same


def test_every_number_has_to_occur() -> None:
    assert not has_numbers(content("7 or 30 days").numbers, content("7 days").numbers)
    assert has_numbers(content("7 days").numbers, content("7 or 30 days").numbers)


@given(st.from_regex(r"[0-9]+([.,'][0-9]+){0,4}", fullmatch=True))
def test_any_digits_have_a_reading(text: str) -> None:
    readings = decimals(text)
    assert readings
    assert all(readings)


@pytest.mark.parametrize(
    ("text", "is_negated"),
    [
        ("The battery is not covered", True),
        ("It isn’t covered", True),
        ("They can't return it", True),
        ("without a receipt", True),
        ("never", True),
        ("Không bảo hành pin", True),
        ("chưa có hàng", True),
        ("不保修", True),
        ("没有库存", True),
        ("Das ist nicht wahr", True),
        ("保証しません", True),
        ("보증하지 않습니다", True),
        ("The battery is covered", False),
        ("not only the battery", False),
        ("no more than 5", False),
        ("No. 5", False),
        ("Không chỉ pin", False),
        ("hàng không Việt Nam", False),
        ("không quá 5 ngày", False),
        ("不过可以退", False),
        ("不同的颜色", False),
        ("特别的无线耳机", False),
        ("a knot in the notebook", False),
    ],
)
def test_negation(text: str, is_negated: bool) -> None:
    assert negated(fold(text)) is is_negated
