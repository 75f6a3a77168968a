"""Every kind of system is built from its configuration, and every system keeps the protocol."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from models_helpers import KEY, Build, ask

from fairgate.config import load
from fairgate.errors import ConfigError
from fairgate.models.build import build_system
from fairgate.world import World

MODEL = {"type": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1", "concurrency": 3, "retries": 1}
SYSTEMS: dict[str, dict[str, Any]] = {
    "chat": {"type": "chat", "model": MODEL, "messages": [{"role": "user", "file": "prompt.md"}]},
    "http": {"type": "http", "url": "http://127.0.0.1:9/", "answer": "a", "concurrency": 3, "retries": 1},
    "command": {"type": "command", "command": [sys.executable], "concurrency": 3, "retries": 1},
    "python": {"type": "python", "callable": "mod_built:decide", "concurrency": 3, "retries": 1},
    "recorded": {"type": "recorded", "answers": "answers.jsonl"},
}


@pytest.mark.parametrize("kind", SYSTEMS)
def test_builds_every_kind(build: Build, tmp_path: Path, kind: str) -> None:
    (tmp_path / "prompt.md").write_text("Hello", encoding="utf-8")
    (tmp_path / "mod_built.py").write_text("def decide(fields): return 'yes'", encoding="utf-8")
    (tmp_path / "answers.jsonl").write_text("", encoding="utf-8")
    system = build(SYSTEMS[kind])
    assert (system.concurrency, system.retries) == ((1, 0) if kind == "recorded" else (3, 1))
    described = system.describe()
    assert described["type"] == kind
    assert {"model", "family"} <= set(described)
    assert all(path.is_file() for path in system.files())
    assert KEY not in repr(described)


def test_a_prompt_that_is_not_there_names_its_place(build: Build) -> None:
    with pytest.raises(ConfigError, match=r"fairgate\.yaml:\d+: systems\.it\.messages\[0\]\.file: "):
        build(SYSTEMS["chat"])


def test_every_value_of_the_configuration_can_be_sent_as_json(tmp_path: Path, world: World) -> None:
    file = tmp_path / "fairgate.yaml"
    odd = "{a: .nan, b: [1, .inf], c: 1e999, d: 2026-01-01, e: 010, f: null, g: 12:30}"
    file.write_text(
        "systems:\n"
        f"  chat: {{type: chat, model: {{type: openai, model: m}}, messages: [{{turns: h}}], params: {odd}}}\n"
        f"  http: {{type: http, url: 'http://x/', answer: a, body: {odd}}}\n",
        encoding="utf-8",
    )
    project = load(file)
    for name, config in project.config.systems.items():
        system = build_system(config, project, ("systems", name), world)
        json.dumps(system.request(ask()), allow_nan=False)
