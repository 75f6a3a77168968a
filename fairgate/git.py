"""The commit that is being judged, as git tells it, or, in an image without git, as its files do."""

import hashlib
import re
import subprocess
from pathlib import Path

from fairgate.report import Git


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


def state(folder: Path, *more: str) -> str:
    """A digest of the code as it stands: the commit, and what differs from it in tracked files. Without git, or outside
    of a repository, of nothing but ``more``.

    :param more: whatever else belongs to it
    """
    changes = _git(folder, "diff", "HEAD", "--no-ext-diff", "--no-textconv")
    parts = [*more, _git(folder, "rev-parse", "--verify", "HEAD"), changes]
    return hashlib.sha256("\0".join(part or "" for part in parts).encode("utf-8", "surrogateescape")).hexdigest()


def _git(folder: Path, *arguments: str) -> str | None:
    safe = ("-c", "safe.directory=*", "-c", "core.fsmonitor=false")
    try:
        done = subprocess.run(  # noqa: S603 - no shell, and no argument that a file or a model wrote
            ["git", *safe, "-C", str(folder), *arguments],  # noqa: S607 - the git of whoever runs this
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


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
    return head if re.fullmatch(r"[0-9a-f]{40}(?:[0-9a-f]{24})?", head) else None


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines() if path.is_file() else []
