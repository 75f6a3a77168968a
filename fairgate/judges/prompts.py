"""The messages that a judge is sent: one template for each task in a shared frame, and the material as JSON.

The material is written as JSON strings, so that no text in it can close what it stands in. ``<`` and ``[INST`` are
escaped as well: some servers read the control tokens of their chat template even inside a message.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from fairgate.judges.replies import TASKS, Task
from fairgate.models.protocol import CallFailed, Question
from fairgate.models.text import whole

MOST_SHOWN = 4000
"""Characters of an unusable reply that are shown to the judge again."""

NUMBERED = ("claims", "contexts")
"""Fields whose entries a judge names by id."""


@dataclass(frozen=True)
class Ask:
    """What is sent to a judge, whatever it is sent over.

    :param turns: messages of user and assistant in turn, the first and the last of the user
    :param room: tokens that the reply may take
    """

    task: Task
    system: str
    turns: tuple[dict[str, str], ...]
    room: int


def task_of(question: Question) -> Task:
    """The task that a question to a judge names.

    :raises CallFailed: ``judge_cannot`` for any other
    """
    name = question.fields.get("task")
    if name not in TASKS:
        raise CallFailed("judge_cannot", f"a judge has no task {name!r}", asked=False)
    return TASKS[name]


def first_ask(question: Question) -> Ask:
    """The messages for a question."""
    task, fields = task_of(question), question.fields
    system = _render(task.name, count=fields.get("count", 0))
    return Ask(task, system, (_user("material", material=as_json(fields)),), task.room(fields))


def repaired(ask: Ask, reply: str, problems: Sequence[str]) -> Ask:
    """The same once more, after an unusable reply and what was wrong with it."""
    said = {"role": "assistant", "content": whole(reply)[:MOST_SHOWN].strip() or "{}"}
    return replace(ask, turns=(*ask.turns, said, _user("repair", problems=problems)))


def as_json(fields: Mapping[str, Any]) -> str:
    """The material of a question on one line, its claims and contexts numbered from 1."""
    material = {name: _numbered(value) if name in NUMBERED else value for name, value in fields.items()}
    material.pop("task", None)
    material.pop("count", None)
    text = whole(json.dumps(material, ensure_ascii=False))
    return text.replace("<", "\\u003c").replace("[INST", "\\u005bINST").replace("[/INST", "\\u005b/INST")


def _numbered(texts: Sequence[str]) -> list[dict[str, Any]]:
    return [{"id": number, "text": text} for number, text in enumerate(texts, start=1)]


def _user(template: str, **facts: Any) -> dict[str, str]:
    return {"role": "user", "content": _render(template, **facts)}


def _render(name: str, **facts: Any) -> str:
    return _templates().get_template(f"{name}.j2").render(facts).strip()


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("fairgate.judges"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - plain text for a model; the material in it is JSON
    )
