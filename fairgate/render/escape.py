"""The one place of escaping: text of a case, a model or a file becomes text a person can trust, in Markdown or plain.

Two steps, both total functions:

* ``visible`` writes out what cannot be seen (controls, ANSI, bidi overrides, zero-width and tag characters, lone
  surrogates) as ``\\uXXXX``, so that what is read is what is there. Joiners that a script or an emoji needs stay.
* ``markdown`` turns every character that Markdown, HTML or GitHub gives a meaning into a character reference, which is
  never structure (CommonMark 0.31, section 2.5), and parts what GitHub links *after* rendering (``@name``, ``#12``,
  addresses, commit ids, ``:emoji:``) with a zero-width space.

The Markdown environment applies ``markdown`` to every value that is not ``Markup`` yet: no template can forget it.
"""

import re
import unicodedata

from markupsafe import Markup

LINE_BREAK = "↵"
"""Stands for a line break inside a value."""

PART = "\u200b"
"""Zero-width space put into what GitHub would link. ``visible`` leaves none of the text's own."""

_LINE_BREAKS = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_ZWNJ, _ZWJ = "\u200c", "\u200d"
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0\u2800")
_SIGNS_IN_FORMAT_CATEGORY = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
_JOINING_SCRIPTS = re.compile("[\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc]")
_MOST_MARKS = 8
"""Combining marks on one letter; Vietnamese needs two, pointed Hebrew four, a tower over the next lines more."""

_COMMIT = r"(?<!\w)(?=\d*[a-f])[0-9a-f]{3}(?=[0-9a-f]{4,37}(?!\w))"  # a plain number is left whole
_LINKED = r"@ | :(?=//) | www(?=\.)"  # addresses: the renderer links them everywhere, even between <code> tags
_LINKED_IN_CODE = re.compile(_LINKED, re.VERBOSE | re.IGNORECASE)
_LINKED_IN_FILE = rf"""
    {_LINKED} | \#(?=\d) | \bGH-(?=\d) | :(?=[\w+-]+:)             # issues, :emoji:
    | (?:(?<!\d): | :(?!\d+\Z))(?=[\w+-]+\Z)                     # ... whose end is a colon of the page; not 12:30
    """
_FLAGS = re.VERBOSE | re.IGNORECASE | re.ASCII
_IN_FILE = re.compile(_LINKED_IN_FILE, _FLAGS)
_LINKED_IN_TEXT = re.compile(rf"{_LINKED_IN_FILE} | {_COMMIT}", _FLAGS)
_MEANINGFUL = re.compile(
    r"""
    [\\`*_\[\]<>&|~$]                                # anywhere
    | \A[-+=\#:] | \A\d(?=\d{0,8}[.)](?:\s|\Z))   # the start of a list, a heading or a row of a table
    | \A[ ] | [ ]\Z                 # indented code, a hard line break
    """,
    re.VERBOSE,
)


def log_line(text: str) -> str:
    """A line fit for a log: nothing invisible in it, and nothing that a runner of workflows would obey.

    A runner looks for ``::`` at the start of a line, blanks before it skipped, and for ``##[`` anywhere.
    """
    line = visible(text).replace("##[", "# #[")
    return f"| {line}" if line.lstrip().startswith("::") else line


def visible(text: str) -> str:
    """The text with everything that cannot be seen written out; line breaks become ``↵``, tabs a blank.

    Letters of every script, emoji with their joiners, and the joiners of Arabic and Indic scripts stay as they are.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _LINE_BREAKS.sub(LINE_BREAK, text).replace("\t", " ")
    shown, marks = [], 0
    for index, char in enumerate(text):
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        can_be_seen = marks <= _MOST_MARKS and _can_be_seen(char, text[index - 1 : index], text[index + 1 : index + 2])
        shown.append(char if can_be_seen else _written_out(char))
    return "".join(shown)


def markdown(text: str) -> Markup:
    """The text as inline Markdown that shows exactly ``visible(text)``, wherever in a page it stands."""
    return _inline(text, _LINKED_IN_TEXT)


def in_file(text: str) -> Markup:
    """The same for a page that is a file: commit ids stay whole, to be copied; nothing links them there."""
    return _inline(text, _IN_FILE)


def code(text: str) -> Markup:
    """The text as ``<code>``: unlike backticks the same in and outside a table, whatever the text holds."""
    return Markup("<code>{}</code>").format(_inline(text, _LINKED_IN_CODE))


def fence(text: str) -> Markup:
    """The lines of a text in a code fence longer than any run of backticks in it."""
    lines = [visible(line) for line in _LINE_BREAKS.split(text)]
    ticks = "`" * max(3, 1 + max((len(run) for line in lines for run in re.findall("`+", line)), default=0))
    return Markup("\n".join([f"{ticks}text", *lines, ticks]))  # noqa: S704 - inert inside its fence


def finalize(value: object) -> Markup:
    """What Jinja does with the value of every ``{{ … }}`` in Markdown: escaped unless it is Markup already."""
    return value if isinstance(value, Markup) else markdown(str(value))


def finalize_file(value: object) -> Markup:
    """The same in a page that is a file."""
    return value if isinstance(value, Markup) else in_file(str(value))


def clip(text: str, length: int) -> str:
    """At most ``length`` characters, the last an ellipsis when something was cut off."""
    return text if len(text) <= length else text[: length - 1] + "…"


def _inline(text: str, linked: re.Pattern[str]) -> Markup:
    shown = visible(text)
    parted = linked.sub(lambda found: found[0] + PART, shown)
    escaped = _MEANINGFUL.sub(_reference, parted)
    if any(unicodedata.bidirectional(char) in ("R", "AL") for char in shown):
        escaped = f"\u2068{escaped}\u2069"  # first-strong isolate: right-to-left text moves nothing around it
    return Markup(escaped)  # noqa: S704 - the one place where text becomes Markup


def _reference(found: re.Match[str]) -> str:
    char = found[0]
    # GitHub reads $…$ as a formula even from a character reference; its manual names the span as the way out.
    return "<span>$</span>" if char == "$" else f"&#{ord(char)};"


def _written_out(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}"


def _can_be_seen(char: str, before: str, after: str) -> bool:
    if char in (_ZWNJ, _ZWJ):
        return _joins(char, before, after)
    if "\ufe00" <= char <= "\ufe0f":
        return bool(before) and unicodedata.category(before) in ("So", "Sm", "Po", "Nd", "Lo", "Sk")
    if "\U000e0100" <= char <= "\U000e01ef":
        return bool(before) and unicodedata.category(before) == "Lo"
    if char in _BLANK_LETTERS or ord(char) & 0xFFFE == 0xFFFE or "\ufdd0" <= char <= "\ufdef":
        return False
    if unicodedata.category(char) == "Cf":
        return char in _SIGNS_IN_FORMAT_CATEGORY
    return unicodedata.category(char) not in ("Cc", "Cs")


def _joins(char: str, before: str, after: str) -> bool:
    """Whether a (non-)joiner stands where its script or an emoji needs one, rather than hiding something."""
    if not before or not after:
        return False
    if _JOINING_SCRIPTS.match(before) and _JOINING_SCRIPTS.match(after):
        return True
    is_emoji = unicodedata.category(before) in ("So", "Sk") or before == "\ufe0f"
    return char == _ZWJ and is_emoji and unicodedata.category(after) in ("So", "Sm")
