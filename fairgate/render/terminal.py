"""The report in a terminal: short, in the order of the comment, safe at any width and without colour."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fairgate.render import (
    answer_phrases,
    answers,
    bar,
    compared,
    escape,
    facts,
    flips,
    mitigations,
    outcomes,
    phrases,
)
from fairgate.report import Report
from fairgate.verdict import Verdict
from fairgate.wording import sentence

STYLES = {
    Verdict.PASS: "green",
    Verdict.FAIL: "bold red",
    Verdict.INSUFFICIENT_EVIDENCE: "yellow",
    Verdict.MANUAL_REVIEW: "magenta",
}

_EXAMPLES = 5
_NAMED = 10


def print_report(report: Report, console: Console) -> None:
    """Print what was counted, the verdict, the rules, five changed decisions and five answers, warnings, limits."""
    _counts(report, console)
    _print(console, "")
    _print(console, f"{phrases.word(report.verdict, 'run')}: {phrases.headline(report)}", STYLES[report.verdict])
    _bar(report, console)
    _rules(report, console)
    _open_ends(report, console)
    _compared(report, console)
    _flips(report, console)
    _mitigations(report, console)
    _answers(report, console)
    _warnings(report, console)
    _calls(report, console)
    _list(console, sentence("part_title", part="cannot_tell", warnings=0), report.cannot_tell)


def _print(console: Console, text: str, style: str = "") -> None:
    """One line of text: nothing in it is markup, nothing in it is invisible, and nothing of it is highlighted."""
    console.print(_text(text, style), highlight=False, soft_wrap=not console.is_terminal)


def _text(text: str, style: str = "") -> Text:
    return Text(escape.log_line(text), style=style)


def _list(console: Console, title: str, lines: list[str]) -> None:
    if not lines:
        return
    _print(console, "")
    _print(console, title, "bold")
    for line in lines:
        _print(console, f"  - {line}")


def _counts(report: Report, console: Console) -> None:
    if report.profile is not None:
        _print(console, report.profile.message)
    for suite in report.suites:
        _print(console, f"{suite.name}: {phrases.counted(suite)}.")
        for line in outcomes.lines(suite):
            _print(console, f"  {line}")
        for detail in [*suite.counts.details, *answer_phrases.cautions(suite)]:
            _print(console, f"  {detail}", "yellow")


def _bar(report: Report, console: Console) -> None:
    for note in bar.notes(report):
        _print(console, note, "yellow")
    if said := bar.nothing_lowered(report):
        _print(console, said)
    _list(console, bar.title(report), [change.message for change in bar.lowered(report, signed_off=False)])
    _list(console, sentence("bar_signoffs"), [entry.message for entry in report.signoffs])
    if entry := bar.to_sign(report):
        _print(console, "")
        _print(console, sentence("bar_sign_title"), "bold")
        for line in entry.split("\n"):
            _print(console, f"  {line}")


def _rules(report: Report, console: Console) -> None:
    judged = facts.judged(report)
    if not judged:
        return
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for title in sentence("rule_columns").split(" | "):
        table.add_column(title, overflow="fold")
    for item in judged:
        rule, spread = item.rule, phrases.spread(item.rule)
        cells = [
            rule.id,
            phrases.measured(item.suite, rule),
            f"{phrases.result(item.suite, rule)} ({spread})" if spread else phrases.result(item.suite, rule),
            phrases.limit(rule),
        ]
        table.add_row(_text(phrases.word(rule.verdict), STYLES[rule.verdict]), *map(_text, cells))
    _print(console, "")
    console.print(table)


def _open_ends(report: Report, console: Console) -> None:
    title = sentence("part_title", part="why", warnings=0)
    open_ends = [f"{item.rule.id}: {item.rule.message}" for item in facts.open_ends(report)]
    waiting = [f"{item.suite.name}: {item.review.message}" for item in facts.waiting(report)]
    _list(console, title, [*open_ends, *waiting])


def _compared(report: Report, console: Console) -> None:
    found = compared.section(report)
    if found is None:
        return
    _print(console, "")
    _print(console, found.title, "bold")
    for line in found.lines:
        _print(console, f"  - {line.text}")
        for item in line.items[:_NAMED]:
            _print(console, f"      {item}")
        if len(line.items) > _NAMED:
            _print(console, f"      {sentence('compared_more', more=len(line.items) - _NAMED)}")


def _flips(report: Report, console: Console) -> None:
    for suite in report.suites:
        if suite.flips and (suite.flips.flipped or suite.flips.control):
            ways = [phrases.control(suite.flips.control)] if suite.flips.control else []
            ways += [*flips.directions(suite), *flips.patterns(suite)]
            ways += [f"{way.axis}: {outcomes.refused_way(way)}" for way in suite.flips.refused]
            some = (suite.examples or [])[:_EXAMPLES]
            examples = [*flips.told_once(some), *map(flips.flip, flips.gathered(some))]
            _list(console, f"{sentence('part_title', part='flips', warnings=0)}: {suite.name}", [*ways, *examples])


def _mitigations(report: Report, console: Console) -> None:
    """What was tried and what to try; which fields to look at."""
    for suite in report.suites:
        tried = mitigations.tried(suite)
        if tried is not None:
            _print(console, "")
            _print(console, tried.title, "bold")
            if tried.rows:
                console.print(_tried_table(tried))
            beside = [f"{row[0].text}: {row[-1].small}" for row in tried.rows if row[-1].small]
            for line in [*beside, *tried.cautions, *([tried.suggestion] if tried.suggestion else [])]:
                _print(console, f"  - {line}")
        title = sentence("part_title", part="proxies", warnings=0)
        _list(console, f"{title}: {suite.name}", mitigations.proxies(suite))


def _tried_table(tried: mitigations.Tried) -> Table:
    """The numbers alone, so that it fits 80 columns; what is small in the comment stands in lines below."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for title in tried.columns:
        table.add_column(_text(title), overflow="fold")
    for row in tried.rows:
        table.add_row(*(_text(cell.text) for cell in row))
    return table


def _answers(report: Report, console: Console) -> None:
    for suite in report.suites:
        cases = answers.open_cases(suite)
        if cases:
            _print(console, "")
            _print(console, f"{sentence('part_title', part='answers', warnings=0)}: {suite.name}", "bold")
        for item in cases[:_EXAMPLES]:
            _print(console, f"  - {item.case.id}: {item.case.question}")
            for fault in item.faults:
                _fault(fault, console)
        if len(cases) > _EXAMPLES:
            _print(console, f"  {sentence('triad_more', answers=len(cases) - _EXAMPLES)}")


def _fault(fault: answers.Fault, console: Console) -> None:
    _print(console, f"    {answer_phrases.fault(fault)}")
    for claim in fault.claims[:_EXAMPLES]:
        _print(console, f"      “{claim.claim}”: {answer_phrases.claim(claim)}")


def _calls(report: Report, console: Console) -> None:
    """Who was asked and what it took, when anything was; what a reader has to know about it."""
    lines = [sentence("calls_account", account=account) for account in report.evidence.models]
    remarks = [remark.message for remark in report.evidence.remarks]
    _list(console, sentence("part_title", part="calls", warnings=0), [*lines, *remarks])


def _warnings(report: Report, console: Console) -> None:
    lines = [f"{suite.name}: {warning.message}" for suite in report.suites for warning in suite.warnings]
    _list(console, sentence("part_title", part="warnings", warnings=len(lines)), lines)
