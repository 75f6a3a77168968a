"""Which encoding a text is in that is not UTF-8: told to the person who has to save it again, never used to read it.

Plausible is an encoding in which every byte is a letter that people of its region use every day: the frequent half of
the Chinese characters stands in the first rows of GB 2312 and of Big5, Vietnamese has a small alphabet of its own.
"""

from collections.abc import Callable
from unicodedata import category, normalize

_VIETNAMESE = frozenset("ăâđêôơư") | frozenset(
    normalize("NFC", vowel + tone) for vowel in "aăâeêioôơuưy" for tone in "\u0300\u0301\u0303\u0309\u0323"
)
_WESTERN = frozenset("àáâãäåæçèéêëìíîïñòóôõöøùúûüß€œ§°")
_CENTRAL = frozenset("áâăäąćčçďđéęëěíîľłńňóôőöŕřśšşťţúůűüýźžż")
_CYRILLIC = frozenset("абвгдежзийклмнопрстуфхцчшщъыьэюяёєіїґ")


def _letters(alphabet: frozenset[str]) -> Callable[[str], bool]:
    return lambda character: character.lower() in alphabet


def _first_rows(codec: str, lowest: int, highest: int) -> Callable[[str], bool]:
    """Characters whose lead byte lies where an encoding keeps its frequent ones."""

    def is_frequent(character: str) -> bool:
        code = character.encode(codec, "ignore")
        return len(code) == 2 and lowest <= code[0] <= highest

    return is_frequent


_CANDIDATES: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
    ("GBK", "gb18030", _first_rows("gb2312", 0xB0, 0xD7)),
    ("Big5", "big5hkscs", _first_rows("big5", 0xA4, 0xC6)),
    ("Shift JIS", "cp932", _first_rows("shift_jis", 0x82, 0x97)),
    ("EUC-KR", "cp949", _first_rows("euc_kr", 0xB0, 0xC8)),
    ("Windows-1258 (Vietnamese)", "cp1258", _letters(_VIETNAMESE)),
    ("Windows-1252 (Western European)", "cp1252", _letters(_WESTERN)),
    ("Windows-1250 (Central European)", "cp1250", _letters(_CENTRAL)),
    ("Windows-1251 (Cyrillic)", "cp1251", _letters(_CYRILLIC)),
)
_ENOUGH = 0.9
_CLOSE = 0.02
_SHOWN = 3


def looks_like(text: bytes) -> list[str]:
    """The most plausible encodings of some bytes, at most three, none when none is plausible.

    >>> looks_like("Nguyễn Thị Lan, nữ".encode("cp1258", "ignore")), looks_like("男,女,中国".encode("gbk"))
    (['Windows-1258 (Vietnamese)'], ['GBK'])
    """
    if _is_mostly_utf8(text):
        return []
    shares = {name: _share(text, codec, frequent) for name, codec, frequent in _CANDIDATES}
    best = max(shares.values())
    if best < _ENOUGH:
        return []
    return [name for name, share in shares.items() if share >= best - _CLOSE][:_SHOWN]


def _is_mostly_utf8(text: bytes) -> bool:
    """Whether it is UTF-8 with a broken place, where a guess at another encoding would lead astray."""
    odd = sum(byte > 127 for byte in text)
    read = sum(len(c.encode()) for c in text.decode("utf-8", "ignore") if not c.isascii())
    return 2 * read > odd


def _share(text: bytes, codec: str, is_frequent: Callable[[str], bool]) -> float:
    """Which part of the letters beyond ASCII is frequent, 0 where the bytes cannot be decoded."""
    try:
        decoded = normalize("NFC", text.decode(codec))
    except UnicodeDecodeError:
        return 0.0
    letters = [c for c in decoded if not c.isascii() and category(c)[0] not in "PZ"]
    return sum(map(is_frequent, letters)) / len(letters) if letters else 0.0
