"""The reference page holds every key of the model, none that does not exist, and an example that is read."""

import re
from collections.abc import Callable
from pathlib import Path

from fairgate.config import Project
from fairgate.config.model import Config, Policy
from fairgate.config.schema import json_schema

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")
TABLED = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))


def _keys() -> set[str]:
    definitions = [definition.get("properties", {}) for definition in json_schema()["$defs"].values()]
    return set(Config.model_fields) | set(Policy.model_fields) | {key for keys in definitions for key in keys}


def test_every_key_has_its_row() -> None:
    assert _keys() - TABLED == set()


def test_no_row_without_a_key() -> None:
    assert TABLED - _keys() == set()


def test_defaults_are_those_of_the_model() -> None:
    for key, default in re.findall(r"^\| `(\w+)` \|.* Default `?([\w.:/]+?)`?\.(?: |$)", PAGE, re.MULTILINE):
        defaults = {str(value).rstrip("0").lower() for value in _defaults(key)}
        assert default.rstrip("0").lower() in defaults, (key, default, defaults)


def _defaults(key: str) -> list[object]:
    parts = [json_schema(), *json_schema()["$defs"].values()]
    return [
        part["properties"][key]["default"] for part in parts if "default" in part.get("properties", {}).get(key, {})
    ]


def test_the_example_is_read(read: Callable[[str], Project]) -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    config = read(example).config
    assert [suite.name for suite in config.swap] == ["loan-screen"]
    assert [suite.name for suite in config.fairness] == ["loan-decided"]
    assert [suite.name for suite in config.rag] == ["support-bot"]
