"""What a system is asked about two variants: whether one template makes both, and where they differ.

Only the fields of a level may differ between variants of a case. In the cases that holds by construction; a prompt can
still say something else to one of them. So what is really asked is compared: two texts are alike when some template
with places for the fields makes the one from the values of the one variant and the other from those of the other. No
word is looked for in either by itself, so a value that happens to stand in a fixed text does no harm.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from html import escape
from typing import Any, Literal
from unicodedata import normalize
from urllib.parse import quote, quote_plus

MOST_STATES = 10_000
"""Places at which two texts are taken up again. Beyond that they are called alike: no alarm that was not proved."""

MOST_WORDS = 20_000
"""Words of a text up to which a difference is shown word by word, and not as a whole."""

Pair = tuple[str, str]
"""How a value is spelled in the one text, and in the other."""

Fields = tuple[Pair, ...]
"""Of every field that differs between two variants, its value in the one and in the other."""


Spell = Callable[[str], str]
Part = tuple[str, int]
Key = tuple[Part, Spell, Spell]
"""A transformation of a value: which part of it, in which case, in which encoding."""

State = tuple[int, int]
"""Positions in the two texts."""


# --- is there a template? --------------------------------------------------------------------------------------------


class Comparer:
    """Reads pairs of texts, and remembers how the fields were spelled in them: the next pair is the sooner read."""

    def __init__(self) -> None:
        self._met: dict[Key, None] = {PLAIN: None}

    def beyond_fields(self, one: Any, other: Any, fields: Fields) -> Iterator[tuple[str, str, str]]:
        """Where two requests differ in more than the fields: place, and the text there in each of them.

        :param one: a request, plain JSON
        """
        for place, text, changed in differing(one, other):
            if not self.explains(text, changed, fields):
                yield place, text, changed

    def explains(self, one: str, other: str, fields: Fields) -> bool:
        """Whether some template makes both texts, its places filled with the fields, as they are or respelled."""
        met = _spelled(fields, tuple(self._met))
        if _read_side_by_side(one, other, met, met.longest) is not None:
            return True
        every = _spelled(fields, None)
        # A place that explains a difference ends behind its beginning, as a rule; further back only repetitions lead.
        for reach in (every.longest, len(one)):
            used = _read_side_by_side(one, other, every, reach)
            if used is not None:
                self._met.update(dict.fromkeys(every.keys[pair] for pair in used))
                return True
        return False


def differing(one: Any, other: Any) -> Iterator[tuple[str, str, str]]:
    """Where two requests differ at all: place, and the text there in each of them."""
    first, second = dict(texts(one)), dict(texts(other))
    for place in dict.fromkeys([*first, *second]):
        text, changed = first.get(place, ""), second.get(place, "")
        if text != changed:
            yield place, text, changed


def texts(request: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a request with its place, as ``messages[1].content``; other values in JSON."""
    if isinstance(request, Mapping):
        for key, value in request.items():
            yield from texts(value, f"{place}.{key}" if place else str(key))
    elif isinstance(request, list | tuple):
        for number, value in enumerate(request):
            yield from texts(value, f"{place}[{number}]")
    else:
        yield place, request if isinstance(request, str) else json.dumps(request, ensure_ascii=False, default=str)


class Spellings:
    """Pairs of spellings, found by the first character of the one; the longest first.

    :param keys: of every pair, which transformation makes it
    """

    def __init__(self, keys: Mapping[Pair, Key]) -> None:
        self.keys = keys
        self.longest = max((len(text) for pair in keys for text in pair), default=0)
        self._by_first: dict[str, list[Pair]] = defaultdict(list)
        for pair in sorted(keys, key=lambda pair: (-len(pair[0]), pair)):
            self._by_first[pair[0][:1]].append(pair)
        self._begins = re.compile(f"[{re.escape(''.join(self._by_first))}]") if any(self._by_first) else None

    def pairs_at(self, text: str, start: int, end: int) -> Iterator[tuple[int, Pair]]:
        """Place and pair of all that a stretch of a text may hold, place by place; an empty one stands everywhere."""
        everywhere = self._by_first.get("", ())
        if everywhere:
            places: Iterable[int] = range(start, end)
        else:
            places = (found.start() for found in self._begins.finditer(text, start, end)) if self._begins else ()
        for place in places:
            for pair in (*self._by_first.get(text[place : place + 1] or "\0", ()), *everywhere):
                if text.startswith(pair[0], place):
                    yield place, pair


def _read_side_by_side(one: str, other: str, spellings: Spellings, reach: int) -> list[Pair] | None:
    """The pairs whose two spellings the texts hold where they differ; None when they differ in anything else.

    Up to the next difference they are the same; the place that explains it begins there, or up to ``reach`` characters
    before. Every such place is tried and what follows it is read on, so that values may contain each other, be empty,
    or stand in the fixed text as well.
    """
    came: dict[State, tuple[State, Pair] | None] = {(0, 0): None}
    waiting: list[State] = [(0, 0)]
    while waiting and len(came) < MOST_STATES:
        state = at, beside = waiting.pop()
        same = _common(one, at, other, beside)
        if at + same == len(one) and beside + same == len(other):
            return _way(state, came)
        # The nearest to the difference comes last, and is taken up first.
        for place, pair in spellings.pairs_at(one, at + max(0, same - reach), at + same + 1):
            following = (place + len(pair[0]), beside + place - at + len(pair[1]))
            if following not in came and other.startswith(pair[1], beside + place - at):
                came[following] = (state, pair)
                waiting.append(following)
    return [] if waiting else None


def _way(state: State, came: Mapping[State, tuple[State, Pair] | None]) -> list[Pair]:
    used = []
    while (step := came[state]) is not None:
        state, pair = step
        used.append(pair)
    return used


def _common(one: str, at: int, other: str, beside: int) -> int:
    """Characters that are the same from two positions on: in steps that double, then halve."""
    low, step, most = 0, 64, min(len(one) - at, len(other) - beside)
    while low < most and one[at + low : at + low + step] == other[beside + low : beside + low + step]:
        low, step = low + step, 2 * step
    low, high = min(low, most), min(low + step, most)
    while low < high:
        middle = (low + high + 1) // 2
        if one[at + low : at + middle] == other[beside + low : beside + middle]:
            low = middle
        else:
            high = middle - 1
    return low


# --- spellings of a value --------------------------------------------------------------------------------------------


def _words_capitalised(text: str) -> str:
    """As the template filter ``title`` has it: the letter after an apostrophe stays small."""
    return "".join(part[:1].upper() + part[1:].lower() for part in re.split(r"([-\s({\[<]+)", text))


def _for_script(text: str) -> str:
    """As the template filter ``tojson`` has it."""
    return "".join(f"\\u{ord(char):04x}" if char in "<>&'" else char for char in text)


_CASES: tuple[Spell, ...] = (
    str,
    str.lower,
    str.upper,
    str.title,
    str.capitalize,
    _words_capitalised,
)
_ENCODINGS: tuple[Spell, ...] = (
    str,
    lambda text: normalize("NFC", text),
    lambda text: normalize("NFD", text),
    lambda text: json.dumps(text)[1:-1],
    lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    lambda text: _for_script(json.dumps(text)[1:-1]),
    lambda text: repr(text)[1:-1],
    quote,
    lambda text: quote(text, safe=""),
    quote_plus,
    escape,
)
PLAIN: Key = (("whole", 0), str, str)


@lru_cache(maxsize=4096)
def _spelled(fields: Fields, only: tuple[Key, ...] | None) -> Spellings:
    """Every pair of spellings that the same harmless transformation makes of the two values: the whole, a word of it or
    an initial; in another case; encoded for JSON, for an address or for HTML, in NFC or NFD.

    :param only: these transformations alone
    """
    found: dict[Pair, Key] = {}
    for one, other in fields:
        first, second = _parts(one), _parts(other)
        for key in only or [(part, case, code) for part in first for case in _CASES for code in _ENCODINGS]:
            part, case, code = key
            if part in first and part in second:
                pair = code(case(first[part])), code(case(second[part]))
                if pair[0] != pair[1]:
                    found.setdefault(pair, key)
    return Spellings(found)


def _parts(value: str) -> dict[Part, str]:
    words = value.split()
    parts = {("whole", 0): value, ("trimmed", 0): value.strip(), ("initial", 0): value.strip()[:1]}
    for number, word in enumerate(words):
        parts["word", number] = parts["word from the end", len(words) - number] = word
        parts["initial", number] = parts["initial from the end", len(words) - number] = word[:1]
    if len(words) > 1:
        parts["without the first", 0], parts["without the last", 0] = " ".join(words[1:]), " ".join(words[:-1])
    return parts


# --- differences, word by word ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Piece:
    """A stretch of a comparison: what both texts have, or what one has where the other has something else."""

    kind: Literal["same", "changed"]
    one: str
    other: str


_TOKEN = re.compile(r"\n|[^\S\n]+|[\u3000-\u9fff\uff00-\uffef]|[\w'’]+|.", re.DOTALL)


def pieces(one: str, other: str) -> list[Piece]:
    """Two texts as one, word by word; Chinese character by character."""
    start = _common(one, 0, other, 0)
    end = _common(one[start:][::-1], 0, other[start:][::-1], 0)
    # A word is not cut: back to where the last one begins, and on to where it ends.
    while start and re.match(r"\w", one[start - 1 : start]):
        start -= 1
    while end and re.match(r"\w", one[len(one) - end : len(one) - end + 1]):
        end -= 1
    end = min(end, len(one) - start, len(other) - start)
    before, after = one[:start], one[len(one) - end :]
    middle = _between(one[start : len(one) - end], other[start : len(other) - end])
    found = [Piece("same", before, before), *middle, Piece("same", after, after)]
    return [piece for piece in found if piece.one or piece.other]


def _between(one: str, other: str) -> Iterator[Piece]:
    first, second = _TOKEN.findall(one), _TOKEN.findall(other)
    if len(first) + len(second) > MOST_WORDS:
        yield Piece("changed", one, other)
        return
    for kind, a, b, c, d in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        old, new = "".join(first[a:b]), "".join(second[c:d])
        yield Piece("same" if kind == "equal" else "changed", old, new)


def undeclared(one: str, other: str, fields: Fields) -> list[Piece]:
    """The comparison of two texts in which only what the fields do not explain counts as changed."""
    reader = Comparer()
    return [
        Piece("same", piece.one, piece.one)
        if piece.kind == "changed" and reader.explains(piece.one, piece.other, fields)
        else piece
        for piece in pieces(one, other)
    ]
