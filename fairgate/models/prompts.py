"""Prompt files and JSON bodies: sandboxed Jinja2 over the fields of a case.

Text in a case is data, never a template: a value that contains ``{{ }}`` is put in as it stands.
"""

import re
import unicodedata
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from jinja2 import BaseLoader, Environment, Template, TemplateNotFound, TemplateSyntaxError, nodes
from jinja2.exceptions import UndefinedError
from jinja2.meta import find_referenced_templates

from fairgate.config import Project
from fairgate.config.section import Where
from fairgate.errors import ConfigError, FairgateError
from fairgate.models.deadline import OutOfTime, within
from fairgate.models.protocol import Fields, Question
from fairgate.models.sandbox import LONGEST as MAX_CHARACTERS
from fairgate.models.sandbox import Sandbox
from fairgate.models.text import excerpt, in_repository

RENDER_S = 10.0
"""Seconds for one prompt: a template that loops without end is given up on."""

Fail = Callable[[str], ConfigError]


class Prompt:
    """One template, ready to be filled with a case."""

    def __init__(self, template: Template, labels: dict[str, str], fail: Fail, *, loops: bool) -> None:
        """
        :param loops: whether it holds anything that can go round: only then rendering needs a limit in time
        :param labels: file name of a template, as tracebacks have it: how people know it
        :param fail: makes the error that names the place in ``fairgate.yaml``
        """
        self._template = template
        self._labels = labels
        self._fail = fail
        self._loops = loops

    def render(self, question: Question) -> str:
        """The text with the fields of the case filled in.

        :raises ConfigError: naming the line of the template and what is wrong there
        """
        try:
            if not self._loops:
                return self._rendered(question)
            return within(RENDER_S, lambda: self._rendered(question))
        except OutOfTime:
            raise self._fail(f"{self._label()}takes more than {RENDER_S:g} s (case {question.id})") from None
        except FairgateError:
            raise
        except UndefinedError as error:
            raise self._fail(self._line(error) + _undefined(str(error), question)) from None
        except Exception as error:  # noqa: BLE001 - a template is a program of its author, who has to mend what it raises
            what = f"{type(error).__name__}: {excerpt(str(error))}"
            raise self._fail(f"{self._line(error)}{what} (case {question.id})") from None

    def _rendered(self, question: Question) -> str:
        parts: list[str] = []
        size = 0
        for part in self._template.generate(names(question.fields)):
            parts.append(part)
            size += len(part)
            if size > MAX_CHARACTERS:
                raise self._fail(f"{self._label()}becomes longer than {MAX_CHARACTERS:,} characters")
        return "".join(parts)

    def _label(self) -> str:
        label = self._labels.get(self._template.filename or "")
        return f"{label}: " if label else ""

    def _line(self, error: BaseException) -> str:
        """``prompts/loan.md:3: ``: the innermost line of a template that an exception came through."""
        place, traceback = self._label(), error.__traceback__
        while traceback is not None:
            if label := self._labels.get(traceback.tb_frame.f_code.co_filename):
                place = f"{label}:{traceback.tb_lineno}: "
            traceback = traceback.tb_next
        return place


def names(fields: Fields) -> dict[str, Any]:
    """The variables of a template: the fields of the case, and ``fields`` for those whose name is no identifier.

    A template finds a field in composed and in decomposed spelling (``tên`` may be written in two ways).
    """
    decomposed = {unicodedata.normalize("NFD", name): value for name, value in fields.items()}
    return {"fields": fields} | decomposed | dict(fields)


def _undefined(message: str, question: Question) -> str:
    found = re.fullmatch(r"'(.+)' is undefined", message)
    known = ", ".join(question.fields) or "none"
    if not found:
        return f"{excerpt(message)}; the case {question.id} has the fields: {known}"
    near = get_close_matches(found[1], question.fields, n=1)
    hint = f" (did you mean '{near[0]}'?)" if near else ""
    return f"no field '{found[1]}'{hint}; the case {question.id} has: {known}"


class _RepositoryLoader(BaseLoader):
    """Finds templates beside the prompt file, inside the repository, and remembers which it read."""

    def __init__(self, folder: Path, project: Project) -> None:
        self.labels: dict[str, str] = {}
        self._folder = folder
        self._project = project

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        try:
            path = (self._folder / template).resolve()
        except (OSError, ValueError, RuntimeError):  # a NUL, a name too long, a loop of links
            raise TemplateNotFound(template, f"'{excerpt(template)}' cannot be a file") from None
        root = self._project.root.resolve()
        # .git may hold the token of the checkout; nothing in it is a prompt.
        if not path.is_relative_to(root) or ".git" in path.relative_to(root).parts:
            raise TemplateNotFound(template, f"'{template}' lies outside the repository")
        if not path.is_file():
            raise TemplateNotFound(template, f"there is no file '{template}'")
        self.labels[str(path)] = in_repository(path, self._project.root)
        return _read(path, self.labels[str(path)]), str(path), lambda: True


def _read(path: Path, label: str) -> str:
    try:
        raw = path.read_bytes()
        text = raw.decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{label}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise ConfigError(f"{label}:{line}: is not UTF-8; save the file as UTF-8") from None
    if len(text) > MAX_CHARACTERS:
        raise ConfigError(f"{label}: is longer than {MAX_CHARACTERS:,} characters: not a prompt")
    return text


_UNREADABLE = (RecursionError, SyntaxError, MemoryError, ValueError, OverflowError)
"""What Jinja and Python raise over a template that is nested beyond what they can compile, or holds a huge number."""


def _unreadable(error: BaseException) -> str:
    if isinstance(error, RecursionError | MemoryError):
        return "is nested too deeply to be read"
    return f"cannot be read: {excerpt(str(error))}"


def load_prompt(file: str, project: Project, where: Where) -> tuple[Prompt, list[Path]]:
    """A prompt file, and the files that it is made of (itself and what it includes by name).

    :raises ConfigError: missing, unreadable, outside the repository, not UTF-8, or not a template, with its own line
    """
    path = project.resolve(file, where)
    loader = _RepositoryLoader(path.parent, project)
    environment = Sandbox(loader)

    def fail(message: str) -> ConfigError:
        return project.error(where, message)

    try:
        template = environment.get_template(path.name)
        loops = _can_loop(environment, loader.get_source(environment, path.name)[0])
        _visit_includes(environment, loader, path.name, set())
    except TemplateSyntaxError as error:
        label = loader.labels.get(error.filename or "", in_repository(path, project.root))
        raise fail(f"{label}:{error.lineno}: {error.message}") from None
    except TemplateNotFound as error:
        raise fail(f"{in_repository(path, project.root)}: {error.message}") from None
    except ConfigError as error:
        raise fail(str(error)) from None
    except _UNREADABLE as error:
        raise fail(f"{in_repository(path, project.root)}: {_unreadable(error)}") from None
    return Prompt(template, loader.labels, fail, loops=loops), [Path(name) for name in loader.labels]


def _visit_includes(environment: Environment, loader: BaseLoader, name: str, seen: set[str]) -> None:
    """Compile what a template includes by a fixed name, so that its errors show before anything is asked."""
    seen.add(name)
    source, _, _ = loader.get_source(environment, name)
    for included in find_referenced_templates(environment.parse(source)):
        if included is not None and included not in seen:
            environment.get_template(included)
            _visit_includes(environment, loader, included, seen)


def _can_loop(environment: Environment, source: str) -> bool:
    """Whether a template has a loop, or a macro, or takes in another template, which may have some."""
    return next(environment.parse(source).find_all(_ROUND), None) is not None


_ROUND = (nodes.For, nodes.Macro, nodes.CallBlock, nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)


def inline_prompt(source: str, project: Project, where: Where) -> Prompt:
    """A template that stands in the configuration itself. It includes nothing.

    :raises ConfigError: when it is not a template
    """

    def fail(message: str) -> ConfigError:
        return project.error(where, message)

    try:
        template = Sandbox(None).from_string(source)
    except TemplateSyntaxError as error:
        raise fail(f"{error.message} (line {error.lineno} of the template)") from None
    except _UNREADABLE as error:
        raise fail(f"this template {_unreadable(error)}") from None
    return Prompt(template, {}, fail, loops=_can_loop(Sandbox(None), source))


class BodyTemplate:
    """A JSON value whose text leaves are templates; a leaf that is one ``{{ field }}`` keeps the field's JSON type."""

    def __init__(self, value: Any, project: Project, where: Where) -> None:
        """:raises ConfigError: at the leaf that is not a template"""
        self._value = _compiled(value, project, where)

    def render(self, question: Question) -> Any:
        """The value with the fields of the case filled in; raises ConfigError."""
        return _filled(self._value, question)


def _compiled(value: Any, project: Project, where: Where) -> Any:
    match value:
        case str():
            return _Leaf(value, inline_prompt(value, project, where))
        case dict():
            return {key: _compiled(item, project, (*where, key)) for key, item in value.items()}
        case list():
            return [_compiled(item, project, (*where, index)) for index, item in enumerate(value)]
        case _:
            return value


def _filled(value: Any, question: Question) -> Any:
    match value:
        case _Leaf():
            return value.render(question)
        case dict():
            return {key: _filled(item, question) for key, item in value.items()}
        case list():
            return [_filled(item, question) for item in value]
        case _:
            return value


class _Leaf:
    def __init__(self, source: str, prompt: Prompt) -> None:
        alone = re.fullmatch(r"\s*\{\{-?\s*(\w+)\s*-?\}\}\s*", source)
        self._field = unicodedata.normalize("NFC", alone[1]) if alone else None
        self._prompt = prompt

    def render(self, question: Question) -> Any:
        if self._field is not None and self._field in question.fields:
            return question.fields[self._field]
        return self._prompt.render(question)
