"""The job summary: what the run's page shows, appended to the file the runner names."""

from collections.abc import Callable, Iterable
from pathlib import Path

MAX_BYTES = 1_048_576
"""What GitHub shows of one step's summary; of a larger one it shows nothing."""


def append(path: Path | None, forms: Iterable[Callable[[int], str]], limit: int = MAX_BYTES) -> bool:
    """Append the first form that fits into what is left of the step's budget.

    :param path: ``GITHUB_STEP_SUMMARY``; None where the runner has no summary
    :param forms: longest first; each is told the UTF-8 bytes it may take and is whole or not used at all
    :returns: whether something was appended
    :raises OSError: when the file cannot be written
    """
    if path is None:
        return False
    room = limit - (path.stat().st_size if path.exists() else 0) - 1
    for form in forms:
        text = form(room).encode("utf-8", "backslashreplace")
        if len(text) <= room:
            with path.open("ab") as file:
                file.write(text + b"\n")
            return True
    return False
