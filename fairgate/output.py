"""A run as files: ``report.json``, its renderings, and the evidence beside it."""

import json
import re
from pathlib import Path

from fairgate.errors import UsageError
from fairgate.gate import Run
from fairgate.render.markdown import document


def write(done: Run, out: Path) -> Path:
    """Write ``report.json``, ``report.md`` and ``evidence/`` below ``out``; returns the path of ``report.json``.

    :raises UsageError: the folder cannot be written
    """
    path = out / "report.json"
    write_text(path, done.report.to_json())
    write_text(out / "report.md", document(done.report))
    for suite, lines in done.evidence.items():
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        write_text(out / "evidence" / f"{file_name(suite)}.jsonl", text)
    return path


def write_text(path: Path, text: str) -> None:
    """Write a file as UTF-8, its folder made where it is missing; a lone surrogate is written as an escape.

    :raises UsageError: it cannot be written
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", errors="backslashreplace"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}; name another place") from error


def file_name(suite: str) -> str:
    """A suite's name as the name of a file: letters, digits, dots and dashes, never empty or hidden."""
    return re.sub(r"[^\w.-]+", "-", suite).strip(".-") or "suite"
