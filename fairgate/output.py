"""A run as files: ``report.json``, its renderings, and the evidence beside it."""

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path

from fairgate.errors import InputError, UsageError
from fairgate.gate import Run
from fairgate.models import journal
from fairgate.render.markdown import document
from fairgate.report import SCHEMA, Report

_OURS = ("journal", "journal.old")


def journal_path(out: Path) -> Path:
    """Where a run that is written below ``out`` keeps its journal."""
    return out / "evidence" / "journal.jsonl"


def prepare(out: Path) -> None:
    """Make the folder before a run, and take an earlier report away from it.

    A folder that cannot be written is known before anything is paid for, and a run that comes to no verdict does not
    leave another's standing. Only what fairgate wrote goes: a ``report.json`` that says so and the rendering beside it.

    :raises UsageError: the folder cannot be made or written
    """
    path = out / "report.json"
    try:
        out.mkdir(parents=True, exist_ok=True)
        if path.is_file() and SCHEMA in path.read_text(encoding="utf-8", errors="replace")[:200]:
            path.unlink()
            (out / "report.md").unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"{out}: cannot be written: {error.strerror or error}; name another folder") from error
    if not os.access(out, os.W_OK | os.X_OK):
        raise UsageError(f"{out}: cannot be written: no permission; name another folder")


def write(done: Run, out: Path) -> Path:
    """Write ``report.json``, ``report.md`` and ``evidence/`` below ``out``; returns the path of ``report.json``.

    :raises UsageError: the folder cannot be written
    """
    path = out / "report.json"
    write_text(path, done.report.to_json())
    write_text(out / "report.md", document(done.report))
    for name, lines in zip(file_names(list(done.evidence)), done.evidence.values(), strict=True):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        write_text(out / "evidence" / f"{name}.jsonl", text)
    if done.journal is not None:
        (journal.discard if done.private else journal.finish)(done.journal)
    return path


def last_report(path: Path) -> Report | None:
    """The report of an earlier run; None where there is no such file.

    :raises InputError: it is no report that this version can read
    """
    try:
        return Report.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        first = str(error).partition("\n")[0]
        raise InputError(f"{path}: is no report that this version can read: {first}; run the gate again") from None


def write_text(path: Path, text: str) -> None:
    """Write a file as UTF-8, its folder made where it is missing; a lone surrogate is written as an escape.

    :raises UsageError: it cannot be written
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", errors="backslashreplace"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}; name another place") from error


def file_names(suites: Sequence[str]) -> list[str]:
    """Names of suites as names of files: letters, digits, dots and dashes, never empty, hidden or twice the same."""
    names: list[str] = []
    for suite in suites:
        name = plain = _short(re.sub(r"[^\w.-]+", "-", suite)).strip(".-") or "suite"
        while name.casefold() in (other.casefold() for other in [*names, *_OURS]):
            name = f"{plain}-{len(names) + 1}"
        names.append(name)
    return names


def _short(name: str) -> str:
    """At most 150 bytes of a name: file systems count bytes, and stop at 255."""
    return name.encode()[:150].decode(errors="ignore")
