"""See ``bar_desk``."""

from pathlib import Path

import pytest

from tests.bar.bar_desk import Repository, repository


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """A repository with a base and a branch."""
    return repository(tmp_path / "repo")
