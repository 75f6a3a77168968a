"""What counts as a quote that is in the contexts."""

import unicodedata

import pytest

from fairgate.triad.quotes import quote_found

CONTEXTS = [
    "Sản phẩm được bảo hành 24 tháng.",
    "It is impossible to return\n  opened items; the fee is 1,500 VND.",
    "保修期为二十四个月。",
]


@pytest.mark.parametrize(
    "quote",
    [
        "bảo hành 24 tháng",
        unicodedata.normalize("NFD", "bảo hành 24 tháng"),
        "“Sản phẩm được bảo hành 24 tháng.”",
        "... BẢO HÀNH 24 THÁNG …",
        "bảo  hành\n24 tháng",
        "ｂảo hành ２４ tháng",
        "bảo\u200b hành 24 tháng",
        "to return opened items",
        "保修期为二十四个月",
        "二十四",
        "24 tháng",
        "1,500",
    ],
)
def test_found(quote: str) -> None:
    assert quote_found(quote, CONTEXTS)


@pytest.mark.parametrize(
    "quote",
    [
        None,
        "",
        "…",
        "24",  # two signs stand nearly anywhere
        "bảo hành 36 tháng",
        "4 tháng",  # cuts a number
        "bảo hành 2",
        "possible to return",  # begins inside a word
        "500 VND",
        "bảo hành … tháng",  # nothing may be left out
        "tháng. It is impossible",  # reaches over two contexts
        "Sản phẩm được bảo hành 24 tháng, theo luật",
    ],
)
def test_not_found(quote: str | None) -> None:
    assert not quote_found(quote, CONTEXTS)


def test_every_place_is_looked_at() -> None:
    assert quote_found("4 months", ["24 months or 4 months"])
    assert not quote_found("anything", [])
