"""One comment for each comment-id of a pull request, whoever runs at the same time.

A comment of ours is known by its author and by a marker at the start of its body that says which run wrote it. GitHub
knows no conditional writes, so publishing is a loop: look at the comments, take the one step that a pure function
names, wait a moment, look again. It ends when the oldest comment of ours holds the newest content and no other is left.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fairgate.github.client import Client, GitHubError

MAX_BYTES = 65_536
"""Budget of a comment's body in UTF-8 bytes; GitHub states the limit as 65,536 characters."""

SETTLE_S = 1.0
"""How long a run waits before it looks whether another one wrote at the same moment."""

MAX_STEPS = 8

_MARKER = re.compile(
    r"<!-- fairgate id=(?P<id>[A-Za-z0-9._-]{1,64}) head=(?P<head>[0-9a-f]{40,64})"
    r" run=(?P<run>[0-9]{1,20}) attempt=(?P<attempt>[0-9]{1,9}) -->"
)


@dataclass(frozen=True)
class Stamp:
    """Which run wrote a comment, as its marker says."""

    comment_id: str
    head: str
    run: int
    attempt: int

    @property
    def age(self) -> tuple[int, int]:
        """Grows with time: a later run has a larger number, a re-run a larger attempt."""
        return self.run, self.attempt

    @property
    def marker(self) -> str:
        """The hidden first line of the body."""
        return f"<!-- fairgate id={self.comment_id} head={self.head} run={self.run} attempt={self.attempt} -->"

    def sign(self, text: str) -> str:
        """The body of a comment: marker first, then the text."""
        return f"{self.marker}\n{text}"

    @property
    def room(self) -> int:
        """UTF-8 bytes left for the text of a comment that carries this marker."""
        return MAX_BYTES - len(self.marker) - 1


def read_stamp(body: str) -> Stamp | None:
    """The stamp of a body that begins with a marker; a marker anywhere else is somebody's quotation."""
    found = _MARKER.match(body)
    return Stamp(found["id"], found["head"], int(found["run"]), int(found["attempt"])) if found else None


@dataclass(frozen=True)
class Ours:
    """A comment of ours as found on the pull request."""

    id: int
    url: str
    stamp: Stamp
    body: str


# --- the decision ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Create:
    """Write the first comment."""


@dataclass(frozen=True)
class Merge:
    """Give one comment this body (None: it is right already), then delete the others."""

    keep: int
    body: str | None
    delete: tuple[int, ...]


@dataclass(frozen=True)
class Done:
    """Nothing is left to do.

    :param url: of the comment; empty when there is none
    :param superseded: a newer run has written it, and it was left as it is
    """

    url: str = ""
    superseded: bool = False


def next_step(found: Sequence[Ours], stamp: Stamp, body: str, *, create: bool, written: bool) -> Create | Merge | Done:
    """What brings the comments of one comment-id closer to a single one with the newest content.

    Two runs that follow this at once agree: both keep the oldest comment, and both let the newest content win.

    :param found: all comments of ours with this comment-id
    :param stamp: of this run
    :param body: what this run has to say
    :param create: whether to write a comment where there is none
    :param written: this run has written already: of two steps of one run the first to come does not insist
    """
    if not found:
        return Create() if create and not written else Done()
    keep = min(found, key=lambda comment: comment.id)
    newest = max(found, key=lambda comment: (comment.stamp.age, -comment.id))
    others = tuple(comment.id for comment in found if comment is not keep)
    ours_is_newer = newest.stamp.age < stamp.age or (newest.stamp.age == stamp.age and not written)
    content = body if ours_is_newer else newest.body
    change = ours_is_newer or keep is not newest
    if change or others:
        return Merge(keep.id, content if change else None, others)
    return Done(keep.url, superseded=stamp.age < newest.stamp.age)


# --- the loop --------------------------------------------------------------------------------------------------------


class Conversation:
    """The comments of one pull request, as GitHub keeps them."""

    def __init__(self, client: Client, repository: str, number: int) -> None:
        """Nothing is sent yet."""
        self._client = client
        self._comments = f"/repos/{repository}/issues/{number}/comments"
        self._comment = f"/repos/{repository}/issues/comments"
        self._is_author: Callable[[Mapping[str, Any]], bool] | None = None

    def ours(self, comment_id: str) -> list[Ours]:
        """Our comments with this id, over every page."""
        is_author = self._is_author = self._is_author or self._author()
        found = []
        for item in self._client.items(self._comments):
            stamp = read_stamp(item.get("body") or "")
            if stamp is not None and stamp.comment_id == comment_id and is_author(item.get("user") or {}):
                found.append(_ours(item, stamp))
        return found

    def create(self, body: str) -> str:
        """Write a new comment and give its address."""
        created = self._client.post(self._comments, {"body": body})
        return str(created.get("html_url") or "")

    def merge(self, step: Merge) -> None:
        """Write first, delete after: at no moment is the newest content nowhere."""
        if step.body is not None:
            self._client.patch(f"{self._comment}/{step.keep}", {"body": step.body})
        for comment in step.delete:
            self._client.delete(f"{self._comment}/{comment}")

    def _author(self) -> Callable[[Mapping[str, Any]], bool]:
        """Who we are: a person's token says its login. The token of a job may not ask, and writes as a bot."""
        try:
            login = self._client.get("/user").get("login")
        except GitHubError as error:
            if error.status not in (403, 404):
                raise
            return lambda user: user.get("type") == "Bot"
        return lambda user: user.get("login") == login


def publish(
    conversation: Conversation, stamp: Stamp, text: str, *, create: bool, sleep: Callable[[float], None]
) -> Done:
    """Make the one comment say what this run found, unless a newer run has spoken.

    :param create: False leaves a pull request without a comment as it is; an existing comment is updated all the same
    :raises GitHubError: when GitHub refuses, or other runs keep changing the comment
    """
    body = stamp.sign(text)
    written, created = False, ""
    for _ in range(MAX_STEPS):
        step = next_step(conversation.ours(stamp.comment_id), stamp, body, create=create, written=written)
        if isinstance(step, Done):
            # A list may lag behind what was just created: the address is known all the same.
            return replace(step, url=step.url or created)
        if isinstance(step, Create):
            created, written = conversation.create(body), True
        else:
            written = (_merge(conversation, step) and step.body == body) or written
        sleep(SETTLE_S)
    raise GitHubError(f"the comment {stamp.comment_id} did not settle: other runs keep writing it")


def _merge(conversation: Conversation, step: Merge) -> bool:
    """Whether the step could be taken; not when another run deleted the comment between our look and our write."""
    try:
        conversation.merge(step)
    except GitHubError as error:
        if error.status != 404:
            raise
        return False
    return True


def _ours(item: Mapping[str, Any], stamp: Stamp) -> Ours:
    return Ours(int(item["id"]), str(item.get("html_url") or ""), stamp, str(item["body"]))
