"""Which pull request a run answers."""

import json
from pathlib import Path
from typing import Any

import pytest

from fairgate.github.event import NoComment, Target, find_target, read_payload

HEAD = "0123456789abcdef0123456789abcdef01234567"


def pull(head: Any = "octo/repo", base: Any = "octo/repo", number: Any = 7, sha: Any = HEAD) -> dict[str, Any]:
    def side(name: Any) -> dict[str, Any]:
        return {"repo": {"full_name": name} if name else None}

    return {"pull_request": {"number": number, "head": {**side(head), "sha": sha}, "base": side(base)}}


@pytest.mark.parametrize("event", ["pull_request", "pull_request_target"])
@pytest.mark.parametrize(
    ("payload", "actor", "origin"),
    [
        (pull(), "mona", "repository"),
        (pull(head="Octo/Repo"), "mona", "repository"),
        (pull(head="mona/repo"), "mona", "fork"),
        (pull(head=None), "mona", "fork"),
        (pull(head=None, base=None), "mona", "fork"),
        (pull(), "dependabot[bot]", "dependabot"),
        (pull(head="mona/repo"), "dependabot[bot]", "dependabot"),
        (pull(), "dependabot", "repository"),
    ],
)
def test_a_pull_request_is_answered(event: str, payload: dict[str, Any], actor: str, origin: str) -> None:
    assert find_target(event, payload, actor) == Target(7, HEAD, origin)


@pytest.mark.parametrize(
    "event", ["merge_group", "push", "schedule", "workflow_dispatch", "workflow_run", "issue_comment", ""]
)
def test_any_other_event_is_not_answered(event: str) -> None:
    found = find_target(event, pull(), "mona")
    assert isinstance(found, NoComment)
    assert f"the event is {event}" in found.reason


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"pull_request": None},
        {"pull_request": []},
        pull(number="7"),
        pull(number=0),
        pull(sha=None),
        pull(sha="HEAD"),
        pull(sha=HEAD + " -->"),
        {"pull_request": {"number": 7, "head": None}},
    ],
)
def test_a_payload_that_names_no_pull_request(payload: dict[str, Any]) -> None:
    assert isinstance(find_target("pull_request", payload, "mona"), NoComment)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"x"', "\ud800"])
def test_a_payload_that_cannot_be_read_is_empty(tmp_path: Path, text: str) -> None:
    file = tmp_path / "event.json"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert read_payload(file) == {}
    assert read_payload(tmp_path / "none.json") == {}
    assert read_payload(None) == {}


def test_a_payload_is_read(tmp_path: Path) -> None:
    file = tmp_path / "event.json"
    file.write_text(json.dumps(pull()), encoding="utf-8")
    assert read_payload(file) == pull()
