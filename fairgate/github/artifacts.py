"""The report that the newest run on a branch left as an artifact: what a pull request is compared with.

An artifact is a file that some run made, so nothing in it is trusted until it is known whose it is: the list that
GitHub gives says which repository and which branch the run worked on. A run for a fork may work on a branch of any
name, and its artifacts stand in the same list; they are passed over. Nothing is ever unpacked to disk.
"""

import hashlib
import io
import re
import stat
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, Literal

from fairgate.github.client import Client, GitHubError
from fairgate.wording import sentence

REPORT = "report.json"
MAX_ARCHIVE = 256 * 2**20
MAX_REPORT = 64 * 2**20
MAX_MEMBERS = 10_000
MAX_LISTED = 1000
"""GitHub lists the newest first: an older one than a thousand others is no baseline any more."""

Reason = Literal["none", "expired", "not_permitted", "unreachable", "unreadable"]

_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True)
class Found:
    """A report, and the run that GitHub says left it.

    :param content: the bytes of ``report.json``, as little trusted as any file
    :param commit: the commit that the run was about
    :param when: the time the artifact was made, as GitHub writes it
    """

    content: bytes
    commit: str
    when: str


@dataclass(frozen=True)
class Absent:
    """There is no report to compare with, and why."""

    reason: Reason
    message: str


class Unusable(Exception):
    """An archive that is not what an upload of a report folder is."""


def newest_report(client: Client, repository: str, branch: str, name: str) -> Found | Absent:
    """The report in the newest artifact called ``name`` that a run on a branch of this repository left.

    :param repository: ``owner/name``
    :param branch: the base branch of the pull request
    """

    def absent(reason: Reason, error: object = "", when: str | None = None) -> Absent:
        facts = {"name": name, "branch": branch, "error": str(error), "when": when}
        return Absent(reason, sentence("baseline_artifact", what=reason, **facts))

    try:
        newest = _newest(client, repository, branch, name)
        if newest is None:
            return absent("none")
        if newest["expired"]:
            return absent("expired", when=newest["created_at"])
        archive = client.download(f"/repos/{repository}/actions/artifacts/{int(newest['id'])}/zip", MAX_ARCHIVE)
        _check_digest(archive, newest.get("digest"))
        return Found(report_in(archive), newest["workflow_run"]["head_sha"], str(newest["created_at"]))
    except GitHubError as error:
        if error.status == 410:
            return absent("expired")
        return absent("not_permitted" if error.status in {401, 403, 404} else "unreachable", error)
    except Unusable as error:
        return absent("unreadable", error)


def _newest(client: Client, repository: str, branch: str, name: str) -> Mapping[str, Any] | None:
    listed = client.items(f"/repos/{repository}/actions/artifacts", within="artifacts", name=name)
    own = _of_branch(islice(listed, MAX_LISTED), branch, name)
    return max(own, key=lambda artifact: str(artifact["created_at"]), default=None)


def _of_branch(artifacts: Iterable[Any], branch: str, name: str) -> Iterator[Mapping[str, Any]]:
    """Artifacts of runs on a branch of the repository itself; those of forks and of deleted runs are passed over."""
    for artifact in artifacts:
        run = artifact.get("workflow_run") if isinstance(artifact, dict) else None
        if not isinstance(run, dict) or artifact.get("name") != name or run.get("head_branch") != branch:
            continue
        own = run.get("repository_id") is not None and run.get("head_repository_id") == run.get("repository_id")
        if own and _SHA.fullmatch(str(run.get("head_sha"))):
            yield artifact


def _check_digest(archive: bytes, digest: Any) -> None:
    """Compare with the digest that GitHub took on upload, where it gives one."""
    if not isinstance(digest, str) or not digest.startswith("sha256:"):
        return
    if hashlib.sha256(archive).hexdigest() != digest.removeprefix("sha256:").lower():
        raise Unusable("its content is not what was uploaded")


def report_in(archive: bytes) -> bytes:
    """The one ``report.json`` in a zip archive, read in memory and within bounds.

    :raises Unusable: no zip, none or several reports, names that lead out of a folder, more than fits
    """
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            members = opened.infolist()
            if len(members) > MAX_MEMBERS:
                raise Unusable(f"it holds more than {MAX_MEMBERS} files")
            for member in members:
                _check_member(member)
            reports = [member for member in members if PurePosixPath(member.filename).name == REPORT]
            if len(reports) != 1:
                raise Unusable(f"it holds {len(reports)} files called {REPORT}, expected one")
            return _read(opened, reports[0])
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        # RuntimeError: a password; NotImplementedError: a kind of compression that nobody uploads.
        raise Unusable(f"it is no zip file that can be read ({type(error).__name__})") from None


def _check_member(member: zipfile.ZipInfo) -> None:
    path = PurePosixPath(member.filename)
    if path.is_absolute() or ".." in path.parts or "\\" in member.filename or ":" in member.filename:
        raise Unusable("a name in it leads out of its folder")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise Unusable("it holds a symbolic link")


def _read(opened: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """A member by its real size: what an archive says about itself may be a lie."""
    with opened.open(member) as stream:
        content = stream.read(MAX_REPORT + 1)
    if len(content) > MAX_REPORT:
        raise Unusable(f"its {REPORT} is larger than {MAX_REPORT // 2**20} MiB")
    return content
