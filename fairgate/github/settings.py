"""What the workflow told the action: its inputs and the facts of the job, read once into frozen values.

This is the only place that reads ``GITHUB_*`` and ``INPUT_*``. A typo is refused with the choices, never guessed.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Literal, TypeVar

from fairgate.comparison import OnMissing
from fairgate.errors import UsageError
from fairgate.verdict import Verdict

MAX_COMMENT_ID = 64

Value = TypeVar("Value")
Choice = TypeVar("Choice", bound=StrEnum)

_COMMENT_ID = re.compile(rf"[A-Za-z0-9._-]{{1,{MAX_COMMENT_ID}}}")
_ARTIFACT = re.compile(r"[^\x00-\x1f\\\\/:*?\"<>|]{1,256}")
_PRIVATE = ("INPUT_", "GITHUB_", "ACTIONS_")

SECRETS = ("INPUT_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN")
"""Variables of the runner that no system under test has any business with."""


class When(StrEnum):
    """When a pull request gets a comment of its own. An existing one is updated by ``always`` and ``failures``."""

    ALWAYS = "always"
    FAILURES = "failures"
    NEVER = "never"


class OnMissingSecrets(StrEnum):
    """What becomes of suites that need a secret which is not set: evidence that is missing, or not even asked for."""

    INSUFFICIENT = "insufficient"
    SKIP = "skip"


DEFAULT_ARTIFACT = "fairgate-report"
"""What the examples upload the report folder as."""

REGRESSION: Literal["regression"] = "regression"
"""What ``fail-on`` lets fail the job besides verdicts: only what the change made worse."""

FailOn = frozenset[Verdict | Literal["regression"]]

FAIL_ON: dict[str, Verdict | Literal["regression"]] = {
    "fail": Verdict.FAIL,
    "insufficient-evidence": Verdict.INSUFFICIENT_EVIDENCE,
    "manual-review": Verdict.MANUAL_REVIEW,
    "regression": REGRESSION,
}


@dataclass(frozen=True)
class Inputs:
    """The inputs of ``action.yml``, one field for each: ``comment_id`` is ``comment-id``, with the same default."""

    config: str = "fairgate.yaml"
    profile: str = ""
    token: str = field(default="", repr=False)
    comment: When = When.ALWAYS
    comment_id: str = "fairgate"
    fail_on: FailOn = frozenset({Verdict.FAIL, Verdict.INSUFFICIENT_EVIDENCE, Verdict.MANUAL_REVIEW})
    output_dir: str = "fairgate-report"
    working_directory: str = "."
    on_missing_secrets: OnMissingSecrets = OnMissingSecrets.INSUFFICIENT
    baseline: str = ""
    on_missing_baseline: OnMissing | None = None
    cache: str = ""


@dataclass(frozen=True)
class Job:
    """The facts of the job that the runner states.

    :param repository: ``owner/name`` of the repository the workflow runs in
    :param ref: the branch or tag that triggered the run, ``refs/heads/main``
    :param sha: the commit that triggered the run; for a pull request its merge commit
    :param run: number of the workflow run, growing over time
    :param attempt: 1 for the first attempt of this run, 2 for its first re-run
    :param workspace: the checked-out repository
    :param summary: file that the job summary is appended to
    :param output: file that the outputs are appended to
    """

    api_url: str
    repository: str
    event: str
    event_path: Path | None
    sha: str
    ref: str
    actor: str
    run: int
    attempt: int
    workspace: Path
    summary: Path | None
    output: Path | None


@dataclass(frozen=True)
class Settings:
    """Everything the action goes by."""

    inputs: Inputs
    job: Job

    @property
    def directory(self) -> Path:
        """The folder that ``config`` and ``output-dir`` are relative to."""
        return self.job.workspace / self.inputs.working_directory

    @property
    def config(self) -> Path:
        """Path of ``fairgate.yaml``."""
        return self.directory / self.inputs.config

    @property
    def output_dir(self) -> Path:
        """Where the report is written."""
        return self.directory / self.inputs.output_dir

    @property
    def cache(self) -> Path | None:
        """Where answers of models are kept from one run to the next; None for nowhere."""
        return self.directory / self.inputs.cache if self.inputs.cache else None

    def in_repository(self, path: str | Path) -> str | None:
        """A path as later steps and the pull request know it: relative to the repository, None when it is outside.

        The container mounts the repository elsewhere than the runner, so an absolute path means nothing to either.
        """
        resolved, top = (self.directory / path).resolve(), self.job.workspace.resolve()
        return resolved.relative_to(top).as_posix() if resolved.is_relative_to(top) else None

    def readable(self, text: str) -> str:
        """A text with the container's paths as the repository knows them."""
        for top in {f"{self.job.workspace.resolve()}/", f"{self.job.workspace}/"}:
            text = text.replace(top, "")
        return text

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> "Settings":
        """Read the environment of a step.

        :raises InputsError: an input is not one of its choices; carries settings good enough to tell the reader so
        :raises UsageError: this is not a step of a GitHub workflow
        """
        job = _job(environ)
        reader = _Reader(environ)
        inputs = reader.inputs(job.workspace)
        settings = cls(inputs, job)
        if reader.problems:
            raise InputsError("\n".join(reader.problems), settings)
        return settings


class InputsError(UsageError):
    """An input of the action is wrong.

    :ivar settings: the settings with the default in place of every wrong input; nothing may be judged by them
    """

    def __init__(self, message: str, settings: Settings) -> None:
        """Keep what is needed to say it in the pull request."""
        super().__init__(message)
        self.settings = settings


def without_private(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment that a run may see: without the inputs, the token among them, and without
    what the runner says for the GitHub layer alone."""
    return {name: value for name, value in environ.items() if not name.startswith(_PRIVATE)}


# --- inputs ----------------------------------------------------------------------------------------------------------


class _Reader:
    """Reads inputs one by one and gathers what is wrong with them. An empty input means its default."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.problems: list[str] = []

    def inputs(self, workspace: Path) -> Inputs:
        default = Inputs()
        directory = self.take("working-directory", _folder(workspace, workspace), default.working_directory)
        inputs = Inputs(
            config=self.take("config", str, default.config),
            profile=self.take("profile", str, default.profile),
            token=self.take("token", str, default.token),
            comment=self.take("comment", _one_of(When), default.comment),
            comment_id=self.take("comment-id", _comment_id, default.comment_id),
            fail_on=self.take("fail-on", _fail_on, default.fail_on),
            output_dir=self.take("output-dir", _folder(workspace, workspace / directory), default.output_dir),
            working_directory=directory,
            on_missing_secrets=self.take("on-missing-secrets", _one_of(OnMissingSecrets), default.on_missing_secrets),
            baseline=self.take("baseline", _baseline(workspace, workspace / directory), default.baseline),
            on_missing_baseline=self.take("on-missing-baseline", _on_missing_baseline, None),
            cache=self.take("cache", _folder(workspace, workspace / directory), default.cache),
        )
        if any(problem.startswith("comment-id:") for problem in self.problems):
            # With an unknown id some other comment could be overwritten: better none.
            return replace(inputs, comment=When.NEVER)
        return inputs

    def take(self, name: str, parse: Callable[[str], Value], default: Value) -> Value:
        text = self.environ.get(variable(name), "").strip()
        if not text:
            return default
        try:
            return parse(text)
        except ValueError as error:
            self.problems.append(f"{name}: {error}")
            return default


def variable(name: str) -> str:
    """The environment variable of an input: upper case, hyphens kept, ``fail-on`` → ``INPUT_FAIL-ON``."""
    return f"INPUT_{name.upper().replace(' ', '_')}"


def _one_of(choices: type[Choice]) -> Callable[[str], Choice]:
    def parse(text: str) -> Choice:
        if text not in list(choices):
            raise ValueError(f"found {text!r}, expected one of {', '.join(choices)}")
        return choices(text)

    return parse


def _comment_id(text: str) -> str:
    if not _COMMENT_ID.fullmatch(text):
        raise ValueError(
            f"found {text!r}, expected 1 to {MAX_COMMENT_ID} letters, digits, dots, hyphens or underscores"
        )
    return text


def artifact_name(baseline: str) -> str | None:
    """The artifact that the input ``baseline`` names; None when it is a path."""
    word, _, name = baseline.partition(":")
    return (name or DEFAULT_ARTIFACT) if word == "artifact" else None


def _baseline(workspace: Path, base: Path) -> Callable[[str], str]:
    """A report inside the repository, or an artifact by its name."""

    def parse(text: str) -> str:
        name = artifact_name(text)
        if name is None:
            return _folder(workspace, base, "a path inside the repository, or artifact, or artifact:NAME")(text)
        if not _ARTIFACT.fullmatch(name):
            raise ValueError(f"found {text!r}, expected artifact:NAME with a name as actions/upload-artifact takes it")
        return text

    return parse


def _on_missing_baseline(text: str) -> OnMissing:
    if text == "insufficient":
        return "insufficient"
    if text == "ignore":
        return "ignore"
    raise ValueError(f"found {text!r}, expected one of insufficient, ignore")


def _fail_on(text: str) -> FailOn:
    words = [word for word in re.split(r"[,\s]+", text) if word]
    if words == ["none"]:
        return frozenset()
    choices = f"a list of {', '.join(FAIL_ON)}, or none alone"
    for word in words:
        if word not in FAIL_ON:
            raise ValueError(f"found {word!r}, expected {choices}")
    if not words:
        raise ValueError(f"found {text!r}, expected {choices}")
    return frozenset(FAIL_ON[word] for word in words)


def _folder(workspace: Path, base: Path, expected: str = "a folder inside the repository") -> Callable[[str], str]:
    """A folder has to stay in the workspace: what is written elsewhere in the container is lost with it."""

    def parse(text: str) -> str:
        if not (base / text).resolve().is_relative_to(workspace.resolve()):
            raise ValueError(f"found {text!r}, expected {expected}")
        return text

    return parse


# --- the job ---------------------------------------------------------------------------------------------------------


def _job(environ: Mapping[str, str]) -> Job:
    return Job(
        api_url=environ.get("GITHUB_API_URL", "https://api.github.com").rstrip("/"),
        repository=_needed(environ, "GITHUB_REPOSITORY"),
        event=_needed(environ, "GITHUB_EVENT_NAME"),
        event_path=_path(environ, "GITHUB_EVENT_PATH"),
        sha=environ.get("GITHUB_SHA", ""),
        ref=environ.get("GITHUB_REF", ""),
        actor=environ.get("GITHUB_ACTOR", ""),
        run=_number(environ, "GITHUB_RUN_ID"),
        attempt=_number(environ, "GITHUB_RUN_ATTEMPT"),
        workspace=Path(_needed(environ, "GITHUB_WORKSPACE")),
        summary=_path(environ, "GITHUB_STEP_SUMMARY"),
        output=_path(environ, "GITHUB_OUTPUT"),
    )


def _needed(environ: Mapping[str, str], name: str) -> str:
    value = environ.get(name, "")
    if not value:
        raise UsageError(
            f"{name}: not set; the action runs as a step of a GitHub workflow. Elsewhere use `fairgate run`."
        )
    return value


def _number(environ: Mapping[str, str], name: str) -> int:
    text = _needed(environ, name)
    if not (text.isascii() and text.isdigit()):
        raise UsageError(f"{name}: found {text!r}, expected a whole number as the runner sets it")
    return int(text)


def _path(environ: Mapping[str, str], name: str) -> Path | None:
    return Path(environ[name]) if environ.get(name) else None
