"""``fairgate compare``: the table of several reports, in a terminal and as Markdown."""

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from fairgate.baseline.table import Row, Table
from fairgate.render import answer_phrases, escape, phrases
from fairgate.wording import numbers, sentence


def columns() -> list[str]:
    """The titles of the table."""
    return sentence("comparison_columns").split(" | ")


def cells(row: Row) -> list[str]:
    """One row, as plain text."""
    gaps = [f"{axis} {numbers.points(gap)}" for axis, gap in row.gaps.items()]
    means = [f"{answer_phrases.metric(metric)} {numbers.score(mean)}" for metric, mean in row.means.items()]
    return [
        row.suite,
        row.source,
        phrases.word(row.verdict),
        sentence("comparison_flips", row=row),
        sentence("comparison_since", row=row),
        sentence("comparison_p", row=row),
        ", ".join(gaps) or numbers.MISSING,
        ", ".join(means) or numbers.MISSING,
    ]


def notes(table: Table) -> list[str]:
    """What a reader has to know beside the table."""
    said = [sentence("comparison_note", first=table.reports[0].source)]
    return [*said, *(row.why_not for row in table.rows if row.why_not)]


def print_table(table: Table, console: Console) -> None:
    """Print the table for a terminal: nothing in it is markup, nothing invisible."""
    grid = Grid(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for title in columns():
        grid.add_column(title, overflow="fold")
    for row in table.rows:
        grid.add_row(*(Text(escape.visible(cell)) for cell in cells(row)))
    console.print(grid)
    for note in notes(table):
        console.print(Text(escape.log_line(note)), highlight=False, soft_wrap=not console.is_terminal)


def markdown(table: Table) -> str:
    """The same as a Markdown table."""
    titles = columns()
    lines = [
        titles,
        [":---"] * len(titles),
        *([str(escape.markdown(cell)) for cell in cells(row)] for row in table.rows),
    ]
    rows = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([*rows, "", *(f"- {escape.markdown(note)}" for note in notes(table)), ""])
