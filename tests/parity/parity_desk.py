"""Fairness suites in a few words: a table of rows and some rules become files and a project."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fairgate.config import Project, load
from fairgate.parity.suite import check_fairness, judge_fairness
from fairgate.results import Finding, SuiteResult

Row = Mapping[str, object]
RULE = "{id: gap, rate: false_negative, attribute: sex, max_group_gap: 0.2}"
COLUMNS = "label: label\nprediction: prediction\nattributes: {sex: [female, male]}\n"


class Desk:
    """A folder in which a suite is written, judged and checked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, rows: Iterable[Row]) -> Path:
        """Rows as CSV; columns are those of the first row."""
        lines = [dict(row) for row in rows]
        text = "\n".join([",".join(lines[0]), *(",".join(str(cell) for cell in line.values()) for line in lines)])
        path = self.folder / name
        path.write_text(text + "\n")
        return path

    def project(self, *rules: str, columns: str = COLUMNS, more: str = "") -> Project:
        """A project with one suite over ``decided.csv``."""
        block = f"name: suite\ncases: decided.csv\n{columns}{more}\nrules:\n" + "\n".join(
            f"  - {rule}" for rule in rules
        )
        path = self.folder / "fairness.yaml"
        path.write_text("fairness:\n" + "\n".join(f"  {line}" for line in block.splitlines()) + "\n")
        return load(path)

    def judge(self, *rules: str, **options: Any) -> SuiteResult:
        """Judge ``decided.csv`` by some rules."""
        project = self.project(*(rules or (RULE,)), **options)
        return judge_fairness(project.config.fairness[0], project, ("fairness",), project.config.confidence)

    def check(self, *rules: str, **options: Any) -> list[Finding]:
        """What validate says about them."""
        project = self.project(*(rules or (RULE,)), **options)
        return check_fairness(project.config.fairness[0], project, ("fairness",), project.config.confidence)
