"""A configuration is written as text and read from a file of its own, as a person's is."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fairgate.config import Project, load


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str], Project]:
    """Write ``fairgate.yaml`` and load it."""

    def write_and_load(text: str) -> Project:
        file = tmp_path / "fairgate.yaml"
        file.write_text(text, encoding="utf-8")
        return load(file)

    return write_and_load


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared cases, beside the repository."""
    beside = Path(__file__).resolve().parents[2].parent / "shared"
    folder = beside if beside.is_dir() else Path(os.environ.get("FAIRGATE_SHARED", beside))
    if not folder.is_dir():
        pytest.skip("../shared is not here")
    return folder
