"""What is shown, what is written out, and that nothing of it is structure."""

import re
from html.parser import HTMLParser

import pytest
from cmarkgfm import markdown_to_html_with_extensions
from cmarkgfm.cmark import Options
from hypothesis import example, given
from hypothesis import strategies as st

from fairgate.render import escape

EXTENSIONS = ["table", "autolink", "tagfilter", "strikethrough", "tasklist"]


class Seen(HTMLParser):
    """Tags and text of a piece of HTML, the text outside code, and the cells of each row of each table.

    The spans around dollar signs are no structure.
    """

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.text = self.linkable = ""
        self.tables: list[list[int]] = []
        self._in_code = 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "span":
            self.tags.append(tag)
        self._in_code += tag == "code"
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append(0)
        elif tag in ("th", "td"):
            self.tables[-1][-1] += 1

    def handle_endtag(self, tag: str) -> None:
        self._in_code -= tag == "code"

    def handle_comment(self, data: str) -> None:
        self.tags.append("<!-- -->")

    def handle_data(self, data: str) -> None:
        self.text += data
        self.linkable += " " if self._in_code else data


def shown(markdown: str) -> Seen:
    """The page as GitHub's renderer makes it."""
    options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES | Options.CMARK_OPT_GITHUB_PRE_LANG
    return Seen(markdown_to_html_with_extensions(markdown, options=options, extensions=EXTENSIONS))


def text_of(seen: Seen) -> str:
    """What a person reads: without what escaping put in, white space folded."""
    return " ".join(re.sub("[\u200b\u2068\u2069]", "", seen.text).split())


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("Nguyễn Thị Lan", "Nguyễn Thị Lan"),
        ("over 30\r\nmarried\ta", "over 30↵married a"),
        ("\x1b[32mPASS\x1b[0m \u202eLIAF\u202c", "\\u001b[32mPASS\\u001b[0m \\u202eLIAF\\u202c"),
        ("ع\u200bرب", "ع\\u200bرب"),
        ("עברית عربي", "עברית عربي"),
        ("👩\u200d🦽 ❤\ufe0f\u200d🔥", "👩\u200d🦽 ❤\ufe0f\u200d🔥"),
        ("می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष"),
        ("ad\u200dmin a\u200c", "ad\\u200dmin a\\u200c"),
        ("x\U000e0041\U000e0042", "x\\U000e0041\\U000e0042"),
        ("a\ud800b", "a\\ud800b"),
        ("a\ufeff\u00ad\u2066\u061c\x00\x9b", "a\\ufeff\\u00ad\\u2066\\u061c\\u0000\\u009b"),
        ("a\ufe01 \U000e0101", "a\\ufe01 \\U000e0101"),
        ("葛\U000e0100", "葛\U000e0100"),
        ("\u3164\uffff", "\\u3164\\uffff"),
        ("e" + "\u0301" * 10, "e" + "\u0301" * 8 + "\\u0301" * 2),
    ],
)
def test_visible_writes_out_what_cannot_be_seen(text: str, visible: str) -> None:
    assert escape.visible(text) == visible


HOSTILE = [
    "under 30 | single",
    "over 30\nmarried \\| other",
    "```\n</details><h1>passed</h1>",
    '<details><summary>x</summary><img src="https://example.invalid/a.png"><!-- ',
    '=HYPERLINK("https://example.invalid","click")',
    "-2+3+cmd",
    "1. one",
    "1.",
    "# title",
    "> quote",
    "---",
    ":---",
    "=====",
    "    code",
    "end  ",
    "a *b* _c_ **d** ~~e~~ `f`",
    "[a](https://example.invalid) ![b](c.png) [^1] [x]: y",
    "http://example.invalid www.example.invalid ftp://a.b",
    "a@example.invalid @octocat a@.b.com xmpp:a@b.cd mailto:a@b.cd",
    "&lt;b&gt; &#42; <b> &copy;",
    "- [ ] task",
    "$x^2$ $$y$$ $`z`$",
    "<script>alert(1)</script>",
    "<https://example.invalid>",
    "\\",
    "\\*",
    "|",
    "| --- |",
    "",
    " ",
]


@pytest.mark.parametrize("frame", ["{}", "- {}", "| a | b |\n| - | - |\n| {} | c |", "<b>{}</b>: x", "> {}", "x {} y"])
@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_is_never_structure(text: str, frame: str) -> None:
    seen, plain = shown(frame.format(escape.markdown(text))), shown(frame.format("word"))
    if text.strip():  # an empty value leaves an empty paragraph out
        assert seen.tags == plain.tags
    assert text_of(seen) == " ".join(plain.text.replace("word", escape.visible(text)).split())


@given(
    st.text(
        st.one_of(st.characters(), st.sampled_from("|\\`*_[]<>&~$#@:/.-+=!\n\r\t 1aw\u202e\u200d\ud800")), max_size=40
    )
)
@example("\x1b]8;;https://example.invalid\x07here\x1b]8;;\x07")
def test_any_text_is_shown_as_it_is_in_a_table(text: str) -> None:
    row = "| a | b |\n| - | - |\n| {} | {} |"
    seen = shown(row.format(escape.markdown(text), escape.code(text)))
    assert seen.tags == shown(row.format("a", "<code>b</code>")).tags
    written = " ".join(escape.visible(text).split())
    assert text_of(seen) == " ".join(f"a b {written} {written}".split())


LINKED = re.compile(
    r"@[\w-]|#\d|\bGH-\d|https?://|\bwww\.|:[\w+-]+:|(?<!\w)(?!\d+(?!\w))[0-9a-f]{7,40}(?!\w)", re.IGNORECASE | re.ASCII
)


@pytest.mark.parametrize(
    "text",
    [
        "@octocat",
        "#12",
        "GH-7 gh-7",
        "http://a.bc",
        "www.a.bc",
        ":tada: :+1:",
        "see 4b825dc and DEADBEEF",
        "o/r#3",
        "a :tada",
    ],
)
def test_what_github_links_after_rendering_is_parted(text: str) -> None:
    assert LINKED.search(f"{text}: x")
    assert not LINKED.search(shown(f"{escape.markdown(text)}: x").linkable)


@pytest.mark.parametrize("text", ["loan-017", "12000000", "soc trang", "12:30", "a/b, 5 % (c)", "Nguyễn Thị Lan"])
def test_common_text_stays_as_it_is(text: str) -> None:
    assert str(escape.markdown(text)) == text


def test_code_keeps_a_commit_whole_so_that_it_can_be_copied() -> None:
    assert escape.code("4b825dc642cb") == "<code>4b825dc642cb</code>"


def test_right_to_left_text_is_isolated() -> None:
    assert str(escape.markdown("עברית")) == "\u2068עברית\u2069"


@pytest.mark.parametrize("text", ["a@b.cd", "http://a.bc", "www.a.bc"])
def test_addresses_are_parted_in_code_too(text: str) -> None:
    assert shown(f"x {escape.code(text)}").tags == ["p", "code"]


@given(st.text(st.sampled_from("`~\n<>a \x1b"), max_size=40))
@example("```\n<b>")
def test_a_fence_is_longer_than_any_inside(text: str) -> None:
    assert shown(f"{escape.fence(text)}\n\nafter").tags == ["pre", "code", "p"]


@pytest.mark.parametrize(("text", "length", "clipped"), [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("", 3, "")])
def test_clip(text: str, length: int, clipped: str) -> None:
    assert escape.clip(text, length) == clipped
