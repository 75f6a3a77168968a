"""The table of ``fairgate compare`` in a terminal: paths that can be read."""

import io

import pytest
from rich.console import Console

from fairgate.baseline.table import Entry, Row, Table
from fairgate.render.comparison import print_table, short_names
from fairgate.verdict import Verdict


@pytest.mark.parametrize(
    ("sources", "names"),
    [
        (["out/a/report.json", "out/b/report.json"], ["a", "b"]),
        (["out/report.json", "out/deep/er/report.json"], ["report.json", "deep/er/report.json"]),
        (["report.json"], ["report.json"]),
        (["/tmp/x/report.json", "/tmp/x/report.json"], ["report.json", "report.json"]),
        (["a.json", "b.json"], ["a.json", "b.json"]),
        (["x/a.json", "y.json"], ["x/a.json", "y.json"]),
    ],
)
def test_what_all_paths_share_is_left_out(sources: list[str], names: list[str]) -> None:
    found = short_names(sources)
    assert [found[source] for source in sources] == names


def test_a_path_is_broken_at_its_slashes_alone() -> None:
    paths = ["runs/2026-11-30/screening/mitigated/report.json", "reports/main/report.json"]
    rows = [Row(suite="screen", kind="swap", source=path, verdict=Verdict.PASS) for path in paths]
    entries = [Entry(source=path, commit=None, when=None, verdict=Verdict.PASS) for path in paths]
    console = Console(file=io.StringIO(), width=110)
    print_table(Table(reports=entries, rows=rows), console)
    words = console.file.getvalue().split()  # type: ignore[attr-defined]
    assert {"runs/2026-11-30/", "screening/mitigated", "reports/main"} <= set(words)
