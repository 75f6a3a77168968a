"""The commit that is being judged, as git tells it."""

import subprocess
from pathlib import Path

from fairgate.report import Git


def head(folder: Path) -> Git | None:
    """The commit checked out above ``folder``, and whether files differ from it; None without git or a commit.

    ``safe.directory`` is set for these calls alone: in a container the checkout belongs to another user, and the two
    read-only questions run nothing that a repository could bring along.
    """
    commit = _git(folder, "rev-parse", "--verify", "HEAD")
    if commit is None:
        return None
    changes = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return Git(commit=commit, dirty=None if changes is None else bool(changes))


def _git(folder: Path, *arguments: str) -> str | None:
    safe = ("-c", "safe.directory=*", "-c", "core.fsmonitor=false")
    try:
        done = subprocess.run(  # noqa: S603 - no shell, and no argument that a file or a model wrote
            ["git", *safe, "-C", str(folder), *arguments],  # noqa: S607 - the git of whoever runs this
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
