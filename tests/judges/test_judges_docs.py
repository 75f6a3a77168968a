"""The page about judges names every reason that a judge gives, and the numbers in the code."""

import re
from pathlib import Path

import pytest

from fairgate.judges.lexical import RELEVANT, SUPPORTED, WINDOW
from fairgate.judges.structured import MORE_ROOM
from fairgate.models.embeddings import BATCH

TOP = Path(__file__).resolve().parents[2]
PAGE = (TOP / "docs" / "judges.md").read_text(encoding="utf-8")
SYSTEMS = (TOP / "docs" / "systems.md").read_text(encoding="utf-8")
SOURCES = "\n".join(path.read_text(encoding="utf-8") for path in sorted((TOP / "fairgate" / "judges").glob("*.py")))
REASONS = sorted(set(re.findall(r'CallFailed\(\s*"([a-z_0-9]+)"', SOURCES)))


def test_finds_the_reasons() -> None:
    assert {"bad_judgement", "judge_refused", "judge_cannot", "model_retired"} <= set(REASONS)


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_is_explained(reason: str) -> None:
    assert f"| `{reason}` |" in PAGE + SYSTEMS


def test_states_the_numbers_of_the_code() -> None:
    assert f"hold {SUPPORTED:.0%}".replace("%", " %") in PAGE
    assert (RELEVANT, WINDOW, MORE_ROOM) == (0.5, 2, 4)
    assert "half of the expected answer's content words" in PAGE
    assert "four times the room" in PAGE
    assert f"{BATCH} texts a call" in PAGE
