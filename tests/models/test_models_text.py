"""Foreign text and values: shown safely, parsed strictly."""

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairgate.models.text import excerpt, kind, parse_json, whole
from fairgate.models.transport import server_sentence


@given(st.text(), st.integers(1, 40))
def test_an_excerpt_is_one_short_visible_line(text: str, limit: int) -> None:
    line = excerpt(text, limit)
    assert len(line) <= limit
    assert line == line.strip()
    assert all(char == " " or unicodedata.category(char)[0] not in "CZ" for char in line)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Không đủ\nthu nhập", "Không đủ thu nhập"),
        ("a\x1b[31mb\u202ec\u200bd", "a [31mb c d"),
        ("x" * 400, "x" * 299 + "…"),
        ("x" * 300, "x" * 300),
    ],
)
def test_excerpts(text: str, line: str) -> None:
    assert excerpt(text) == line


@pytest.mark.parametrize("text", ["NaN", '{"a": -Infinity}', "{", "", b"\xff\xfe\xff", "1" * 5000, "[" * 100_000])
def test_json_is_strict_and_fails_in_one_way(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"\w") as caught:
        parse_json(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true or false"),
        (1.5, "the number 1.5"),
        ("a\nb", "the text 'a b'"),
        ([1, 2], "a list of 2"),
        ({"a": 1, "b": 2}, "an object with keys a, b"),
        ({}, "an empty object"),
        (b"x", "a Python bytes"),
    ],
)
def test_values_in_words(value: Any, words: str) -> None:
    assert kind(value) == words


@given(st.text(st.characters()))
def test_whole_text_can_be_written(text: str) -> None:
    whole(text).encode()


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ('{"error": {"message": "no such model", "code": 1}}', "no such model"),
        ('{"error": "no"}', "no"),
        ('{"detail": "not found"}', "not found"),
        ('{"message": "a\\nb"}', "a b"),
        ('{"detail": [{"loc": ["q"]}]}', '{"detail": [{"loc": ["q"]}]}'),
        ("upstream timed out", "upstream timed out"),
        ("<html><body>Bad gateway</body>", ""),
        ("", ""),
        ("null", "null"),
    ],
)
def test_the_servers_own_sentence(body: str, sentence: str) -> None:
    assert server_sentence(body) == sentence
