"""What a terminal, and what a log, shows of a report and of a run."""

import io
import re

import pytest
from report_samples import REPORTS, report, swap_suite
from rich.console import Console

from fairgate.models.protocol import Missing, Question, Reply
from fairgate.progress import Progress
from fairgate.render.escape import log_line
from fairgate.render.terminal import print_report

ANSI = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def printed(name: str, width: int, terminal: bool = False) -> str:
    """The summary of a sample."""
    console = Console(file=io.StringIO(), width=width, force_terminal=terminal or None)
    print_report(REPORTS[name](), console)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_a_terminal_of_any_width_holds_every_line(name: str, width: int) -> None:
    lines = ANSI.sub("", printed(name, width, terminal=True)).splitlines()
    assert max(len(line) for line in lines) <= width


def test_counts_come_first_and_limits_last() -> None:
    text = printed("both", 120)
    places = [
        text.index(part) for part in ("795 read", "Stopped:", "fnr-by-sex", "loan-017", "Warnings (2)", "cannot tell")
    ]
    assert places == sorted(places)


def test_a_log_has_no_colour_and_no_broken_sentence() -> None:
    text = printed("both", 40)
    assert "\x1b" not in text
    assert (
        "Stopped: 31 of 200 cases got a different decision when only the person changed (3 are incomplete); "
        "the limit is 5 %." in text
    )


def test_at_most_five_flips() -> None:
    suite = swap_suite()
    console = Console(file=io.StringIO(), width=100)
    print_report(report(suite.model_copy(update={"examples": (suite.examples or []) * 3})), console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert sum(text.count(f"{one.case} (soc_trang)") for one in suite.examples or []) == 5


def test_nothing_in_a_text_is_markup_or_steers_the_terminal() -> None:
    suite = swap_suite().model_copy(update={"name": "[red]x[/red] [link=http://a.b]y \x1b[2J\u202e"})
    console = Console(file=io.StringIO(), width=200, force_terminal=True)
    print_report(report(suite), console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "[red]x[/red] [link=http://a.b]y \\u001b[2J\\u202e" in text
    assert "\x1b[2J" not in text
    assert "\u202e" not in text


QUESTION = Question(id="q", fields={})


def test_a_log_gets_one_line_at_the_start_and_one_at_the_end() -> None:
    console = Console(file=io.StringIO(), width=80)
    with Progress(console) as progress:
        progress.start("loan-screen", 3)
        for answer in (Reply("DUYỆT"), Missing("timeout", "late"), Reply("DUYỆT")):
            progress.on_answer(QUESTION, answer)
        progress.start("hiring", 1)
    assert console.file.getvalue().splitlines() == [  # type: ignore[attr-defined]
        "loan-screen: asking 3 questions",
        "loan-screen: 2 of 3 questions answered, 1 missing",
        "hiring: asking 1 question",
        "hiring: 0 of 1 question answered",
    ]


def test_a_terminal_gets_a_bar_that_goes_away() -> None:
    console = Console(file=io.StringIO(), width=80, force_terminal=True)
    with Progress(console) as progress:
        progress.start("[b]loan\x1b[2J", 2)
        progress.on_answer(QUESTION, Reply("DUYỆT"))
        progress.on_answer(QUESTION, Reply("DUYỆT"))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "[b]loan\\u001b[2J" in text
    assert "2 of 2 questions answered" in text


def test_a_run_that_asks_nothing_says_nothing() -> None:
    console = Console(file=io.StringIO())
    with Progress(console):
        pass
    assert console.file.getvalue() == ""  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("::error::pwn", "| ::error::pwn"),
        ("  ::stop-commands::x", "|   ::stop-commands::x"),
        ("a ##[error]b", "a # #[error]b"),
        ("a::b", "a::b"),
        ("x\n::error::y\x1b[31m", "x↵::error::y\\u001b[31m"),
    ],
)
def test_no_line_of_a_log_is_a_command(text: str, line: str) -> None:
    assert log_line(text) == line
