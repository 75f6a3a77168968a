"""Text and values that come from outside: shown safely, parsed strictly."""

import json
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn

from fairgate.models.protocol import CallFailed, Reply

EXCERPT = 300
"""Characters of foreign text that a sentence quotes at most."""


def excerpt(text: str, limit: int = EXCERPT) -> str:
    """Foreign text fit for one sentence: a single line, no control or invisible characters, at most ``limit`` long."""
    # Cut before cleaning, so that a reply of megabytes costs no more than a short one.
    visible = (" " if unicodedata.category(char)[0] in "CZ" else char for char in text[: 20 * limit])
    line = " ".join("".join(visible).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def in_repository(path: Path, root: Path) -> str:
    """A path as people know it: relative to the top of the repository."""
    return path.resolve().relative_to(root.resolve()).as_posix()


class KeyTwice(ValueError):
    """A JSON object that holds a key twice."""


def parse_json(text: str | bytes) -> Any:
    """Strict JSON: no NaN, no Infinity, no key twice: which of two answers was meant is not ours to decide.

    :raises ValueError: with one short sentence about what is wrong
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=each_key_once)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at character {error.pos}") from None
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None


def each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object from its pairs, for a JSON decoder.

    :raises KeyTwice: naming the key
    """
    value = dict(pairs)
    if len(value) < len(pairs):
        twice = next(name for name, number in Counter(name for name, _ in pairs).items() if number > 1)
        raise KeyTwice(f"the key '{excerpt(twice, 60)}' stands twice")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


def kind(value: Any) -> str:
    """What a JSON value is, in words: ``a list of 3``, ``an object with keys a, b``."""
    match value:
        case None:
            words = "null"
        case bool():
            words = "true or false"
        case str():
            words = f"the text '{excerpt(value, 60)}'"
        case int() | float():
            words = f"the number {excerpt(repr(value), 60)}"
        case list():
            words = f"a list of {len(value)}"
        case {**entries} if entries:
            words = f"an object with keys {excerpt(', '.join(map(str, list(entries)[:8])), 120)}"
        case {}:
            words = "an empty object"
        case _:
            words = f"a Python {type(value).__name__}"
    return words


def answer_text(value: Any, source: str) -> str:
    """The answer as text: a text as it is, a number or a truth value as JSON writes it.

    :param source: what was read, for the sentence, e.g. ``data.answer``
    :raises CallFailed: ``no_answer`` for null, ``empty_answer`` for blank text, ``bad_reply`` for anything else
    """
    if value is None:
        raise CallFailed("no_answer", f"{source} holds no answer")
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    if not isinstance(value, str):
        raise CallFailed("bad_reply", f"{source} is {kind(value)}, expected a text")
    if not value.strip():
        raise CallFailed("empty_answer", f"{source} is an empty text")
    return whole(value)


def context_texts(value: Any, source: str) -> tuple[str, ...] | None:
    """The texts that a system retrieved, in its order; None when it says nothing of them.

    :param source: what was read, for the sentence, e.g. ``data.chunks[].text``
    :raises CallFailed: ``bad_reply`` for anything but a list of texts that say something: to drop a blank one would
        shift the ranks of the others
    """
    if value is None:
        return None
    if not isinstance(value, list | tuple):
        raise CallFailed("bad_reply", f"{source} is {kind(value)}, expected a list of texts")
    for position, text in enumerate(value, start=1):
        if not isinstance(text, str) or not text.strip():
            found = "an empty text" if isinstance(text, str) else kind(text)
            raise CallFailed("bad_reply", f"{source}: text {position} of {len(value)} is {found}")
    return tuple(whole(text) for text in value)


def read_answer(value: Any, source: str) -> Reply:
    """The reply in what a program of the team's own gave: an answer alone, or ``{"answer": ..., "contexts": [...]}``.

    :param source: who gave it, for the sentence, e.g. ``what judge:ask returned``
    :raises CallFailed: ``no_answer``, ``empty_answer`` or ``bad_reply``
    """
    if not isinstance(value, dict):
        return Reply(text=answer_text(value, source))
    if "answer" not in value:
        raise CallFailed("bad_reply", f"{source} is {kind(value)}, expected a text or the key answer")
    contexts = context_texts(value.get("contexts"), f"contexts in {source}")
    return Reply(text=answer_text(value["answer"], source), contexts=contexts)


def whole(text: str) -> str:
    """The text with lone surrogates replaced: they could not be written to any file."""
    return re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)
