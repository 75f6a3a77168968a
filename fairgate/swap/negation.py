"""Words that a pattern cut out of what denies them: ``DUYỆT`` in ``KHÔNG DUYỆT``, ``approve`` in ``disapprove``.

A pattern that is not anchored finds the approving word inside a refusal. Which words deny is a list, and no list is
whole: ``contexts.py`` warns, without one, where what stands before a finding depends on the person.
"""

import re
from unicodedata import category, name

NEAR = 60
"""Characters before a finding that are looked at."""

_MARKUP = re.compile(r"</?\w{1,10}\s*/?>|[*_~`\"'“”‘’«»‹›()\[\]{}<>|\\]")
_WITHIN_WORDS = re.compile(r"(?<=\w)['’](?=\w)")
"""The apostrophe of ``don't`` is part of the word, and no quote."""

_DENIES = (
    r"không|chưa|chẳng|chả|đừng|từ chối|bác bỏ|phản đối|"
    r"not|no|never|cannot|without|neither|nor|unable|decline[sd]?|refuse[sd]?|den(?:y|ies|ied)|\w+nʼt|"
    r"(?:do|does|did|is|are|was|ca|wo|would|should|could)nt"
)
_SOFTENS = (
    r"phải|được|phép|thể|nên|cần|đủ|điều kiện|để|đồng ý|đề nghị|là|phê|chấp|xét|thông qua|"
    r"be|been|being|to|yet|an?|the|recommend(?:ed|ing)?|currently|should"
)
_VERB_DENIES = r"not|never|cannot|unable|hardly|\w+nʼt|(?:do|does|did|is|are|was|ca|wo|would|should|could)nt"
"""What denies a verb also over an adverb and another verb: "cannot possibly approve", "don't want to approve"."""
_BEFORE = re.compile(
    rf"(?:^|[^\w])(?:{_DENIES})(?:[ -](?:{_SOFTENS})){{0,5}}[ -]?$"
    rf"|(?:^|[^\w])(?:{_VERB_DENIES})(?: [a-z]+){{0,3}} $"
    r"|(?:^|\W)(?:non|un|dis)[-‐‑]\s?$"
)
_BEFORE_HAN = re.compile(
    r"(?:不|未|没|沒|無|无|非|拒絕|拒绝|别|別|勿|莫)[予能可會会應应得宜獲获有被建議议同意通過过給给以 ]{0,3}$"
)
_WRAPPED = re.compile(r"(?<=\w)[^\S\n]*\n[^\S\n]*(?=\S*\Z)")
"""The end of a line that goes on with what was found, and no blank line."""
_BEHIND = re.compile(r"^ ?[:=?：？] ?(?:không|chưa|no|not|never|false|否)(?! ?\w)")

_NO_BLANKS = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
"""Scripts that put no blanks between words, so that a word may begin and end anywhere."""


def denied(before: str, behind: str) -> bool:
    """Whether a negation stands directly at what was found, with nothing but blanks and markup between.

    :param before: what stands before it in the answer, in NFC
    :param behind: what stands behind it
    """
    line = _plain(_WRAPPED.sub(" ", before).rpartition("\n")[2])
    return any(one.search(line) for one in (_BEFORE, _BEFORE_HAN)) or _BEHIND.search(_plain(behind)) is not None


def cut_out(before: str, text: str, behind: str) -> bool:
    """Whether what was found begins or ends inside a longer word or number."""
    return bool(text) and (_joined(_unescaped(before)[-1:], text[0]) or _joined(text[-1], behind[:1]))


def _plain(text: str) -> str:
    """In small letters, without markup, blanks folded; an apostrophe within a word is ``ʼ``, which is a letter."""
    text = _MARKUP.sub(" ", _WITHIN_WORDS.sub("ʼ", text.casefold()))
    return re.sub(r"\s+", " ", text)


def _unescaped(before: str) -> str:
    r"""A blank for a line break that JSON writes as ``\n`` at the end: its n is no letter of the word."""
    return " " if before[-2:] in (r"\n", r"\t", r"\r") else before


def _joined(left: str, right: str) -> bool:
    if not left or not right:
        return False
    if category(right)[0] == "M":
        return True
    return (left.isdigit() and right.isdigit()) or (_in_word(left) and _in_word(right))


def _in_word(character: str) -> bool:
    return category(character)[0] in "LM" and not name(character, "").startswith(_NO_BLANKS)
