"""The job summary: what the run's page shows, appended to the file the runner names."""

from collections.abc import Callable
from pathlib import Path

MAX_BYTES = 1_048_576
"""What GitHub shows of one step's summary; of a larger one it shows nothing."""


def append(path: Path | None, render: Callable[[int], str], limit: int = MAX_BYTES) -> bool:
    """Append a page to what the step has written already, whole or not at all.

    :param path: ``GITHUB_STEP_SUMMARY``; None where the runner has no summary
    :param render: makes the page in at most so many UTF-8 bytes
    :returns: whether it was appended
    :raises OSError: when the file cannot be written
    """
    if path is None:
        return False
    room = limit - (path.stat().st_size if path.exists() else 0) - 1
    text = render(room).encode("utf-8", "backslashreplace")
    if len(text) > room:
        return False
    with path.open("ab") as file:
        file.write(text + b"\n")
    return True
