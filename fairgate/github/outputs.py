"""The outputs of the step, in the form and within the size that the runner takes."""

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairgate.report import Report
from fairgate.results import SuiteResult

MAX_RESULT_BYTES = 32_768
"""Budget of ``result-json``: it is meant for expressions; whoever needs more reads ``report.json``."""


def of_report(report: Report, path: str) -> dict[str, str]:
    """The outputs of a run with a verdict.

    :param path: ``report.json`` relative to the workspace
    """
    flipped = [suite.flips.flipped for suite in report.suites if suite.flips is not None]
    return {
        "verdict": report.verdict,
        "exit-code": str(report.verdict.exit_code),
        "report": path,
        "flips": str(sum(flipped)) if flipped else "",
        "result-json": _result_json(report),
    }


def of_error(exit_code: int) -> dict[str, str]:
    """The outputs of a run that came to no verdict."""
    result = _dump({"verdict": None, "exit_code": exit_code, "suites": []})
    return {"verdict": "", "exit-code": str(exit_code), "report": "", "flips": "", "result-json": result}


def append(path: Path | None, outputs: Mapping[str, str]) -> None:
    """Append outputs to ``GITHUB_OUTPUT``; nothing happens where the runner has no such file.

    Each value stands between two lines with a delimiter nobody can know, so that no value can end itself and begin
    another output.

    :raises OSError: when the file cannot be written
    """
    if path is None:
        return
    delimiter = f"fairgate_{secrets.token_hex(16)}"
    lines = [f"{name}<<{delimiter}\n{value}\n{delimiter}\n" for name, value in outputs.items()]
    with path.open("a", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        file.write("".join(lines))


def _result_json(report: Report) -> str:
    """Verdicts of run, suites and rules as JSON; without the rules, then without the suites, when they are too many."""
    head: dict[str, Any] = {"verdict": report.verdict, "exit_code": report.verdict.exit_code, "name": report.name}
    for suites in (
        [_suite(suite, rules=True) for suite in report.suites],
        [_suite(suite, rules=False) for suite in report.suites],
    ):
        text = _dump({**head, "suites": suites})
        if len(text.encode()) <= MAX_RESULT_BYTES:
            return text
    return _dump({"verdict": report.verdict, "exit_code": report.verdict.exit_code})


def _suite(suite: SuiteResult, *, rules: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"name": suite.name, "kind": suite.kind, "verdict": suite.verdict}
    if rules:
        found["rules"] = [{"id": rule.id, "verdict": rule.verdict} for rule in suite.rules]
    return found


def _dump(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))  # ASCII: safe in every shell and log
