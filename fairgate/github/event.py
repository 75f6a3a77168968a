"""Which pull request a run is about, if any: a pure decision over the event that triggered it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fairgate.bar.base import Base

Origin = Literal["repository", "fork", "dependabot"]

_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_PULL_REQUEST_EVENTS = ("pull_request", "pull_request_target")
NOT_NAMED = "that the event does not name"
_DEPENDABOT = "dependabot[bot]"


@dataclass(frozen=True)
class Target:
    """The pull request to answer.

    :param head: the commit the author pushed, which is not the merge commit that was checked out
    :param origin: where it comes from; a run for a fork or for Dependabot has a read-only token and no secrets
    """

    number: int
    head: str
    origin: Origin


@dataclass(frozen=True)
class NoComment:
    """There is no pull request to answer, and why."""

    reason: str


def find_target(event: str, payload: Mapping[str, Any], actor: str) -> Target | NoComment:
    """Decide whom the run answers.

    :param event: name of the event, ``GITHUB_EVENT_NAME``
    :param payload: the event as GitHub delivered it
    :param actor: login of whoever triggered the run
    """
    if event not in _PULL_REQUEST_EVENTS:
        return NoComment(f"the event is {event}, not a pull request")
    pull = _mapping(payload.get("pull_request"))
    head = _mapping(pull.get("head"))
    number, sha = pull.get("number"), head.get("sha")
    if not isinstance(number, int) or number < 1 or not isinstance(sha, str) or not _SHA.fullmatch(sha):
        return NoComment(f"the payload of the {event} event names no pull request with a number and a head commit")
    return Target(number, sha, _origin(pull, actor))


def find_base(event: str, payload: Mapping[str, Any]) -> Base | None:
    """What a change is held against: the base that the event names; None where an event is about no change.

    :param event: name of the event, ``GITHUB_EVENT_NAME``
    :param payload: the event as GitHub delivered it
    """
    if event in _PULL_REQUEST_EVENTS:
        pull = _mapping(payload.get("pull_request"))
        head = _sha(_mapping(pull.get("head")).get("sha"))
        return Base(_sha(_mapping(pull.get("base")).get("sha")) or NOT_NAMED, head, asked_for=False)
    if event == "merge_group":
        group = _mapping(payload.get("merge_group"))
        return Base(_sha(group.get("base_sha")) or NOT_NAMED, _sha(group.get("head_sha")), asked_for=False)
    return None


def _sha(value: Any) -> str | None:
    return value if isinstance(value, str) and _SHA.fullmatch(value) else None


def base_branch(event: str, payload: Mapping[str, Any], ref: str) -> str | None:
    """The branch whose newest report a run is compared with: that of a pull request's or a merge group's base; of any
    other event on a branch that branch itself. None where there is no branch, as on a tag.

    :param ref: ``GITHUB_REF``
    """
    if event in _PULL_REQUEST_EVENTS:
        name = _mapping(_mapping(payload.get("pull_request")).get("base")).get("ref")
    elif event == "merge_group":
        name = _branch(_mapping(payload.get("merge_group")).get("base_ref"))
    else:
        name = _branch(ref)
    return name if isinstance(name, str) and name else None


def _branch(ref: Any) -> str | None:
    return ref.removeprefix("refs/heads/") if isinstance(ref, str) and ref.startswith("refs/heads/") else None


def read_payload(path: Path | None) -> Mapping[str, Any]:
    """The event as JSON; an empty mapping when there is no such file or it cannot be read as an object.

    Without it there is nobody to answer, which ``find_target`` says; the verdict does not depend on it.
    """
    if path is None:
        return {}
    try:
        return _mapping(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def _origin(pull: Mapping[str, Any], actor: str) -> Origin:
    if actor == _DEPENDABOT:
        return "dependabot"
    head, base = (_repository(pull.get(side)) for side in ("head", "base"))
    # The repository of a deleted fork is null: nothing that still could write here.
    return "repository" if head is not None and head == base else "fork"


def _repository(side: Any) -> str | None:
    name = _mapping(_mapping(side).get("repo")).get("full_name")
    return name.lower() if isinstance(name, str) else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
