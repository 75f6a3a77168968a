"""What every test may ask for."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def repository() -> Path:
    """The top of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of inputs with known answers beside the checkout; the test is skipped where it is absent."""
    folder = Path(os.environ.get("FAIRGATE_SHARED", REPOSITORY.parent / "shared"))
    if not folder.is_dir():
        pytest.skip("../shared is not here")
    return folder
