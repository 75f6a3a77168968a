"""Annotations and the job's log: what the runner reads from our output, and what it must not read as a command.

The runner obeys lines like ``::error::…`` in anything a step prints. Ours are escaped; what comes from a case, a model
or a system is printed only while commands are stopped.
"""

import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, TextIO

from fairgate.github import masks
from fairgate.github.settings import REGRESSION, FailOn
from fairgate.report import Report
from fairgate.results import RuleResult, SuiteResult
from fairgate.verdict import Verdict
from fairgate.wording import sentence

MAX_ANNOTATIONS = 10
"""GitHub shows ten of a kind for each step and drops the others without a word."""

Level = Literal["error", "warning", "notice"]

_PLACE = re.compile(r"(?P<file>[^\n:]+):(?P<line>[1-9][0-9]{0,6}): ")


@dataclass(frozen=True)
class Annotation:
    """A message at the head of the run, and beside the file when it names one."""

    level: Level
    message: str
    title: str = "fairgate"
    file: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        """The workflow command."""
        places = {"file": self.file, "line": self.line and str(self.line), "title": self.title}
        properties = ",".join(f"{name}={_property(value)}" for name, value in places.items() if value)
        return f"::{self.level} {properties}::{_data(self.message)}"


def of_report(report: Report, fail_on: FailOn, config: str | None) -> list[Annotation]:
    """One annotation for each rule that did not pass, the worst first, at most ten.

    A verdict that fails the job is an error, any other a warning; with ``fail-on: regression`` so is what became worse.

    :param config: ``fairgate.yaml`` relative to the repository, where the rules stand
    """
    open_rules = [(suite, rule) for suite in report.suites for rule in suite.rules if rule.verdict is not Verdict.PASS]
    open_rules.sort(key=lambda pair: -pair[1].verdict.severity)
    worse = {(one.suite, one.rule) for one in report.comparison.worse} if report.comparison else set()
    annotations = [
        _of_rule(suite, rule, fail_on, config, worse=(suite.name, rule.id) in worse) for suite, rule in open_rules
    ]
    if len(open_rules) <= MAX_ANNOTATIONS:
        beside = [*_of_bar(report, fail_on, config), *_of_reviews(report, fail_on, config)]
        return [*annotations, *beside][:MAX_ANNOTATIONS]
    hidden = open_rules[MAX_ANNOTATIONS - 1 :]
    more = Annotation("warning", sentence("github_more_rules", rules=len(hidden)))
    return [*annotations[: MAX_ANNOTATIONS - 1], more]


def of_error(message: str, in_repository: Callable[[str], str | None]) -> list[Annotation]:
    """One error for each line of an error text, beside its file where it says ``file:line:``, at most ten.

    :param in_repository: a path as the repository knows it, None when it is no file there
    """
    lines = [line for line in message.splitlines() if line.strip()]
    shown = lines if len(lines) <= MAX_ANNOTATIONS else lines[: MAX_ANNOTATIONS - 1]
    annotations = [_of_line(line, in_repository) for line in shown]
    if len(shown) < len(lines):
        annotations.append(Annotation("error", sentence("github_more_errors", errors=len(lines) - len(shown))))
    return annotations


def _of_rule(suite: SuiteResult, rule: RuleResult, fail_on: FailOn, config: str | None, *, worse: bool) -> Annotation:
    fails = rule.verdict in fail_on or (REGRESSION in fail_on and worse)
    level: Level = "error" if fails and suite.skipped is None else "warning"
    return Annotation(level, rule.message, f"{rule.verdict}: {suite.name} / {rule.id}", config)


def _of_bar(report: Report, fail_on: FailOn, config: str | None) -> list[Annotation]:
    """The ways in which the bar was lowered that no rule of the report tells: rules and suites that are gone."""
    told = {(suite.name, rule.id) for suite in report.suites for rule in suite.rules}
    if report.changes is not None and report.changes.state == "unknown" and not report.changes.lowered:
        return [Annotation("warning", report.changes.message, "fairgate: the bar", config)]
    lowered = [one for one in (report.changes.lowered if report.changes else ()) if not one.signed_off]
    level: Level = "error" if Verdict.MANUAL_REVIEW in fail_on else "warning"
    title = f"{Verdict.MANUAL_REVIEW}: the bar"
    return [Annotation(level, one.message, title, config) for one in lowered if (one.suite, one.rule) not in told]


def _of_reviews(report: Report, fail_on: FailOn, config: str | None) -> list[Annotation]:
    """What suites ask of a person, where that is what keeps them from passing."""
    level: Level = "error" if Verdict.MANUAL_REVIEW in fail_on else "warning"
    return [
        Annotation(level, review.message, f"{Verdict.MANUAL_REVIEW}: {suite.name}", config)
        for suite in report.suites
        if suite.verdict is Verdict.MANUAL_REVIEW
        for review in suite.reviews
        if not review.signed_off
    ]


def _of_line(line: str, in_repository: Callable[[str], str | None]) -> Annotation:
    place = _PLACE.match(line)
    file = in_repository(place["file"]) if place else None
    if place is None or file is None:
        return Annotation("error", line)
    return Annotation("error", line, file=file, line=int(place["line"]))


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


class Log:
    """The output of the step. Commands are ours alone."""

    def __init__(self, stream: TextIO, token: Callable[[], str] = lambda: secrets.token_hex(16)) -> None:
        """:param token: makes the word that ends a stretch without commands; nobody can guess it"""
        self._stream = stream
        self._token = token

    def say(self, text: str) -> None:
        """Write a line that is no command, whatever it holds: the runner knows ``::name::`` and ``##[name]``."""
        line = " ".join(text.split()).replace("##[", "## [")
        print(f"fairgate: {line}", file=self._stream, flush=True)

    def annotate(self, annotations: Sequence[Annotation]) -> None:
        """Write annotations, one command a line."""
        for annotation in annotations:
            print(annotation, file=self._stream, flush=True)

    def mask(self, values: Iterable[str]) -> None:
        """Have the runner hide values wherever the log shows them from now on."""
        masks.write(values, self._stream)

    @contextmanager
    def commands_stopped(self) -> Iterator[TextIO]:
        """Within, nothing that anybody prints is a command; yields the stream to print to."""
        token = self._token()
        print(f"::stop-commands::{token}", file=self._stream, flush=True)
        try:
            yield self._stream
        finally:
            # On a line of its own, whatever was printed last.
            print(f"\n::{token}::", file=self._stream, flush=True)
