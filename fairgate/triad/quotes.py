"""Whether a judge's quote is really in the contexts: what makes a claim more than supported on the judge's word."""

import re
import unicodedata
from collections.abc import Iterable

LEAST = 3
"""Letters and digits a quote has to have: two of them stand in nearly any text."""

_MARKS = r"\s\"'“”„‟‘’‚‛«»‹›「」『』《》〈〉`*_"
_BEFORE = re.compile(rf"\A(?:[{_MARKS}]|\.{{2,}})+")
_AFTER = re.compile(rf"[{_MARKS}.]+\Z")


def folded(text: str) -> str:
    """One spelling for what reads the same: NFKC, casefold, no invisible signs, white space as single blanks."""
    visible = "".join(char for char in unicodedata.normalize("NFC", text) if unicodedata.category(char) != "Cf")
    return " ".join(unicodedata.normalize("NFKC", visible).casefold().split())


def quote_found(quote: str | None, contexts: Iterable[str]) -> bool:
    """Whether one context holds the quote, word for word.

    Quotation marks, full stops and ellipses around it do not count; nothing may be left out inside. It has to have at
    least three letters or digits, and may not begin inside a word (``possible`` in ``impossible``) or cut a number
    (``4 months`` in ``24 months``). Scripts without capitals are not looked at for where their words begin.
    """
    wanted = _AFTER.sub("", _BEFORE.sub("", folded(quote or "")))
    if sum(char.isalnum() for char in wanted) < LEAST:
        return False
    return any(_holds(folded(context), wanted) for context in contexts)


def _holds(context: str, wanted: str) -> bool:
    start = context.find(wanted)
    while start >= 0:
        if _stands_alone(context[:start], wanted, context[start + len(wanted) :]):
            return True
        start = context.find(wanted, start + 1)
    return False


def _stands_alone(before: str, wanted: str, after: str) -> bool:
    if wanted[0].isdigit() and re.search(r"\d[.,]?\Z", before):
        return False
    if wanted[-1].isdigit() and re.match(r"[.,]?\d", after):
        return False
    return not (_has_case(wanted[0]) and before[-1:].isalpha() and _has_case(before[-1:]))


def _has_case(char: str) -> bool:
    return char.upper() != char.lower()
