"""JSON in what a model wrote: the whole answer, a fenced block, or an object between sentences."""

import json
import re
from collections.abc import Iterator
from typing import Any

from fairgate.models.text import KeyTwice, each_key_once, parse_json

MOST_STARTS = 200
"""Opening braces in a text that are tried as the start of a JSON object."""

MOST_READ = 2_000_000
"""Characters that are read in vain behind them, over all of them: objects that never close would be read to the end of
the text once for each brace."""

_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)


def without_thought(text: str) -> str:
    """The text without what a model wrote while thinking, at its very beginning and closed."""
    return _THOUGHT.sub("", text)


def json_objects(text: str) -> list[Any]:
    """The whole JSON value that a text is, or else the outermost JSON objects in it; what a model wrote while thinking
    is passed over.

    :returns: nothing at all where an object holds a key twice (which of the two was meant is not ours to decide), or
        where it would take more than ``MOST_STARTS`` or ``MOST_READ`` to find them
    """
    text = without_thought(text)
    try:
        return [parse_json(text)]
    except KeyTwice:
        return []
    except ValueError:
        pass
    try:
        return list(_embedded(text))
    except (KeyTwice, _TooMany):
        return []


class _TooMany(Exception):
    """More opening braces, or more text behind them, than is tried: what else stands there is not known."""


def _embedded(text: str) -> Iterator[Any]:
    # NaN and Infinity are no JSON
    decoder = json.JSONDecoder(parse_constant=parse_json, object_pairs_hook=each_key_once)
    position, starts, in_vain = text.find("{"), 0, 0
    while position >= 0:
        starts += 1
        if starts > MOST_STARTS or in_vain > MOST_READ:
            raise _TooMany
        try:
            value, end = decoder.raw_decode(text, position)
        except KeyTwice:
            raise
        except (ValueError, RecursionError) as error:
            in_vain += getattr(error, "pos", len(text)) - position
            end = position + 1
        else:
            yield value
        position = text.find("{", end)
