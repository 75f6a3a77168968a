"""The container's entrypoint: settings in, one run, its outcome published, the exit code last.

The order is fixed: settings, run, ``report.json`` and its renderings, job summary, outputs, annotations, comment, exit.
The exit code is decided before the first of them is published, and nothing after that can change it.
"""

import os
import socket
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn, Protocol, TextIO

from rich.console import Console

from fairgate.bar.base import Base
from fairgate.baseline.load import Baseline, NoBaseline
from fairgate.comparison import OnMissing
from fairgate.config import load
from fairgate.errors import FairgateError, UsageError
from fairgate.gate import run as run_gate
from fairgate.github import advice, annotations, comment, masks, outputs, summary
from fairgate.github.annotations import Annotation, Log
from fairgate.github.client import Client, GitHubError
from fairgate.github.earlier import earlier_run
from fairgate.github.event import NoComment, Target, find_base, find_target, read_payload
from fairgate.github.handover import taken_over
from fairgate.github.network import map_host
from fairgate.github.outcome import Broken, Judged, Outcome, Renderer
from fairgate.github.settings import SECRETS, InputsError, OnMissingSecrets, Settings, When, without_private
from fairgate.models.engine import Keeping
from fairgate.models.exits import leave
from fairgate.models.stop import Stop, on_signals
from fairgate.output import journal_path, prepare
from fairgate.output import write as write_files
from fairgate.render import markdown
from fairgate.render.terminal import print_report
from fairgate.report import Report
from fairgate.verdict import ERROR_EXIT_CODE
from fairgate.wording import sentence
from fairgate.world import World


class Run(Protocol):
    """A finished run of the gate, as far as the action knows it."""

    @property
    def report(self) -> Report:
        """What it came to."""


@dataclass(frozen=True)
class Terms:
    """What a workflow says about a run besides its configuration.

    :param keeping: where answers are kept
    :param base: what the change began with; None where there is no such thing
    :param profile: the part of the configuration to judge; None for all of it
    :param skip_without_secrets: suites that need a secret which is not set are not asked
    :param baseline: the run to compare with; None where the configuration says it
    :param on_missing_baseline: what becomes of rules about the change without one; None where the configuration says it
    """

    keeping: Keeping
    base: Base | None = None
    profile: str | None = None
    skip_without_secrets: bool = False
    baseline: Baseline | NoBaseline | None = None
    on_missing_baseline: OnMissing | None = None


class Gate(Renderer, Protocol):
    """What the action runs and shows."""

    def run(self, config: Path, world: World, terms: Terms) -> Run:
        """Judge what a ``fairgate.yaml`` asks for, and whether it asks for less than the base did.

        :raises FairgateError: it says what a person has to mend
        """

    def write(self, run: Any, out: Path) -> Path:
        """Write report, renderings and evidence into a folder; gives the path of ``report.json``."""

    def show(self, report: Report, stream: TextIO) -> None:
        """Print the report for the job's log."""


def main(world: World, gate: Gate, stream: TextIO) -> int:
    """Run the action and give the exit code of its step.

    :param stream: the log of the step, which the runner reads commands from
    """
    log = Log(stream)
    try:
        settings = Settings.from_environ(world.environ)
        outcome: Outcome = judge(settings, world, gate, log)
    except InputsError as error:
        settings = error.settings
        outcome = Broken(str(error), settings, gate)
    except UsageError as error:
        log.annotate(annotations.of_error(str(error), lambda _: None))
        return ERROR_EXIT_CODE
    status = outcome.status(settings.inputs.fail_on)
    Publication(settings, outcome, world, log).publish()
    return status


def judge(settings: Settings, world: World, gate: Gate, log: Log) -> Judged | Broken:
    """Run the gate and write its report. Whatever goes wrong is an outcome too: never a pass."""
    # The run does not see the token, and commands are stopped: what a system prints is nobody's order.
    visible = replace(world, environ=without_private(world.environ))
    log.mask(masks.values_named_in(settings.config, visible.environ))
    keeping = Keeping(journal_path(settings.output_dir), settings.cache)
    with log.commands_stopped() as stream:
        try:
            prepare(settings.output_dir)
            terms = Terms(
                keeping=keeping,
                base=find_base(settings.job.event, read_payload(settings.job.event_path)),
                profile=settings.inputs.profile or None,
                skip_without_secrets=_skips(settings),
                baseline=earlier_run(settings, world),
                on_missing_baseline=settings.inputs.on_missing_baseline,
            )
            run = gate.run(settings.config, visible, terms)
            path = gate.write(run, settings.output_dir)
        except FairgateError as error:
            return Broken(settings.readable(str(error)), settings, gate)
        except SystemExit as error:
            # A system that runs in this process must not end the step with an exit code of its own.
            return Broken(sentence("github_exited", code=str(error.code)), settings, gate)
        except Exception as error:  # noqa: BLE001 - an old PASS must not stay in the pull request, whatever broke
            traceback.print_exc(file=stream)
            name = f"{type(error).__name__}: {error}"
            return Broken(sentence("github_internal_error", error=name), settings, gate)
        try:
            gate.show(run.report, stream)
        except Exception:  # noqa: BLE001 - the log is a courtesy: the verdict is found and written
            traceback.print_exc(file=stream)
    return Judged(run.report, settings.in_repository(path) or str(path), settings, gate)


def _skips(settings: Settings) -> bool:
    """Whether a suite without its secret is skipped: only where GitHub withholds secrets.

    Anywhere else a secret that is not set is a mistake, which must not turn the gate green for good.
    """
    if settings.inputs.on_missing_secrets is not OnMissingSecrets.SKIP:
        return False
    job = settings.job
    target = find_target(job.event, read_payload(job.event_path), job.actor)
    return isinstance(target, Target) and target.origin != "repository"


class Publication:
    """Says what came out, everywhere it is read. Each step may fail on its own, with a warning and no other effect."""

    def __init__(self, settings: Settings, outcome: Outcome, world: World, log: Log) -> None:
        """Nothing is published yet."""
        self._settings = settings
        self._outcome = outcome
        self._world = world
        self._log = log

    def publish(self) -> None:
        """Job summary, outputs, annotations, comment: in this order."""
        self._step("job summary", self._summary)
        self._step("outputs", self._outputs)
        self._step("annotations", self._annotations)
        self._step("comment", self._comment)

    def _step(self, name: str, publish: Callable[[], None]) -> None:
        try:
            publish()
        except Exception as error:  # noqa: BLE001 - nothing after the verdict can change it
            with self._log.commands_stopped() as stream:
                traceback.print_exc(file=stream)
            message = sentence("github_step_failed", step=name, error=f"{type(error).__name__}: {error}")
            self._log.annotate([Annotation("warning", message)])

    def _summary(self) -> None:
        if not summary.append(self._settings.job.summary, self._outcome.summary):
            self._log.say("no job summary: the runner has none, or it is full")

    def _outputs(self) -> None:
        outputs.append(self._settings.job.output, self._outcome.outputs())

    def _annotations(self) -> None:
        self._log.annotate(self._outcome.annotations())

    def _comment(self) -> None:
        inputs, job = self._settings.inputs, self._settings.job
        if inputs.comment is When.NEVER:
            return
        target = find_target(job.event, read_payload(job.event_path), job.actor)
        if isinstance(target, NoComment):
            self._log.say(f"no comment: {target.reason}")
            return
        stamp = comment.Stamp(inputs.comment_id, target.head, job.run, job.attempt)
        create = inputs.comment is When.ALWAYS or self._outcome.status(inputs.fail_on) != 0
        text = self._outcome.comment(stamp.room)
        conversation = comment.Conversation(
            Client(job.api_url, inputs.token, self._world), job.repository, target.number
        )
        try:
            done = comment.publish(conversation, stamp, text, create=create, sleep=self._world.sleep)
        except GitHubError as error:
            self._log.annotate([Annotation("warning", advice.on_comment(error, target.origin))])
            return
        if done.superseded:
            self._log.say("the comment is of a newer run and stays as it is")
        outputs.append(job.output, {"comment-url": done.url})


class Fairgate:
    """The gate and the renderings of this package."""

    def run(self, config: Path, world: World, terms: Terms) -> Run:
        """Load the configuration under the profile that the workflow names, and run the gate; a job that is cancelled
        still reports what was seen."""
        stop = Stop()
        with on_signals(stop, lambda text: print(text, file=sys.stderr, flush=True)):
            project = load(config, terms.profile)
            if terms.on_missing_baseline is not None:
                changed = {"on_missing_baseline": terms.on_missing_baseline}
                project = replace(project, config=project.config.model_copy(update=changed))
            return run_gate(
                project,
                world,
                keeping=terms.keeping,
                stop=stop,
                base=terms.base,
                skip_without_secrets=terms.skip_without_secrets,
                baseline=terms.baseline,
            )

    def write(self, run: Any, out: Path) -> Path:
        """As ``fairgate run`` writes it."""
        return write_files(run, out)

    def show(self, report: Report, stream: TextIO) -> None:
        """As ``fairgate run`` prints it."""
        print_report(report, Console(file=stream, width=120, color_system=None))

    def comment(self, report: Report, *, limit: int) -> str:
        """See ``fairgate.render.markdown``."""
        return markdown.comment(report, limit=limit)

    def summary(self, report: Report, *, limit: int) -> str:
        """See ``fairgate.render.markdown``."""
        return markdown.summary(report, limit=limit)

    def failure(self, error: str) -> str:
        """See ``fairgate.render.markdown``."""
        return markdown.failure(error)


def entrypoint() -> NoReturn:
    """Run the action in its container and leave with its exit code."""
    # The runner reads stdout and stderr apart, so a line of stderr could overtake the one that stops commands.
    os.dup2(sys.stdout.fileno(), sys.stderr.fileno())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    status = ERROR_EXIT_CODE
    try:
        secrets = taken_over(SECRETS)
        map_host(_resolves)
        world = World(environ={**os.environ, **secrets})
        status = main(world, Fairgate(), sys.stdout)
    except BaseException:  # noqa: BLE001 - Python's own exit code for an exception is 1, which would read FAIL
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    # Not sys.exit: what a system under test left behind (threads, exit handlers) has no say in the verdict any more.
    leave(status)


def _resolves(name: str) -> bool:
    try:
        socket.getaddrinfo(name, None)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    entrypoint()
