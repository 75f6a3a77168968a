"""What a judge may reply to each task: the JSON Schema it is given, and the check that its reply has to pass.

A schema that a server enforces keeps the shape; it cannot keep ids from being wrong, missing or named twice. So every
reply is checked here, whoever made it.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, StrictBool, ValidationError

from fairgate.models.embedded import json_objects

Fields = Mapping[str, Any]


# --- shapes ----------------------------------------------------------------------------------------------------------


def _filled(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank")
    return text.strip()


Line = Annotated[str, AfterValidator(_filled)]
Id = Annotated[int, Field(strict=True)]
Quote = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]


class Claims(BaseModel):
    """Reply to ``list_claims``."""

    claims: list[Line]


class Checked(BaseModel):
    """The verdict on one claim. The quote comes first: a model that has to find it first judges by it."""

    id: Id
    quote: Quote = ""
    supported: StrictBool


class CheckedClaims(BaseModel):
    """Reply to ``check_claims``."""

    verdicts: list[Checked]


class Relevance(BaseModel):
    """The verdict on one context."""

    id: Id
    relevant: StrictBool


class JudgedContexts(BaseModel):
    """Reply to ``judge_contexts``."""

    verdicts: list[Relevance]


class Questions(BaseModel):
    """Reply to ``ask_back``."""

    questions: list[Line]


def _object(**properties: Any) -> dict[str, Any]:
    """An object with exactly these keys: what servers with strict schemas ask for."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_TEXT, _WHOLE, _FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}


# --- checks ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Judgement:
    """A reply, read.

    :param value: what can be used of it; None when nothing can
    :param problems: what was wrong with it, each in a few words, for the judge and for people
    """

    value: dict[str, Any] | None
    problems: tuple[str, ...] = ()

    def size(self) -> int:
        """How many claims, verdicts or questions can be used; −1 when nothing can."""
        return -1 if self.value is None else sum(len(entries) for entries in self.value.values())


def _claims(reply: Any, _: Fields) -> Judgement:
    return Judgement({"claims": _distinct(reply.claims)})


def _questions(reply: Any, fields: Fields) -> Judgement:
    """As many different questions as were asked for; fewer can be used, but not without a word."""
    found, count = _distinct(reply.questions), fields["count"]
    problems = () if len(found) >= count else (f"expected {count} different questions, found {len(found)}",)
    return Judgement({"questions": found[:count]}, problems)


def _distinct(lines: list[str]) -> list[str]:
    """Each text once, in the order of first appearance: one that is repeated must not count twice."""
    first: dict[str, str] = {}
    for line in lines:
        first.setdefault(" ".join(line.split()).casefold(), line)
    return list(first.values())


def _verdicts(expected: str) -> Callable[[Any, Fields], Judgement]:
    """The check of a list of verdicts about the entries of the field ``expected``."""

    def check(reply: Any, fields: Fields) -> Judgement:
        wanted = range(1, len(fields[expected]) + 1)
        times = Counter(verdict.id for verdict in reply.verdicts)
        problems = []
        if strays := sorted(set(times) - set(wanted)):
            problems.append(f"there is no id {_listed(strays)}; the ids are 1 to {len(wanted)}")
        if twice := sorted(id for id, count in times.items() if count > 1):
            problems.append(f"more than one verdict for id {_listed(twice)}")
        # With either of the two, nobody can say which verdict was meant for which entry.
        usable = not problems and bool(times or not wanted)
        if absent := [id for id in wanted if id not in times]:
            problems.append(f"no verdict for id {_listed(absent)}")
        found = [verdict.model_dump() for verdict in sorted(reply.verdicts, key=lambda verdict: verdict.id)]
        return Judgement({"verdicts": found} if usable else None, tuple(problems))

    return check


def _listed(ids: list[int]) -> str:
    return ", ".join(map(str, ids[:10])) + (", …" if len(ids) > 10 else "")


# --- tasks -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """One of the things that a judge is asked.

    :param schema: JSON Schema of the reply
    :param reply: its typed form
    :param check: what can be used of a reply of that form, given the fields of the question
    :param room: tokens that a reply may take
    """

    name: str
    schema: dict[str, Any]
    reply: type[BaseModel]
    check: Callable[[Any, Fields], Judgement]
    room: Callable[[Fields], int]


LEAST_ROOM = 1024

TASKS = {
    task.name: task
    for task in (
        Task(
            "list_claims",
            _object(claims=_list(_TEXT)),
            Claims,
            _claims,
            lambda fields: LEAST_ROOM + 2 * len(fields["answer"]),
        ),
        Task(
            "check_claims",
            _object(verdicts=_list(_object(id=_WHOLE, quote=_TEXT, supported=_FLAG))),
            CheckedClaims,
            _verdicts("claims"),
            lambda fields: LEAST_ROOM + 200 * len(fields["claims"]),
        ),
        Task(
            "judge_contexts",
            _object(verdicts=_list(_object(id=_WHOLE, relevant=_FLAG))),
            JudgedContexts,
            _verdicts("contexts"),
            lambda fields: LEAST_ROOM + 32 * len(fields["contexts"]),
        ),
        Task(
            "ask_back",
            _object(questions=_list(_TEXT)),
            Questions,
            _questions,
            lambda fields: LEAST_ROOM + 128 * fields["count"],
        ),
    )
}


# --- reading ---------------------------------------------------------------------------------------------------------


def read_judgement(text: str, task: Task, fields: Fields) -> Judgement:
    """What can be used of a judge's reply.

    The JSON object may stand in a fence or between sentences. If several different ones fit, none is taken: one of them
    may be quoted from the material.
    """
    values = json_objects(text)
    fitting: list[BaseModel] = []
    problems: tuple[str, ...] = ("there is no whole JSON object in it",)
    for value in values:
        try:
            reply = task.reply.model_validate(value)
        except ValidationError as error:
            problems = _told(error)
            continue
        if reply not in fitting:
            fitting.append(reply)
    match fitting:
        case [reply]:
            return task.check(reply, fields)
        case []:
            return Judgement(None, problems)
        case _:
            return Judgement(None, ("there are several different JSON objects in it",))


def _told(error: ValidationError) -> tuple[str, ...]:
    """The first few things that do not fit, without the values: they may be long."""
    problems = [(".".join(map(str, one["loc"])) or "the reply", one["msg"]) for one in error.errors()[:5]]
    return tuple(f"{place}: {message}" for place, message in problems)
