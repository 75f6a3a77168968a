"""JSON in what a model wrote: found where it is one thing, in bounded time."""

from typing import Any

import pytest

from fairgate.models.embedded import json_objects


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ("72", [72]),
        ('```json\n{"a": 1}\n```', [{"a": 1}]),
        ('Here it is: {"a": {"b": 1}}. Anything else?', [{"a": {"b": 1}}]),
        ('{"a": 1} or {"a": 2}', [{"a": 1}, {"a": 2}]),
        ('<think>{"a": 1}</think>{"a": 2}', [{"a": 2}]),
        ("{not this} {\"a\": 1}", [{"a": 1}]),
        ("no JSON at all", []),
        ('{"a": NaN}', []),
        ('{"a": 1', []),
    ],
)  # fmt: skip
def test_what_is_found(text: str, values: list[Any]) -> None:
    assert json_objects(text) == values


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        'So: {"a": 1, "a": 2}',
        '{"a": 1, "a": 2, "inner": {"a": 3}} and so on',
        '{"a": 1} and {"b": {"c": 1, "c": 2}}',
    ],
)
def test_a_key_that_stands_twice_leaves_nothing_to_choose_from(text: str) -> None:
    assert json_objects(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "{}" * 201,
        '{"a": 1} ' + "{" * 201,
        "{" * 1_000_000,
        '{"a":' * 200_000,
        ('{"a":[1,' + "2," * 900) * 500,
        '{"x":[' * 100 + "1," * 400_000,
    ],
    ids=["many", "one and many", "braces", "deep", "open lists", "open once"],
)
def test_what_takes_too_long_to_find_is_not_found(text: str) -> None:
    assert json_objects(text) == []
