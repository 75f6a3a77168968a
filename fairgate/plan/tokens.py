"""Tokens of a text, estimated without any model's tokenizer, by kind of script: a rule of thumb, and said to be one."""

from collections.abc import Iterator, Sequence
from typing import Any

PER_ASCII = 1 / 4
PER_ALPHABETIC = 1 / 2
PER_OTHER = 1.0
PER_MESSAGE = 4
"""Tokens that chat templates put around each message."""

_LAST_ALPHABETIC = 0x0900
"""Latin with diacritics, Greek, Cyrillic, Hebrew and Arabic lie below; Indic, Thai, Chinese, Japanese, Korean above."""

_VIETNAMESE = range(0x1E00, 0x2000)
"""Latin Extended Additional (and Greek Extended): letters of alphabets that lie above the others."""


def tokens(text: str) -> float:
    """An estimate: a quarter of a token for each ASCII character, half a token for each other letter of an alphabet,
    one for each character of any other script.

    >>> tokens("What is the rate?"), tokens("Nguyễn"), tokens("利率")
    (4.25, 1.75, 2.0)
    """
    ascii_only = sum(character < "\x80" for character in text)
    alphabetic = sum(_is_alphabetic(ord(character)) for character in text)
    return ascii_only * PER_ASCII + alphabetic * PER_ALPHABETIC + (len(text) - ascii_only - alphabetic) * PER_OTHER


def request_tokens(request: Any) -> float:
    """The same for the body of a chat request: the texts of its messages and of its system prompt."""
    if not isinstance(request, dict):
        return 0.0
    parts = [request.get("system"), *(request.get("messages") or [])]
    return sum(PER_MESSAGE + sum(map(tokens, _texts(part))) for part in parts if part is not None)


def mean(values: Sequence[float]) -> float | None:
    """The mean; None of nothing."""
    return sum(values) / len(values) if values else None


def _is_alphabetic(code: int) -> bool:
    return 0x80 <= code < _LAST_ALPHABETIC or code in _VIETNAMESE


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in ("role", "type"):
                yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
