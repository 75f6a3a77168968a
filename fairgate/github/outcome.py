"""What a run of the action came to, and how each outcome speaks to GitHub: a verdict, or why there is none."""

from dataclasses import dataclass
from typing import Protocol

from fairgate.baseline.worse import made_worse
from fairgate.github import annotations, outputs
from fairgate.github.annotations import Annotation
from fairgate.github.settings import REGRESSION, FailOn, Settings
from fairgate.report import Report
from fairgate.verdict import ERROR_EXIT_CODE, Verdict, worst


class Renderer(Protocol):
    """The forms in which a run is read on GitHub: Markdown of at most ``limit`` UTF-8 bytes."""

    def comment(self, report: Report, *, limit: int) -> str:
        """The comment on the pull request."""

    def summary(self, report: Report, *, limit: int) -> str:
        """The summary of the job."""

    def failure(self, error: str) -> str:
        """Both, where there is no report but an error."""


class Outcome(Protocol):
    """What the action has to publish."""

    def status(self, fail_on: FailOn) -> int:
        """The exit code of the job's step, decided before anything is published."""

    def outputs(self) -> dict[str, str]:
        """The outputs of the step, without ``comment-url``."""

    def annotations(self) -> list[Annotation]:
        """At most ten."""

    def summary(self, limit: int) -> str:
        """The job summary, in at most so many UTF-8 bytes."""

    def comment(self, limit: int) -> str:
        """The text of the comment, in at most so many UTF-8 bytes."""


@dataclass(frozen=True)
class Judged:
    """There is a verdict."""

    report: Report
    path: str
    settings: Settings
    renderer: Renderer

    def status(self, fail_on: FailOn) -> int:
        """0 unless the workflow lets this verdict, or what the change made worse, fail the job; what was skipped for
        want of a secret has no say."""
        judged = [suite.verdict for suite in self.report.suites if suite.skipped is None]
        verdict = self.report.verdict if len(judged) == len(self.report.suites) else worst(judged or [Verdict.PASS])
        if verdict in fail_on:
            return verdict.exit_code
        return self.report.verdict.exit_code if REGRESSION in fail_on and made_worse(self.report) else 0

    def outputs(self) -> dict[str, str]:
        """Verdict, counts and the path of the report."""
        return outputs.of_report(self.report, self.path)

    def annotations(self) -> list[Annotation]:
        """One for each rule that did not pass."""
        config = self.settings.in_repository(self.settings.config)
        return annotations.of_report(self.report, self.settings.inputs.fail_on, config)

    def summary(self, limit: int) -> str:
        """The report with everything there is room for."""
        return self.renderer.summary(self.report, limit=limit)

    def comment(self, limit: int) -> str:
        """The report as a comment."""
        return self.renderer.comment(self.report, limit=limit)


@dataclass(frozen=True)
class Broken:
    """There is no verdict: something a person has to mend, or an error of our own. It fails the job in any case."""

    message: str
    settings: Settings
    renderer: Renderer

    def status(self, fail_on: FailOn) -> int:
        """2, whatever ``fail-on`` says."""
        return ERROR_EXIT_CODE

    def outputs(self) -> dict[str, str]:
        """No verdict, exit code 2."""
        return outputs.of_error(ERROR_EXIT_CODE)

    def annotations(self) -> list[Annotation]:
        """One for each problem, in its file."""
        return annotations.of_error(self.message, self._file)

    def summary(self, limit: int) -> str:
        """Why there is no verdict."""
        return self.comment(limit)

    def comment(self, limit: int) -> str:  # the page is bounded far below any budget
        """Why there is no verdict: an earlier one must not stand as if it were about this commit."""
        return self.renderer.failure(self.message)

    def _file(self, path: str) -> str | None:
        file = self.settings.in_repository(path)
        return file if file is not None and (self.settings.job.workspace / file).is_file() else None
