"""Fixtures of the parity tests."""

from collections.abc import Callable
from pathlib import Path

import pytest
from parity_desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """An empty folder to write a suite in."""
    return Desk(tmp_path)


@pytest.fixture
def people() -> Callable[..., list[dict[str, object]]]:
    """``people(female=(3, 40), male=(8, 40))``: 40 cases with label 1 each, 3 and 8 of them predicted 0."""

    def rows(**groups: tuple[int, int]) -> list[dict[str, object]]:
        return [
            {"id": f"{sex}{i}", "label": 1, "prediction": int(i >= events), "sex": sex}
            for sex, (events, cases) in groups.items()
            for i in range(cases)
        ]

    return rows
