"""YAML in, Python out, with the line of every key and value; nothing that the person wrote is lost or guessed.

The document is built from PyYAML's events, not with its constructors: so ``no`` stays ``no``, a repeated key is an
error instead of the last one winning, nothing can be executed, and aliases and depth are bounded while reading.
"""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from fairgate.config.values import Scalar, nfc, shown
from fairgate.errors import ConfigError

MAX_BYTES = 1 << 20
MAX_LINES = 20_000
MAX_VALUES = 10_000
"""Keys and values of a file. With the lines they bound the time that reading takes to about a second."""
MAX_DEPTH = 40
MAX_COPIES = 20_000
"""Values that aliases may add to a file."""

_OUTSIDE = "cases and prompts belong into files of their own"
_CONSTANTS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_JSON_NUMBER = re.compile(r"[+-]?(0|[1-9]\d{0,30})(\.\d{1,30})?([eE][+-]?\d{1,2})?", re.ASCII)
_QUOTING_TAGS = (None, "!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")


@dataclass
class Lines:
    """Where a value stands: its line, the line of each of its keys, and its children by key or position."""

    line: int
    keys: dict[str, int] = field(default_factory=dict)
    children: dict[str | int, "Lines"] = field(default_factory=dict)
    size: int = 1


@dataclass(frozen=True)
class Document:
    """What a file says: dicts with NFC keys, lists, ``Scalar`` for unquoted and ``str`` for quoted scalars."""

    file: Path
    data: Any
    lines: Lines

    def locate(self, where: tuple[str | int, ...]) -> tuple[int, str]:
        """Line and written path of a place in the model.

        A position 0 that the person did not write (one mapping standing for a list), a mark between ``<`` and ``>``
        (a branch of the model) and the mark of a key are no part of the path. A place that does not exist has the line
        of its parent.

        >>> Document(Path("f"), {"a": ["x"]}, Lines(1, {"a": 1}, {"a": Lines(2, {}, {0: Lines(3)})})).locate(("a", 0))
        (3, 'a[0]')
        """
        here: Lines | None = self.lines
        line, path = self.lines.line, ""
        for step in where:
            if here is not None and step in here.children:
                line, here = here.keys.get(str(step), here.children[step].line), here.children[step]
            elif _is_unwritten(step) and (here is not None or isinstance(step, str)):
                continue
            else:
                here = None
            path += _path_step(step, first=not path)
        return line, path

    def problem(self, where: tuple[str | int, ...], message: str) -> tuple[int, str]:
        """Line, and the whole sentence: ``file:line: path: message``."""
        line, path = self.locate(where)
        return line, ": ".join(part for part in (f"{self.file}:{line}", path, message) if part)


def _is_unwritten(step: str | int) -> bool:
    return step in (0, "[key]") or (isinstance(step, str) and step.startswith("<") and step.endswith(">"))


def _path_step(step: str | int, *, first: bool) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if re.fullmatch(r"[\w-]+", step):
        return step if first else f".{step}"
    return f"[{shown(step)}]"


def read_document(file: Path, keys: str = "swap or fairness") -> Document:
    """Read one YAML file of at most ``MAX_BYTES``.

    :param keys: some that such a file has, for whoever wrote none
    :raises ConfigError: for everything that keeps the file from being one plain YAML mapping, with file and line
    """
    source = _read_text(file)
    if len(source.splitlines()) > MAX_LINES:
        raise ConfigError(f"{file}: has more than {MAX_LINES:,} lines; {_OUTSIDE}")
    try:
        return _Builder(file, source, keys).document()
    except yaml.reader.ReaderError as error:
        line = source.count("\n", 0, error.position) + 1
        raise ConfigError(
            f"{file}:{line}: found the character U+{error.character:04X}, which YAML does not allow"
        ) from None
    except yaml.MarkedYAMLError as error:
        raise ConfigError(f"{file}:{_syntax_problem(error, source)}") from None
    except (ValueError, OverflowError):
        # PyYAML turns an escape such as "\UFFFFFFFF" into a character without looking whether there is one.
        raise ConfigError(f"{file}:1: found an escape like \\U that stands for no character") from None


def _read_text(file: Path) -> str:
    if file.is_dir():
        raise ConfigError(f"{file}: is a folder, expected a YAML file")
    try:
        if file.exists() and not file.is_file():
            raise ConfigError(f"{file}: is no regular file (a pipe or a device), expected a YAML file")
        with file.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ConfigError(f"{file}: there is no such file") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(raw) > MAX_BYTES:
        raise ConfigError(f"{file}: is larger than 1 MiB; {_OUTSIDE}")
    return _decode(file, raw)


def _decode(file: Path, raw: bytes) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ConfigError(f"{file}:1: is UTF-16, expected UTF-8: save it as UTF-8")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        found = f"0x{raw[error.start]:02X}" if error.start < len(raw) else "the end of the file"
        raise ConfigError(f"{file}:{line}: found the byte {found}, which is not UTF-8: save it as UTF-8") from None


def _syntax_problem(error: yaml.MarkedYAMLError, source: str) -> str:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 1
    if "'\\t'" in (error.problem or ""):
        return f"{line}: tab on line {line}, use spaces"
    context = ""
    if error.context and error.context_mark:
        context = f" {error.context} that begins on line {error.context_mark.line + 1}"
    return f"{line}: is not valid YAML{context}: {error.problem}; look at indentation, colons and quotes"


def typed_scalar(text: str) -> Any:
    """What an unquoted scalar means where a JSON value is expected: YAML 1.2, with JSON's numbers and no others.

    >>> [typed_scalar(t) for t in ("0.2", "1e3", "no", "010", "12:30", "true", "~")]
    [0.2, 1000.0, 'no', '010', '12:30', True, None]
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _JSON_NUMBER.fullmatch(text):
        return json.loads(text.removeprefix("+"))
    return text


class _Builder:
    """Builds one document from the events of PyYAML's parser."""

    def __init__(self, file: Path, source: str, keys: str) -> None:
        self.file = file
        self.keys = keys
        self.events = yaml.parse(source, Loader=yaml.SafeLoader)
        self.anchors: dict[str, tuple[Any, Lines] | None] = {}
        self.copies = 0
        self.values = 0
        self.problems: list[tuple[int, str]] = []

    def document(self) -> Document:
        next(self.events)  # the stream begins
        if isinstance(next(self.events), yaml.StreamEndEvent):
            raise ConfigError(f"{self.file}:1: is empty, expected a mapping with keys like {self.keys}")
        start = next(self.events)
        data, lines = self._node(start, depth=0)
        next(self.events)  # the document ends
        if not isinstance(after := next(self.events), yaml.StreamEndEvent):
            self._refuse(after, "a second document begins, expected one: remove the line ---")
        if self.problems:
            raise ConfigError("\n".join(f"{self.file}:{line}: {text}" for line, text in sorted(self.problems)))
        if not isinstance(data, dict):
            raise self._stop(start, f"found {shown(data)}, expected a mapping with keys like {self.keys}")
        return Document(self.file, data, lines)

    def _node(self, event: yaml.Event, depth: int) -> tuple[Any, Lines]:
        if depth > MAX_DEPTH:
            raise self._stop(event, f"values are nested more than {MAX_DEPTH} deep")
        self._count(event)
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        assert isinstance(event, yaml.NodeEvent)  # noqa: S101 - nothing else can begin a value
        anchor = event.anchor
        if anchor:
            self.anchors[anchor] = None
        self._check_tag(event)
        node = self._build(event, depth)
        if anchor:
            self.anchors[anchor] = node
        return node

    def _count(self, event: yaml.Event) -> None:
        self.values += 1
        if self.values > MAX_VALUES:
            raise self._stop(event, f"the file holds more than {MAX_VALUES:,} keys and values; {_OUTSIDE}")

    def _build(self, event: yaml.NodeEvent, depth: int) -> tuple[Any, Lines]:
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(event, depth)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(event, depth)
        assert isinstance(event, yaml.ScalarEvent)  # noqa: S101 - the third kind of value there is
        return self._scalar(event), Lines(_line(event))

    def _mapping(self, start: yaml.Event, depth: int) -> tuple[Any, Lines]:
        data: dict[str, Any] = {}
        lines = Lines(_line(start))
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            self._count(event)
            key = self._key(event, depth)
            value, child = self._node(next(self.events), depth + 1)
            if key is None:
                continue
            if key in data:
                self._refuse(event, f"the key {shown(key)} is already on line {lines.keys[key]}; remove one of the two")
                continue
            data[key] = value
            lines.keys[key], lines.children[key] = _line(event), child
            lines.size += child.size
        return data, lines

    def _key(self, event: yaml.Event, depth: int) -> str | None:
        if not isinstance(event, yaml.ScalarEvent):
            self._node(event, depth + 1)
            self._refuse(event, "found a list, a mapping or an alias as a key, expected a name")
            return None
        self._check_tag(event)
        key = self._scalar(event)
        if isinstance(key, Scalar) and key in ("", "~"):
            self._refuse(event, "found an empty key, expected a name")
            return None
        if isinstance(key, Scalar) and key == "<<":
            self._refuse(event, "merge keys (<<) are not read: write the keys out")
            return None
        return nfc(str(key))

    def _sequence(self, start: yaml.Event, depth: int) -> tuple[Any, Lines]:
        data: list[Any] = []
        lines = Lines(_line(start))
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            value, child = self._node(event, depth + 1)
            lines.children[len(data)] = child
            lines.size += child.size
            data.append(value)
        return data, lines

    def _scalar(self, event: yaml.ScalarEvent) -> str:
        text: str = event.value
        if any("\ud800" <= character <= "\udfff" for character in text):
            self._refuse(event, "found half of a character (a lone surrogate escape), expected text")
        unquoted = event.implicit[0] and event.tag is None
        return Scalar(text, typed_scalar(text)) if unquoted else text

    def _alias(self, event: yaml.AliasEvent) -> tuple[Any, Lines]:
        if event.anchor not in self.anchors:
            raise self._stop(event, f"the alias *{event.anchor} has no anchor &{event.anchor} before it")
        node = self.anchors[event.anchor]
        if node is None:
            raise self._stop(event, f"the alias *{event.anchor} stands inside of what it names")
        self.copies += node[1].size
        if self.copies > MAX_COPIES:
            raise self._stop(event, f"aliases multiply this file by more than {MAX_COPIES} values")
        return node

    def _check_tag(self, event: Any) -> None:
        if event.tag not in _QUOTING_TAGS:
            self._refuse(event, f"found the tag {shown(event.tag)}: tags are not read, remove it")

    def _refuse(self, event: yaml.Event, problem: str) -> None:
        self.problems.append((_line(event), problem))

    def _stop(self, event: yaml.Event, problem: str) -> ConfigError:
        return ConfigError(f"{self.file}:{_line(event)}: {problem}")


def _line(event: yaml.Event) -> int:
    return int(event.start_mark.line) + 1 if event.start_mark else 1
