"""Fixtures: a scripted loopback server, and judges that ask it."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from judges_desk import Judge
from pydantic import TypeAdapter

from fairgate.config import Project, load
from fairgate.config.triad import JudgeConfig
from fairgate.judges.build import build_judge
from fairgate.models.protocol import System
from fairgate.world import World
from tests.models.models_helpers import KEY, Server, Sleeper, serve


@pytest.fixture
def server() -> Iterator[Server]:
    with serve() as scripted:
        yield scripted


@pytest.fixture
def sleeper() -> Sleeper:
    return Sleeper()


@pytest.fixture
def world(sleeper: Sleeper) -> World:
    environ = {"KEY": KEY, "NO_PROXY": "*"}
    return World(environ=environ, clock=time.monotonic, sleep=sleeper.sleep, chance=lambda: 0.0)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / ".git").mkdir()
    (tmp_path / "fairgate.yaml").write_text("version: 1\n", encoding="utf-8")
    return load(tmp_path / "fairgate.yaml")


@pytest.fixture
def judge(server: Server, world: World, project: Project) -> Iterator[Judge]:
    """Makes a judge on the scripted server."""
    built: list[System] = []

    def make(type: str = "openai", **settings: Any) -> System:
        url = f"{server.url}/v1" if type == "openai" else server.url
        values = {"type": type, "model": "the-judge", "base_url": url, "timeout_s": 5, **settings}
        config: Any = TypeAdapter(JudgeConfig).validate_python(values if type != "lexical" else {"type": type})
        built.append(build_judge(config, project, ("judges", "it"), world))
        return built[-1]

    yield make
    for system in built:
        system.close()
