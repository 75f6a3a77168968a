"""A judge that is a model: asked for JSON, its reply checked, one repair attempt, and then missing evidence."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairgate.config.systems import Limits
from fairgate.judges.prompts import Ask, first_ask, repaired
from fairgate.judges.replies import Fields, Judgement, read_judgement
from fairgate.models.protocol import CallFailed, Question, Reply
from fairgate.models.text import excerpt
from fairgate.models.wire import Completion, Schema, Wanted, Wire

MORE_ROOM = 4
"""Times as many tokens, when the limit cut a reply off: a model that thinks aloud needs them."""


class ModelJudge:
    """A ``System`` that answers the tasks of ``fairgate.judges.tasks``.

    The text of its replies is JSON that was checked; their usage is that of all the calls it took.
    """

    def __init__(self, config: Limits, model: str, wire: Wire) -> None:
        """:param model: the model's name, to know a server's words about it"""
        self.concurrency = config.concurrency
        self.retries = config.retries
        self._model = model
        self._wire = wire
        self._factor = 1

    def request(self, question: Question) -> dict[str, Any]:
        """The body of the first request to a server that takes everything."""
        return self._wire.body(wanted(first_ask(question)))

    def send(self, question: Question) -> Reply:
        """Ask, and if the reply cannot be used, show the judge what was wrong and ask once more.

        Verdicts that are still missing then stay missing; ``bad_judgement`` when nothing can be used.
        """
        ask = first_ask(question)
        first, judged = self._attempt(ask, question.fields)
        if not judged.problems:
            return _reply(judged, first)
        second, mended = self._attempt(repaired(ask, first.text, judged.problems), question.fields, first)
        best = mended if mended.size() >= judged.size() else judged
        if best.value is None:
            raise self._unusable(ask, mended, second)
        return _reply(best, second)

    def describe(self) -> dict[str, Any]:
        """Type, model, family, address, and the parameters that the server refused."""
        return {**self._wire.describe(), "embedded": False}

    def files(self) -> list[Path]:
        """None: the prompts are part of fairgate, whose version stands for them."""
        return []

    def close(self) -> None:
        """Give the connections back."""
        self._wire.close()

    def _attempt(self, ask: Ask, fields: Fields, *before: Reply) -> tuple[Reply, Judgement]:
        """One reply, read; asked again with more room if the limit on tokens cut it off."""
        factor = self._factor
        completion, judged = self._ask(ask, fields, factor, *before)
        if not (completion.truncated and judged.problems):
            return completion.reply, judged
        if factor == 1:
            completion, judged = self._ask(ask, fields, MORE_ROOM, completion.reply)
        if completion.truncated and judged.value is None:
            cut_off = Judgement(None, ("it was cut off by the limit on tokens",))
            raise self._unusable(ask, cut_off, completion.reply)
        if not completion.truncated:
            self._factor = MORE_ROOM
        return completion.reply, judged

    def _ask(self, ask: Ask, fields: Fields, factor: int, *before: Reply) -> tuple[Completion, Judgement]:
        """One reply, read; it counts what was asked before it for the same question."""
        try:
            completion = self._wire.complete(wanted(replace(ask, room=ask.room * factor)))
        except CallFailed as failure:
            raise self._named(failure).after(before) from None
        completion = replace(completion, reply=completion.reply.after(before))
        return completion, read_judgement(completion.reply.text, ask.task, fields)

    def _named(self, failure: CallFailed) -> CallFailed:
        """Two reasons are a judge's own: it does not want to judge; its model is retired (a 404 that speaks of it)."""
        if failure.reason == "refused":
            return CallFailed("judge_refused", failure.detail).instead_of(failure)
        about_model = self._model in failure.said or re.search(r"\bmodel\b", failure.said, re.IGNORECASE)
        if failure.reason != "http_404" or not about_model:
            return failure
        return CallFailed("model_retired", failure.detail, final=True, said=failure.said).instead_of(failure)

    def _unusable(self, ask: Ask, judged: Judgement, reply: Reply) -> CallFailed:
        problems = excerpt("; ".join(judged.problems))
        detail = f"{self._model}: the reply to {ask.task.name} cannot be used, repair included: {problems}"
        return CallFailed("bad_judgement", detail).instead_of(reply)


def wanted(ask: Ask) -> Wanted:
    """What is wanted of a judge's model: JSON, as repeatably as it can."""
    messages = ({"role": "system", "content": ask.system}, *ask.turns)
    return Wanted(messages, schema=Schema(ask.task.name, ask.task.schema), room=ask.room, steady=True)


def _reply(judged: Judgement, reply: Reply) -> Reply:
    text = json.dumps(judged.value, ensure_ascii=False)
    return replace(reply, text=text, partial=bool(judged.problems))
