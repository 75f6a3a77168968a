"""The commit that is being judged and the one it is held against, as git tells them.

Without git the files of the repository still tell the commit that is checked out, and nothing else.
"""

import hashlib
import os
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from fairgate.errors import InputError
from fairgate.report import Git

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def head(folder: Path) -> Git | None:
    """The commit checked out in a repository, and whether files differ from it; None where there is none.

    :param folder: the top of the repository

    ``safe.directory`` is set for these calls alone: in a container the checkout belongs to another user, and the two
    read-only questions run nothing that a repository could bring along.
    """
    commit = _git(folder, "rev-parse", "--verify", "HEAD")
    if commit is None:
        read = _read_head(folder / ".git")
        return Git(commit=read) if read else None
    changes = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return Git(commit=commit, dirty=None if changes is None else bool(changes))


@dataclass(frozen=True)
class NoBase:
    """There is no base to compare with, and why: a code, and what git says of it."""

    reason: Literal["no_git", "no_commit", "shallow", "unknown_commit", "unrelated"]
    commit: str


@dataclass(frozen=True)
class Tree:
    """The files of one commit, read from git's objects without touching what is checked out.

    :param folder: the top of the repository
    :param commit: the full name of the commit
    """

    folder: Path
    commit: str

    @cached_property
    def files(self) -> frozenset[str]:
        """The paths of every file (and symbolic link) of the commit."""
        listed = _run(self.folder, "ls-tree", "-r", "-z", "--name-only", self.commit)
        return frozenset(os.fsdecode(name) for name in (listed or b"").split(b"\0") if name)

    def read(self, path: str) -> bytes | None:
        """The content of a file, symbolic links inside of the commit followed; None where there is none.

        :param path: from the top of the repository, with ``/``
        :raises InputError: there is one, but its content is not in this clone
        """
        if "\n" in path or "\0" in path:
            return None
        asked = os.fsencode(f"{self.commit}:{path}\n")
        found = _run(self.folder, "cat-file", "--batch", "--follow-symlinks", input=asked)
        header, _, content = (found or b"").partition(b"\n")
        # "<object> blob <size>"; anything else says that it is missing, a folder, or leads out of the repository.
        match header.split(b" "):
            case [_, b"blob", size] if len(content) > int(size):
                return content[: int(size)]
        if path in self.files:
            raise InputError(f"{path}: its content at the base commit {self.commit[:7]} is not in this clone")
        return None


def base(folder: Path, commit: str, head: str | None = None) -> Tree | NoBase:
    """The tree that a change is to be held against: what its author started from.

    :param folder: the top of the repository
    :param commit: the base as it is known outside: a commit, a branch, a tag
    :param head: the author's last commit, where the checkout may be GitHub's own merge of it with the base

    Where the checkout is a merge of the base and ``head``, its first parent is the base that it was merged with, which
    the branch may have left behind since. Else it is the merge base, so that what the base did meanwhile is not taken
    for this change. A shallow clone has neither.
    """
    checked_out = _git(folder, "rev-parse", "--verify", "HEAD")
    if checked_out is None:
        return NoBase("no_commit" if _git(folder, "--version") else "no_git", commit)
    parents = _parents(folder, checked_out)
    if head is not None and len(parents) == 2 and parents[1] == head:
        return Tree(folder, parents[0]) if _is_here(folder, parents[0]) else NoBase("shallow", parents[0])
    found = None if commit.startswith("-") else _git(folder, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")
    if found is None or not _is_here(folder, found):
        return NoBase("shallow" if _is_shallow(folder) else "unknown_commit", commit)
    started = _git(folder, "merge-base", checked_out, found)
    if not started:
        return NoBase("shallow" if _is_shallow(folder) else "unrelated", found)
    return Tree(folder, started)


def _parents(folder: Path, commit: str) -> list[str]:
    """The parents that a commit names, also those that a shallow clone does not have."""
    text = _git(folder, "cat-file", "-p", commit) or ""
    lines = text.partition("\n\n")[0].splitlines()
    return [line.removeprefix("parent ") for line in lines if line.startswith("parent ")]


def _is_here(folder: Path, commit: str) -> bool:
    return _git(folder, "cat-file", "-e", f"{commit}^{{tree}}") is not None


def _is_shallow(folder: Path) -> bool:
    return _git(folder, "rev-parse", "--is-shallow-repository") == "true"


def state(folder: Path, *more: str, without: Iterable[Path] = ()) -> str:
    """A digest of the code as it stands: the commit, what differs from it, and files git neither knows nor ignores.
    Without git, or outside of a repository, of nothing but ``more``.

    :param more: whatever else belongs to it
    :param without: folders that do not: what a run writes
    """
    changes = _run(folder, "diff", "HEAD", "--no-ext-diff", "--no-textconv")
    parts = [*(text.encode("utf-8", "surrogateescape") for text in more), _run(folder, "rev-parse", "HEAD"), changes]
    digest = hashlib.sha256(b"\0".join(part or b"" for part in parts))
    apart = [path.resolve() for path in without]
    listed = _run(folder, "ls-files", "--others", "--exclude-standard", "-z") or b""
    for name in sorted(filter(None, listed.split(b"\0"))):
        path = folder / os.fsdecode(name)
        if not any(path.resolve().is_relative_to(one) for one in apart) and path.is_file():
            with path.open("rb") as stream:
                digest.update(name + hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()


def is_tracked(folder: Path, path: Path) -> bool:
    """Whether a file, or any file of a folder, is part of the repository that ``folder`` is the top of."""
    return bool(_run(folder, "ls-files", "-z", "--", str(path.resolve())))


def _git(folder: Path, *arguments: str) -> str | None:
    found = _run(folder, *arguments)
    return None if found is None else found.decode("utf-8", "replace").strip()


def _run(folder: Path, *arguments: str, input: bytes | None = None) -> bytes | None:
    """What git prints; None when there is no git or it refuses. It fetches nothing and asks nobody."""
    safe = ("-c", "safe.directory=*", "-c", "core.fsmonitor=false")
    try:
        done = subprocess.run(  # noqa: S603 - no shell; a name that begins with a dash never gets here
            ["git", *safe, "-C", str(folder), *arguments],  # noqa: S607 - the git of whoever runs this
            input=input,
            stdin=None if input is not None else subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=True,
            env={**os.environ, "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_REPLACE_OBJECTS": "1"},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout


def _read_head(store: Path) -> str | None:
    """The commit that ``.git/HEAD`` names, by itself (as a checkout of a pull request does) or through a branch."""
    try:
        head = (store / "HEAD").read_text("ascii").strip()
        branch = head.removeprefix("ref: ")
        if branch != head:
            loose = store / branch
            packed = [line.split(" ") for line in _lines(store / "packed-refs")]
            named = [commit for commit, *name in packed if name == [branch]]
            head = loose.read_text("ascii").strip() if loose.is_file() else "".join(named[:1])
    except (OSError, ValueError):
        return None
    return head if _COMMIT.fullmatch(head) else None


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines() if path.is_file() else []
