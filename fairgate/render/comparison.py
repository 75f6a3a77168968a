"""``fairgate compare``: the table of several reports, in a terminal and as Markdown."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from fairgate.baseline.table import Row, Table
from fairgate.render import answer_phrases, escape, phrases
from fairgate.wording import numbers, sentence

_WIDTH = 24
"""Characters of a path on one line of the table."""


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
    names = short_names([report.source for report in table.reports])
    for row in table.rows:
        shown = cells(row.model_copy(update={"source": names[row.source]}))
        grid.add_row(*(Text(_folded(escape.visible(cell))) for cell in shown))
    console.print(grid)
    for note in notes(table):
        console.print(Text(escape.log_line(note)), highlight=False, soft_wrap=not console.is_terminal)


def short_names(sources: Sequence[str]) -> dict[str, str]:
    """Paths without the folders and the file name that all of them share: what tells them apart, or all of a single
    one's last part."""
    parts = [source.split("/") for source in dict.fromkeys(sources)]
    start = _shared(parts)
    end = _shared([part[start:][::-1] for part in parts])
    return {"/".join(part): "/".join(part[start : len(part) - end]) for part in parts}


def _shared(paths: Sequence[Sequence[str]]) -> int:
    """How many parts the paths begin with alike, one being left of each."""
    most = min(len(path) for path in paths) - 1
    return next((number for number in range(most) if len({path[number] for path in paths}) > 1), most)


def _folded(text: str) -> str:
    """A long path broken at its slashes and nowhere else, where it can be."""
    lines = [""]
    for part in text.split("/"):
        if lines[-1] and len(lines[-1]) + len(part) >= _WIDTH:
            lines.append("")
        lines[-1] += part + "/"
    return "\n".join(lines).removesuffix("/")


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
