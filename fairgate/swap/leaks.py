"""Swapped values that also stand elsewhere in a case, where nothing swaps them: the person is not wholly another.

What is looked for is warned about, never replaced. A word is only a leak where it stands as a name of its own: "Lan" in
"Hà Lan" is part of another name, and "Thu" at the beginning of "Thu nhập" begins a sentence.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from unicodedata import normalize

from fairgate.results import Remark
from fairgate.swap.redaction import Redaction
from fairgate.swap.variants import Axes, CasePlan
from fairgate.wording import sentence

SHOWN = 3
"""Cases, and values, that a warning names."""

_ADDRESS = frozenset(re.findall(r"\w+", "anh chị ông bà cô chú bác em mr mrs ms miss dr sir madam"))
"""The word before a name is no part of it."""

_PERSON_WORDS = frozenset(
    re.findall(r"\w+", "he him his himself she her hers herself male female man woman nam nữ anh chị ông bà")
)
"""Words for a person that are looked for in lower case; other single words in lower case are everyday words."""

_OF_OTHERS = _PERSON_WORDS.union(
    re.findall(r"\w+", "em trai gái ruột họ rể dâu ngoại nội miền phía hướng việt đông tây giới")
)
"""Beside one of these a word for a person means a relative, a pair or a direction: anh trai, ông bà, phía nam."""

_HAN = re.compile(r"[\u3400-\u9fff]")
_NEAR = 60
"""Characters before a word in which its neighbour, or the beginning of its sentence, is looked for."""

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_BEFORE = re.compile(r"([\w'’]+)[ -]$")
_AFTER = re.compile(r"[ -]([\w'’]+)")
_BEGINNING = re.compile(r"(?:^|[\n.!?:;…•*。！？：；])[\s\"'“‘(\[–—-]*(?:\d+[.)]\s*)?$")


@dataclass(frozen=True)
class Leak:
    """A swapped value that stands in another field of the case.

    :param field: the field of the levels that it is a value of
    :param elsewhere: the field of the case that it stands in
    :param value: as it was looked for: the whole value, or the one of its words that tells the levels apart
    """

    axis: str
    field: str
    elsewhere: str
    value: str


def leaks(plans: Sequence[CasePlan], axes: Axes, redact: Sequence[str] = ()) -> Iterator[tuple[str, Remark]]:
    """One warning for each field of an axis and field of the cases, with the axis: which cases, which values.

    :param redact: fields whose values are not to be told
    """
    found: dict[tuple[str, str, str], dict[str, list[str]]] = defaultdict(dict)
    for plan in plans:
        for leak in leaks_in(plan, axes):
            values = found[leak.axis, leak.field, leak.elsewhere].setdefault(plan.case.id, [])
            values.append(_told(leak.value, plan, redact))
    for (axis, field, elsewhere), cases in found.items():
        values = list(dict.fromkeys(value for found_here in cases.values() for value in found_here))
        message = sentence(
            "swap_leak",
            axis=axis, field=field, elsewhere=elsewhere, values=values[:SHOWN], more=len(values) - SHOWN,
            cases=list(cases)[:SHOWN], count=len(cases),
        )  # fmt: skip
        yield axis, Remark(code="swapped_value_elsewhere", message=message)


def _told(value: str, plan: CasePlan, redact: Sequence[str]) -> str:
    return Redaction.of_case(redact, plan).text(value) if redact else value


def leaks_in(plan: CasePlan, axes: Axes) -> Iterator[Leak]:
    """Every leak of one case, once for each field that it stands in."""
    filled = {name for levels in axes.values() for people in levels.values() for name in people[0]}
    texts = [
        (name, _plain(text)) for name, value in plan.case.fields.items() if name not in filled for text in _texts(value)
    ]
    if not texts:
        return
    for axis, levels in axes.items():
        for field in next(iter(levels.values()))[0]:
            values = tuple(dict.fromkeys(str(variant.differs[field]) for variant in plan.grid))
            if len(values) == 1:
                continue  # nothing swaps it
            own = plan.case.fields.get(field)
            needles = _needles(values, own if isinstance(own, str) else "")
            seen: set[tuple[str, str]] = set()
            for elsewhere, text in texts:
                for needle in needles:
                    if (elsewhere, needle) not in seen and _found(needle, *text):
                        seen.add((elsewhere, needle))
                        yield Leak(axis, field, elsewhere, needle)


@lru_cache(maxsize=4096)
def _needles(values: tuple[str, ...], own: str) -> tuple[str, ...]:
    """What to look for: every value, and of a name of several words the first and the last when no other value has it.

    :param values: what the levels set the field to
    :param own: what the case says there itself, and no variant keeps
    """
    known = [normalize("NFC", value).strip() for value in (*values, own)]
    found: dict[str, None] = {}
    for number, value in enumerate(known):
        words = value.split()
        others = {word for other in known[:number] + known[number + 1 :] if other != value for word in other.split()}
        if _is_telling(value):
            found[value] = None
        if len(words) > 1 and all(word[:1].isupper() for word in words):
            found |= {word: None for word in (words[0], words[-1]) if word not in others and _is_telling(word)}
    return tuple(found)


def _is_telling(value: str) -> bool:
    """Whether finding the value elsewhere says something: not a number, a letter, or an everyday word."""
    if _HAN.search(value):
        return len(value) > 1
    if len(value) < 2 or not any(char.isalpha() for char in value):
        return False
    return len(value.split()) > 1 or value[:1].isupper() or value in _PERSON_WORDS


def stands_in(value: str, text: str) -> bool:
    """Whether a value stands in a text as itself: as whole words, and a single name not as part of another.

    Chinese has no blanks between words: there the characters are enough. Placeholders are not looked at.
    """
    return _found(value, *_plain(text))


def _plain(text: str) -> tuple[str, str]:
    """A text without the names of placeholders, in NFC; and the same in lower case."""
    plain = _PLACEHOLDER.sub("{}", normalize("NFC", text))
    return plain, plain.lower()


def _found(value: str, plain: str, lower: str) -> bool:
    if value.split(maxsplit=1)[0].lower() not in lower:
        return False
    if _HAN.search(value):
        return value in plain
    several = " " in value
    flags = re.IGNORECASE if several else 0
    words = r"\s+".join(re.escape(word) for word in value.split())
    for found in re.finditer(rf"(?<!\w){words}(?!\w)", plain, flags):
        whole = found.start() == 0 and found.end() == len(plain)
        if whole or several or (_is_a_name_of_its_own if value[:1].isupper() else _is_of_the_person)(plain, found):
            return True
    return False


def _neighbours(text: str, found: re.Match[str]) -> tuple[str, str]:
    """The words right before and right behind, with nothing but a blank or a hyphen between; empty without."""
    before = _BEFORE.search(text[max(0, found.start() - _NEAR) : found.start()])
    after = _AFTER.match(text, found.end())
    return before[1] if before else "", after[1] if after else ""


def _is_of_the_person(text: str, found: re.Match[str]) -> bool:
    return not any(word.lower() in _OF_OTHERS for word in _neighbours(text, found))


def _is_a_name_of_its_own(text: str, found: re.Match[str]) -> bool:
    """A capitalised word that neither begins a sentence nor stands beside another capitalised word."""
    before, after = _neighbours(text, found)
    if after[:1].isupper():
        return False
    if before.lower() in _ADDRESS:
        return True
    return not before[:1].isupper() and not _BEGINNING.search(text[max(0, found.start() - _NEAR) : found.start()])


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
