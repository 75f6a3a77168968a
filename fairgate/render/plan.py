"""The plan of a run in a terminal: who is asked what, what it takes, what each rule can come to."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fairgate.plan.forms import Plan, Range
from fairgate.render import escape
from fairgate.wording import sentence
from fairgate.wording.numbers import MISSING


def print_plan(plan: Plan, console: Console) -> None:
    """Print calls with what they take, totals, rules, budgets and how the numbers were come by."""
    _line(console, sentence("plan_title", plan=plan), "bold")
    if plan.calls:
        _calls(plan, console)
    if plan.rules:
        _rules(plan, console)
    for title, lines in (("budget", plan.budget), ("method", plan.method)):
        if lines:
            _line(console, "")
            _line(console, sentence("plan_part", part=title), "bold")
        for line in lines:
            _line(console, f"  - {line}", "yellow" if title == "budget" else "")


def _calls(plan: Plan, console: Console) -> None:
    table = _table("calls", numbers=range(2, 6))
    for one in plan.calls:
        cells = [one.suite, f"{one.kind} {one.name}", _range((one.least, one.most)), _range(one.tokens)]
        table.add_row(*map(_text, [*cells, dollars(one.cost_usd), duration(one.seconds)]))
    totals = plan.totals
    cells = [sentence("plan_part", part="total"), "", _range(totals.calls), _range(totals.tokens)]
    table.add_section()
    table.add_row(*map(_text, [*cells, dollars(totals.cost_usd), duration(totals.seconds)]), style="bold")
    _line(console, "")
    console.print(table)


def _rules(plan: Plan, console: Console) -> None:
    table = _table("rules")
    for rule in plan.rules:
        style = "" if rule.can_pass else "yellow"
        table.add_row(_text(rule.suite), _text(rule.rule), _text(rule.message, style))
    _line(console, "")
    console.print(table)


def dollars(cost: Range | None) -> str:
    """US dollars, two digits that count: ``0.0123``, ``12.40``; ``–`` when not known."""
    return _range(cost, lambda value: f"{value:.2f}" if value >= 1 or value == 0 else f"{value:.2g}")


def duration(seconds: Range) -> str:
    """Seconds up to two minutes, then minutes, then hours."""
    return _range(seconds, _time)


def _time(seconds: float) -> str:
    if seconds <= 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds <= 7200 else f"{seconds / 3600:.1f} h"


def _range(ends: Range | tuple[int, int] | None, written: object = None) -> str:
    if ends is None:
        return MISSING
    write = written if callable(written) else lambda value: f"{value:,.0f}"
    low, high = (write(end) for end in ends)
    return low if low == high else f"{low} – {high}"


def _table(columns: str, numbers: range = range(0)) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for number, title in enumerate(sentence("plan_columns", of=columns).split(" | ")):
        table.add_column(title, overflow="fold", justify="right" if number in numbers else "left")
    return table


def _line(console: Console, text: str, style: str = "") -> None:
    console.print(_text(text, style), highlight=False, soft_wrap=not console.is_terminal)


def _text(text: str, style: str = "") -> Text:
    return Text(escape.log_line(text), style=style)
