"""What a run of the action came to, and how each outcome speaks to GitHub: a verdict, or why there is none."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from fairgate.github import annotations, outputs
from fairgate.github.annotations import Annotation
from fairgate.github.settings import Settings
from fairgate.report import Report
from fairgate.verdict import ERROR_EXIT_CODE, Verdict
from fairgate.wording import sentence


class Renderer(Protocol):
    """The forms of a report, and the one way to show text that is not ours in Markdown."""

    def comment(self, report: Report, *, limit: int) -> str:
        """Markdown of at most so many UTF-8 bytes."""

    def document(self, report: Report) -> str:
        """Markdown of the whole report."""

    def fence(self, text: str) -> str:
        """The text as a code block of Markdown in which nothing is markup."""


class Outcome(Protocol):
    """What the action has to publish."""

    def status(self, fail_on: frozenset[Verdict]) -> int:
        """The exit code of the job's step, decided before anything is published."""

    def outputs(self) -> dict[str, str]:
        """The outputs of the step, without ``comment-url``."""

    def annotations(self) -> list[Annotation]:
        """At most ten."""

    def summary(self) -> Sequence[Callable[[int], str]]:
        """Forms of the job summary, longest first; each is told the bytes it may take."""

    def comment(self, head: str, limit: int) -> str:
        """The text of the comment on the pull request with this head commit."""


@dataclass(frozen=True)
class Judged:
    """There is a verdict."""

    report: Report
    path: str
    settings: Settings
    renderer: Renderer

    def status(self, fail_on: frozenset[Verdict]) -> int:
        """0 unless the workflow lets this verdict fail the job."""
        return self.report.verdict.exit_code if self.report.verdict in fail_on else 0

    def outputs(self) -> dict[str, str]:
        """Verdict, counts and the path of the report."""
        return outputs.of_report(self.report, self.path)

    def annotations(self) -> list[Annotation]:
        """One for each rule that did not pass."""
        config = self.settings.in_repository(self.settings.config)
        return annotations.of_report(self.report, self.settings.inputs.fail_on, config)

    def summary(self) -> Sequence[Callable[[int], str]]:
        """The whole report, or as much as fits."""
        return (
            lambda _: self.renderer.document(self.report),
            lambda room: self.renderer.comment(self.report, limit=room),
        )

    def comment(self, head: str, limit: int) -> str:
        """The report as a comment."""
        return self.renderer.comment(self.report, limit=limit)


@dataclass(frozen=True)
class Broken:
    """There is no verdict: something a person has to mend, or an error of our own. It fails the job in any case."""

    message: str
    settings: Settings
    renderer: Renderer
    internal: bool = False

    def status(self, fail_on: frozenset[Verdict]) -> int:
        """2, whatever ``fail-on`` says."""
        return ERROR_EXIT_CODE

    def outputs(self) -> dict[str, str]:
        """No verdict, exit code 2."""
        return outputs.of_error(ERROR_EXIT_CODE)

    def annotations(self) -> list[Annotation]:
        """One for each problem, in its file."""
        return annotations.of_error(self.message, self._file)

    def summary(self) -> Sequence[Callable[[int], str]]:
        """Why there is no verdict."""
        return (lambda room: self.comment(self.settings.job.sha, room),)

    def comment(self, head: str, limit: int) -> str:
        """Why there is no verdict on this commit: an earlier verdict must not stand as if it were about it."""
        title = "## " + sentence("github_broken_title")
        before = sentence("github_broken", head=head)
        after = sentence("github_broken_remedy", internal=self.internal)
        text = "\n\n".join([title, before, "{}", after]) + "\n"
        lines = self.message.splitlines()
        while True:
            body = text.replace("{}", self.renderer.fence("\n".join(lines)), 1)
            if len(body.encode("utf-8", "backslashreplace")) <= limit or not lines:
                return body
            lines = _shorter(lines)

    def _file(self, path: str) -> str | None:
        file = self.settings.in_repository(path)
        return file if file is not None and (self.settings.job.workspace / file).is_file() else None


def _shorter(lines: list[str]) -> list[str]:
    """Half of the lines, or half of the only one."""
    if len(lines) > 1:
        return [*lines[: len(lines) // 2 - 1], "…"] if len(lines) > 2 else lines[:1]
    return [lines[0][: len(lines[0]) // 2]] if lines[0] else []
