"""Answers that an earlier step wrote: a JSONL file with ``id``, ``answer`` and, where it retrieves, ``contexts``."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairgate.config import Project
from fairgate.config.model import RecordedSystem
from fairgate.config.section import Where
from fairgate.errors import InputError
from fairgate.models.protocol import CallFailed, Question, Reply
from fairgate.models.text import answer_text, context_texts, excerpt, in_repository, kind, parse_json


@dataclass(frozen=True)
class Line:
    """One recorded answer; without one, the reason it is missing."""

    id: str
    answer: Any
    contexts: Any
    reason: str | None
    model: str | None
    number: int


class Recorded:
    """Looks answers up. A question's id carries a digest of its fields, so an answer to an older text never fits."""

    concurrency = 1
    retries = 0

    def __init__(self, config: RecordedSystem, project: Project, where: Where) -> None:
        """
        :raises ConfigError: when there is no such file
        :raises InputError: at the line that is no answer, or answers a question twice
        """
        self._path = _answers_file(config.answers, project, (*where, "answers"))
        self._label = in_repository(self._path, project.root)
        self._lines = read_answers(self._path, self._label)
        self._older = {_without_digest(line): line for line in self._lines}
        self._asked: set[str] = set()

    def request(self, question: Question) -> dict[str, Any]:
        """The fields: what was really asked, and how, only the earlier step knows."""
        return {"fields": dict(question.fields)}

    def send(self, question: Question) -> Reply:
        """Look the answer up."""
        self._asked.add(question.id)
        line = self._lines.get(question.id)
        if line is None:
            raise CallFailed("no_answer", self._absent(question.id))
        place = f"{self._label}:{line.number}"
        if line.answer is None and line.reason is not None:
            raise CallFailed(line.reason, f"{place} records no answer ({line.reason})")
        return Reply(
            text=answer_text(line.answer, f"the answer at {place}"),
            model=line.model,
            contexts=context_texts(line.contexts, f"contexts at {place}"),
        )

    def describe(self) -> dict[str, Any]:
        """Type, file, and how many of its answers belong to no question that was asked."""
        return {
            "type": "recorded",
            "model": None,
            "family": None,
            "answers": self._label,
            "recorded": len(self._lines),
            "unmatched": len(self._lines.keys() - self._asked),
        }

    def files(self) -> list[Path]:
        """The file with the answers."""
        return [self._path]

    def close(self) -> None:
        """Nothing to give back."""

    def _absent(self, question: str) -> str:
        older = self._older.get(_without_digest(question))
        if older is None:
            return f"{self._label} has no answer to {question}"
        found = f"{self._label} answers another text of {_without_digest(question)} ({older})"
        return f"{found}: made for another version of the suite? `fairgate variants` writes what is to be answered"


def _without_digest(question: str) -> str:
    return question.rpartition("#")[0] or question


def read_answers(path: Path, label: str) -> dict[str, Line]:
    """The recorded answers by id: lines of ``{"id": ..., "answer": ...}``, or of fairgate's own evidence.

    :param label: the file as people know it
    :raises InputError: naming the line
    """
    try:
        lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except OSError as error:
        raise InputError(f"{label}: cannot be read: {error.strerror}") from None
    found: dict[str, Line] = {}
    for number, raw in enumerate(lines, start=1):
        if not raw.strip():
            continue
        line = _line(raw, number, f"{label}:{number}")
        if line.id in found:
            raise InputError(f"{label}:{number}: '{line.id}' is answered twice, first on line {found[line.id].number}")
        found[line.id] = line
    return found


def _line(raw: bytes, number: int, place: str) -> Line:
    try:
        value = parse_json(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError(f"{place}: is not UTF-8") from None
    except ValueError as error:
        raise InputError(f"{place}: is no JSON object ({error}): {excerpt(raw.decode(), 80)}") from None
    if not isinstance(value, dict):
        raise InputError(f"{place}: is {kind(value)}, expected an object with id and answer")
    if not isinstance(value.get("id"), str) or not value["id"]:
        raise InputError(f"{place}: id is {kind(value.get('id'))}, expected a text as `fairgate variants` writes it")
    if "answer" not in value:
        raise InputError(f"{place}: there is no key answer; write null where the system gave none")
    if isinstance(value["answer"], dict | list):
        raise InputError(f"{place}: answer is {kind(value['answer'])}, expected a text or null")
    reason, model = value.get("reason"), value.get("model")
    if reason is not None and not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", str(reason)):
        raise InputError(f"{place}: reason is {kind(reason)}, expected a code like no_answer")
    return Line(
        value["id"], value["answer"], value.get("contexts"), reason, model if isinstance(model, str) else None, number
    )


def _answers_file(text: str, project: Project, where: Where) -> Path:
    if not (project.file.parent / text).exists():
        hint = "write the questions with `fairgate variants`, and let a step of your own answer them"
        raise project.error(where, f"there is no file '{text}' yet: {hint}")
    return project.resolve(text, where)
