"""How far a run has come: a bar on a terminal, one line at the start and the end of each suite elsewhere."""

import threading
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.text import Text

from fairgate.models.protocol import Missing, Question, Reply
from fairgate.render.escape import visible
from fairgate.wording import sentence


class Progress:
    """Counts answers as they come; ``on_answer`` may be called from any thread.

    A context manager around a run; ``start`` begins a suite. On a console that is no terminal it draws nothing.

    :param console: where to show it, standard error as a rule
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.Lock()
        self._bar: Bar | None = None
        self._suite: str | None = None
        self._total = self._done = self._missing = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._finish()

    def start(self, suite: str, total: int) -> None:
        """Begin a suite of so many questions; ends the one before."""
        self._finish()
        self._suite, self._total, self._done, self._missing = suite, total, 0, 0
        if not self._console.is_terminal:
            self._say(sentence("progress", suite=suite, total=total, done=None, missing=0))
            return
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        self._bar = Bar(*columns, console=self._console, transient=True)
        self._bar.add_task(visible(suite), total=total)
        self._bar.start()

    def on_answer(self, question: Question, answer: Reply | Missing) -> None:
        """Count one answer, or one that is missing."""
        with self._lock:
            self._done += 1
            self._missing += isinstance(answer, Missing)
            if self._bar:
                self._bar.advance(self._bar.task_ids[0])

    def _finish(self) -> None:
        if self._bar:
            self._bar.stop()
        if self._suite is not None:
            facts = {"suite": self._suite, "total": self._total, "done": self._done - self._missing}
            self._say(sentence("progress", **facts, missing=self._missing))
        self._bar = self._suite = None

    def _say(self, text: str) -> None:
        self._console.print(Text(visible(text)), highlight=False, soft_wrap=True)
