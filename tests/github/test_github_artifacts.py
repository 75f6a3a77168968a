"""The newest report of a branch, fetched as an artifact: right ones, missing ones, forged ones, hostile ones."""

import io
import stat
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from fairgate.github import artifacts
from fairgate.github.artifacts import Absent, Found, Unusable, newest_report, report_in
from fairgate.github.client import Client
from fairgate.world import World
from tests.github.github_double import GitHubDouble, Reply

REPORT = b'{"schema": "fairgate.report/1"}'


def zipped(*members: tuple[str, bytes], compress: int = zipfile.ZIP_DEFLATED) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", compress) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return written.getvalue()


def client(github: GitHubDouble) -> Client:
    return Client(github.url, "job-token", World(environ={}, sleep=lambda _: None))


def newest(github: GitHubDouble, branch: str = "main") -> Found | Absent:
    return newest_report(client(github), "octo/repo", branch, "fairgate-report")


def reason(github: GitHubDouble) -> str:
    found = newest(github)
    assert isinstance(found, Absent)
    assert found.message
    return found.reason


@pytest.mark.parametrize("name", ["report.json", "fairgate-report/report.json"])
def test_the_newest_report_of_the_branch(github: GitHubDouble, name: str) -> None:
    github.upload(zipped((name, b"{}")))
    github.upload(zipped((name, REPORT), ("evidence/journal.jsonl", b"{}")), head_sha="c" * 40)
    assert newest(github) == Found(REPORT, "c" * 40, "2026-11-02T08:00:00Z")


def test_an_artifact_behind_a_page_of_others(github: GitHubDouble) -> None:
    github.upload(zipped(("report.json", REPORT)))
    for _ in range(120):
        github.upload(b"", head_branch="topic", created_at="2026-11-30T08:00:00Z")
    assert isinstance(newest(github), Found)


@pytest.mark.parametrize(
    "facts",
    [
        {"head_branch": "topic"},
        {"head_repository_id": 99},
        {"head_sha": "not a commit"},
        {"name": "another"},
        {"head_repository_id": None, "repository_id": None},
    ],
)
def test_what_is_not_of_this_branch_is_passed_over(github: GitHubDouble, facts: dict[str, Any]) -> None:
    artifact = github.upload(zipped(("report.json", REPORT)), **facts)
    if facts.get("repository_id", 1) is None:
        artifact["workflow_run"] = None
    assert reason(github) == "none"


def test_an_expired_one(github: GitHubDouble) -> None:
    github.upload(zipped(("report.json", REPORT)), expired=True)
    assert reason(github) == "expired"


def test_one_that_expires_between_list_and_download(github: GitHubDouble) -> None:
    artifact = github.upload(zipped(("report.json", REPORT)))
    github.before = lambda _, path: artifact.update(expired=True) if path.endswith("/zip") else None
    assert reason(github) == "expired"


def test_a_job_without_the_permission(github: GitHubDouble) -> None:
    github.may_read_actions = False
    found = newest(github)
    assert isinstance(found, Absent)
    assert found.reason == "not_permitted"
    assert "actions: read" in found.message


def test_a_server_that_is_down(github: GitHubDouble) -> None:
    github.script += [Reply(503, {"message": "down"})] * 4
    assert reason(github) == "unreachable"


def test_a_redirect_to_an_address_without_encryption(github: GitHubDouble) -> None:
    github.upload(zipped(("report.json", REPORT)))
    github.script += [Reply(302, None, {"Location": "ftp://storage.test/1"})]
    assert reason(github) == "unreachable"


def test_storage_that_lost_the_file(github: GitHubDouble) -> None:
    github.upload(zipped(("report.json", REPORT)))
    github.archives.clear()
    assert reason(github) == "unreachable"


def test_content_other_than_what_was_uploaded(github: GitHubDouble) -> None:
    github.upload(zipped(("report.json", REPORT)), digest="sha256:" + "0" * 64)
    assert reason(github) == "unreadable"


def test_the_download_is_bounded(github: GitHubDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    github.upload(zipped(("report.json", REPORT), ("more", bytes(range(256)) * 40), compress=zipfile.ZIP_STORED))
    monkeypatch.setattr(artifacts, "MAX_ARCHIVE", 1000)
    assert reason(github) == "unreachable"


def bomb() -> bytes:
    return zipped(("report.json", b" " * (artifacts.MAX_REPORT + 1)))


def lying_bomb() -> bytes:
    """An archive whose directory says that the report is small."""
    size = (artifacts.MAX_REPORT + 1).to_bytes(4, "little")
    return bomb().replace(size, (10).to_bytes(4, "little"))


def link() -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        info = zipfile.ZipInfo("report.json")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    return written.getvalue()


@pytest.mark.parametrize(
    "archive",
    [
        lambda: b"",
        lambda: b"<html>not a zip</html>",
        lambda: zipped(("report.json", REPORT))[:-30],
        lambda: zipped(("other.json", REPORT)),
        lambda: zipped(("a/report.json", REPORT), ("b/report.json", REPORT)),
        lambda: zipped(("../report.json", REPORT)),
        lambda: zipped(("/report.json", REPORT)),
        lambda: zipped(("..\\report.json", REPORT)),
        lambda: zipped(("C:/report.json", REPORT)),
        lambda: zipped(("report.json", REPORT), ("../../.bashrc", b"evil")),
        lambda: zipped(("report.json", REPORT), *((f"{i}", b"") for i in range(artifacts.MAX_MEMBERS))),
        bomb,
        lying_bomb,
        link,
    ],
)
def test_archives_that_are_no_report_folder(archive: Callable[[], bytes]) -> None:
    with pytest.raises(Unusable):
        report_in(archive())
