"""The page about systems names every reason for missing evidence that a system can give."""

import re
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
SOURCES = "\n".join(path.read_text(encoding="utf-8") for path in sorted((TOP / "fairgate" / "models").glob("*.py")))
REASONS = sorted(set(re.findall(r'CallFailed\(\s*"([a-z_0-9]+)"', SOURCES)) | {"connection_lost"})


def test_finds_the_reasons() -> None:
    assert {"unreachable", "timeout", "bad_reply", "missing_secret", "internal_error"} <= set(REASONS)


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_is_explained(reason: str) -> None:
    assert f"| `{reason}` |" in (TOP / "docs" / "systems.md").read_text(encoding="utf-8")
