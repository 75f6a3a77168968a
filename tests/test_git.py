"""The commit of a real repository, told by git and, without git, by its files."""

import subprocess
from pathlib import Path

import pytest

from fairgate import git

WHO = ("-c", "user.name=t", "-c", "user.email=t@localhost")


def command(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *WHO, "-C", str(folder), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    command(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a.txt").write_text("a")
    command(tmp_path, "add", "a.txt")
    command(tmp_path, "commit", "-qm", "first")
    return tmp_path


def test_git_tells_commit_and_changes(checkout: Path) -> None:
    commit = command(checkout, "rev-parse", "HEAD")
    assert git.head(checkout) == git.Git(commit=commit, dirty=False)
    (checkout / "a.txt").write_text("b")
    assert git.head(checkout) == git.Git(commit=commit, dirty=True)


@pytest.mark.parametrize("state", ["branch", "packed", "detached"])
def test_without_git_its_files_tell_the_commit(checkout: Path, monkeypatch: pytest.MonkeyPatch, state: str) -> None:
    commit = command(checkout, "rev-parse", "HEAD")
    if state == "packed":
        command(checkout, "pack-refs", "--all")
    if state == "detached":
        command(checkout, "checkout", "-q", "--detach")
    monkeypatch.setenv("PATH", "")
    assert git.head(checkout) == git.Git(commit=commit, dirty=None)


def test_outside_of_a_repository_there_is_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert git.head(tmp_path) is None
    monkeypatch.setenv("PATH", "")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/none")
    assert git.head(tmp_path) is None
