"""Fixtures: a scripted loopback server, a world whose sleep does not wait, and projects in a temporary folder."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from models_helpers import KEY, Build, Server, Sleeper, serve

from fairgate.config import Project, load
from fairgate.models.build import build_system
from fairgate.models.protocol import System
from fairgate.world import World


@pytest.fixture
def server() -> Iterator[Server]:
    with serve() as scripted:
        yield scripted


@pytest.fixture
def sleeper() -> Sleeper:
    return Sleeper()


@pytest.fixture
def world(sleeper: Sleeper) -> World:
    environ = {"PATH": "/usr/bin:/bin", "KEY": KEY, "BLANK": "  ", "NO_PROXY": "*"}
    return World(environ=environ, clock=time.monotonic, sleep=sleeper.sleep, chance=lambda: 0.0)


@pytest.fixture
def project(tmp_path: Path) -> Callable[[dict[str, Any]], Project]:
    """Makes a project with one system, ``it``, in a repository of its own."""

    def make(system: dict[str, Any]) -> Project:
        (tmp_path / ".git").mkdir(exist_ok=True)
        file = tmp_path / "fairgate.yaml"
        file.write_text(json.dumps({"systems": {"it": system}}, ensure_ascii=False, indent=1), encoding="utf-8")
        return load(file)

    return make


@pytest.fixture
def build(project: Callable[[dict[str, Any]], Project], world: World) -> Iterator[Build]:
    built: list[System] = []

    def make(system: dict[str, Any]) -> System:
        made = project(system)
        built.append(build_system(made.config.systems["it"], made, ("systems", "it"), world))
        return built[-1]

    yield make
    for system in built:
        system.close()
