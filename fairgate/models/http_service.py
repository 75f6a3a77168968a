"""A service of one's own: a JSON template out, a JMESPath expression into the JSON that comes back."""

import json
import re
from pathlib import Path
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError

from fairgate.config import Project
from fairgate.config.model import HttpSystem
from fairgate.config.section import Where
from fairgate.models.prompts import BodyTemplate, Prompt, inline_prompt
from fairgate.models.protocol import CallFailed, Question, Reply
from fairgate.models.secret import read_secret
from fairgate.models.text import answer_text, context_texts, excerpt, kind
from fairgate.models.transport import Transport, address
from fairgate.world import World


class HttpService:
    """One call of the service for each question."""

    def __init__(self, config: HttpSystem, project: Project, where: Where, world: World) -> None:
        """:raises ConfigError: for a template, a header or an expression that cannot be used"""
        self.concurrency = config.concurrency
        self.retries = config.retries
        self._config = config
        self._project = project
        self._where = where
        self._headers = _headers(config, project, (*where, "headers"))
        self._body = _body(config, project, (*where, "body"))
        self._answer = _Place("answer", config.answer, project, where)
        self._contexts = None if config.contexts is None else _Place("contexts", config.contexts, project, where)
        self._transport = Transport(
            world,
            read_secret(config.api_key_env, world.environ),
            concurrency=config.concurrency,
            timeout_s=config.timeout_s,
            key_header=config.api_key_header,
        )

    def request(self, question: Question) -> dict[str, Any]:
        """Method, address, headers and body, filled in."""
        return {
            "method": self._config.method,
            "url": self._config.url,
            "headers": {name: self._header(name, prompt, question) for name, prompt in self._headers.items()},
            "body": self._body.render(question),
        }

    def send(self, question: Question) -> Reply:
        """Call the service once."""
        request = self.request(question)
        by_query = self._config.method == "GET"
        answered = self._transport.exchange(
            request["method"],
            request["url"],
            json=None if by_query else request["body"],
            params=_query(request["body"]) if by_query else None,
            headers={name: text.encode() for name, text in request["headers"].items()},
        )
        value = answered.value
        return Reply(text=self._text(value), contexts=self._texts(value), left=answered.left)

    def describe(self) -> dict[str, Any]:
        """Type and address."""
        return {"type": "http", "model": None, "family": None, "address": address(self._config.url)}

    def files(self) -> list[Path]:
        """None: all of it stands in the configuration."""
        return []

    def close(self) -> None:
        """Give the connections back."""
        self._transport.close()

    def _header(self, name: str, prompt: Prompt, question: Question) -> str:
        text = prompt.render(question).strip()
        if re.search(r"[\x00-\x08\x0a-\x1f\x7f]", text):
            message = f"becomes a text with a line break or a control character (case {question.id})"
            raise self._project.error((*self._where, "headers", name), message)
        return text

    def _text(self, value: Any) -> str:
        found = self._answer.find(value)
        if found is None:
            raise CallFailed("no_answer", f"{self._answer} finds nothing in the reply, {kind(value)}")
        return answer_text(found, str(self._answer))

    def _texts(self, value: Any) -> tuple[str, ...] | None:
        return None if self._contexts is None else context_texts(self._contexts.find(value), str(self._contexts))


class _Place:
    """A key of the configuration whose JMESPath expression finds something in a reply."""

    def __init__(self, key: str, expression: str, project: Project, where: Where) -> None:
        self._key = key
        self._expression = expression
        self._compiled = _expression(expression, project, (*where, key))

    def __str__(self) -> str:
        return f"{self._key} '{self._expression}'"

    def find(self, value: Any) -> Any:
        """What the expression finds; None for nothing."""
        try:
            return self._compiled.search(value)
        except JMESPathError as error:
            detail = f"{self} does not fit the reply, {kind(value)}: {excerpt(str(error))}"
            raise CallFailed("bad_reply", detail) from None


def _headers(config: HttpSystem, project: Project, where: Where) -> dict[str, Prompt]:
    return {name: inline_prompt(text, project, (*where, name)) for name, text in config.headers.items()}


def _body(config: HttpSystem, project: Project, where: Where) -> BodyTemplate:
    if config.method == "GET" and not _is_query(config.body):
        found = kind(config.body)
        raise project.error(where, f"is {found}; GET sends it as the query, expected a mapping of names to values")
    return BodyTemplate(config.body, project, where)


def _is_query(body: Any) -> bool:
    if body is None:
        return True
    return isinstance(body, dict) and not any(isinstance(value, dict | list) for value in body.values())


def _query(body: Any) -> dict[str, str]:
    """The body as a query: texts as they are, everything else as JSON writes it, null left out."""
    found = {name: value for name, value in (body or {}).items() if value is not None}
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in found.items()
    }


def _expression(text: str, project: Project, where: Where) -> Any:
    try:
        return jmespath.compile(text)
    except JMESPathError as error:
        message = f"'{excerpt(text, 80)}' is no JMESPath expression: {excerpt(str(error))}"
        raise project.error(where, message) from None
