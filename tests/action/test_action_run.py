"""The action from environment to exit code, against GitHub's double."""

import io
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from fairgate.action import Terms, main
from fairgate.errors import ConfigError
from fairgate.report import Report
from fairgate.verdict import Verdict
from fairgate.world import World
from tests.github.github_double import Account, GitHubDouble, Reply
from tests.github.report_samples import report_with
from tests.github.test_github_annotations import HOSTILE, obeyed
from tests.github.test_github_files import read_outputs

HEAD = "0123456789abcdef0123456789abcdef01234567"
FAIL, PASS = Verdict.FAIL, Verdict.PASS


@dataclass
class Ran:
    report: Report


@dataclass
class ScriptedGate:
    """Comes to a given verdict, or to a given exception; what it prints is hostile."""

    comes_to: Verdict | BaseException = PASS
    breaks: str = ""
    saw: dict[str, str] = field(default_factory=dict)
    asked: tuple[str | None, bool] | None = None

    def run(self, config: Path, world: World, terms: Terms) -> Ran:
        self.saw = dict(world.environ)
        self.asked = (terms.profile, terms.skip_without_secrets)
        print(HOSTILE, file=STREAM)
        if isinstance(self.comes_to, BaseException):
            raise self.comes_to
        return Ran(report_with(self.comes_to))

    def write(self, run: Ran, out: Path) -> Path:
        out.mkdir(parents=True, exist_ok=True)
        (out / "report.json").write_text(run.report.to_json(), encoding="utf-8")
        return out / "report.json"

    def show(self, report: Report, stream: io.StringIO) -> None:
        self._break("show")
        print(HOSTILE, file=stream)

    def comment(self, report: Report, *, limit: int) -> str:
        self._break("comment")
        return f"verdict {report.verdict} in {limit}"

    def summary(self, report: Report, *, limit: int) -> str:
        self._break("summary")
        return f"summary {report.verdict}"

    def failure(self, error: str) -> str:
        return f"no verdict: {error}"

    def _break(self, what: str) -> None:
        if what == self.breaks:
            raise RuntimeError(f"{what} broke")


STREAM = io.StringIO()


@dataclass
class Step:
    """One step of a workflow."""

    github: GitHubDouble
    folder: Path
    environ: dict[str, str]
    log: str = ""

    def run(self, gate: Any) -> int:
        STREAM.seek(0)
        STREAM.truncate()
        world = World(environ=self.environ, sleep=lambda _: None, chance=lambda: 0.0)
        for file in ("output", "summary"):
            (self.folder / file).unlink(missing_ok=True)
        report = self.folder / "repo/fairgate-report"
        (report / "report.json").unlink(missing_ok=True)
        if report.is_dir():
            report.rmdir()
        status = main(world, gate, STREAM)
        self.log = STREAM.getvalue()
        return status

    @property
    def outputs(self) -> dict[str, str]:
        return read_outputs(self.folder / "output")

    @property
    def summary(self) -> str:
        return (self.folder / "summary").read_text(encoding="utf-8")

    @property
    def commands(self) -> list[str]:
        return obeyed(self.log)

    @property
    def comment(self) -> str:
        (body,) = self.github.bodies()
        return body.partition("\n")[2]


@pytest.fixture
def step(github: GitHubDouble, tmp_path: Path) -> Step:
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo/fairgate.yaml").write_text("version: 1\n", encoding="utf-8")
    environ = {
        "GITHUB_API_URL": github.url,
        "GITHUB_REPOSITORY": "octo/repo",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "GITHUB_RUN_ID": "5",
        "GITHUB_RUN_ATTEMPT": "1",
        "GITHUB_ACTOR": "mona",
        "GITHUB_SHA": HEAD,
        "GITHUB_WORKSPACE": str(tmp_path / "repo"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "INPUT_TOKEN": "job-token",
        "MODEL_KEY": "k",
    }
    step = Step(github, tmp_path, environ)
    pull_request(step)
    return step


def pull_request(step: Step, head: str = "octo/repo") -> None:
    pull = {
        "number": 7,
        "head": {"sha": HEAD, "repo": {"full_name": head}},
        "base": {"repo": {"full_name": "octo/repo"}},
    }
    (step.folder / "event.json").write_text(json.dumps({"pull_request": pull}), encoding="utf-8")


# --- the verdict and the exit code -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fail_on", "verdict", "status"),
    [
        ("", PASS, 0),
        ("", FAIL, 1),
        ("", Verdict.INSUFFICIENT_EVIDENCE, 3),
        ("", Verdict.MANUAL_REVIEW, 4),
        ("none", FAIL, 0),
        ("none", Verdict.MANUAL_REVIEW, 0),
        ("fail", FAIL, 1),
        ("fail", Verdict.INSUFFICIENT_EVIDENCE, 0),
        ("fail", Verdict.MANUAL_REVIEW, 0),
        ("manual-review", FAIL, 0),
        ("manual-review", Verdict.MANUAL_REVIEW, 4),
    ],
)
def test_the_exit_code_is_the_verdicts_when_it_fails_the_job(
    step: Step, fail_on: str, verdict: Verdict, status: int
) -> None:
    step.environ["INPUT_FAIL-ON"] = fail_on
    assert step.run(ScriptedGate(verdict)) == status
    assert (step.outputs["verdict"], step.outputs["exit-code"]) == (verdict, str(verdict.exit_code))


def test_everything_is_said_everywhere(step: Step) -> None:
    assert step.run(ScriptedGate(FAIL)) == 1
    assert step.comment.startswith("verdict FAIL in 65")
    assert step.summary == "summary FAIL\n"
    assert step.outputs["report"] == "fairgate-report/report.json"
    assert step.outputs["comment-url"] == step.github.comments[0]["html_url"]
    assert step.commands == ["::error file=fairgate.yaml,title=FAIL%3A loan-screen / flips::2 of 40 decisions changed."]
    assert "run=5 attempt=1" in step.github.bodies()[0]


def test_a_second_run_updates_the_comment(step: Step) -> None:
    step.run(ScriptedGate(FAIL))
    step.environ["GITHUB_RUN_ID"] = "6"
    assert step.run(ScriptedGate(PASS)) == 0
    assert step.comment.startswith("verdict PASS")
    step.environ["GITHUB_RUN_ID"] = "4"
    assert step.run(ScriptedGate(FAIL)) == 1
    assert step.comment.startswith("verdict PASS")
    assert "newer run" in step.log


def test_what_a_run_prints_is_never_obeyed_and_it_never_sees_the_token(step: Step) -> None:
    gate = ScriptedGate(PASS)
    step.run(gate)
    assert "::add-path::/evil" in step.log
    assert step.commands == []
    assert gate.saw == {"MODEL_KEY": "k"}
    assert "job-token" not in step.log


@pytest.mark.parametrize(
    ("event", "head", "actor", "written", "skips"),
    [
        ("pull_request", "stranger/repo", "mona", "skip", True),
        ("pull_request", "octo/repo", "dependabot[bot]", "skip", True),
        ("pull_request", "octo/repo", "mona", "skip", False),  # a secret that is not set here is a mistake
        ("push", "stranger/repo", "mona", "skip", False),
        ("pull_request", "stranger/repo", "mona", "", False),
    ],
)
def test_secrets_may_be_missing_only_where_github_withholds_them(
    step: Step, event: str, head: str, actor: str, written: str, skips: bool
) -> None:
    pull_request(step, head)
    step.environ |= {"GITHUB_EVENT_NAME": event, "GITHUB_ACTOR": actor, "INPUT_ON-MISSING-SECRETS": written}
    gate = ScriptedGate(PASS)
    step.run(gate)
    assert gate.asked == (None, skips)


def test_the_profile_goes_to_the_gate(step: Step) -> None:
    step.environ["INPUT_PROFILE"] = "pr"
    gate = ScriptedGate(PASS)
    step.run(gate)
    assert gate.asked == ("pr", False)


# --- when there is a comment -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("when", "first", "then", "bodies"),
    [
        ("always", PASS, None, ["PASS"]),
        ("failures", PASS, None, []),
        ("failures", FAIL, None, ["FAIL"]),
        ("failures", FAIL, PASS, ["PASS"]),
        ("never", FAIL, None, []),
    ],
)
def test_when_there_is_a_comment(
    step: Step, when: str, first: Verdict, then: Verdict | None, bodies: list[str]
) -> None:
    step.environ["INPUT_COMMENT"] = when
    for verdict in filter(None, (first, then)):
        step.run(ScriptedGate(verdict))
    assert [body.split()[-3] for body in step.github.bodies()] == bodies
    assert bool(step.github.requests) == (when != "never")


def test_failures_are_what_fails_the_job(step: Step) -> None:
    step.environ |= {"INPUT_COMMENT": "failures", "INPUT_FAIL-ON": "manual-review"}
    step.run(ScriptedGate(FAIL))
    assert step.github.bodies() == []


@pytest.mark.parametrize("event", ["push", "merge_group", "schedule", "workflow_dispatch", "workflow_run"])
def test_without_a_pull_request_there_is_a_verdict_and_a_summary(step: Step, event: str) -> None:
    step.environ["GITHUB_EVENT_NAME"] = event
    assert step.run(ScriptedGate(FAIL)) == 1
    assert (step.summary, step.github.requests) == ("summary FAIL\n", [])
    assert "comment-url" not in step.outputs
    assert f"no comment: the event is {event}" in step.log


# --- GitHub refuses --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", list(Verdict))
@pytest.mark.parametrize("status", [401, 403, 404, 410, 422, 429, 500, 502, 503])
def test_a_failure_of_github_is_a_warning_and_never_changes_the_verdict(
    step: Step, status: int, verdict: Verdict
) -> None:
    step.github.script = [Reply(status, {"message": "sorry", "documentation_url": "x"}, method="POST")] * 9
    assert step.run(ScriptedGate(verdict)) == verdict.exit_code
    warning = step.commands[-1]
    assert warning.startswith("::warning title=fairgate::The pull request got no comment (POST")
    assert f"{status} sorry" in warning
    assert "The verdict stands" in warning
    assert ("pull-requests: write" in warning) == (status in (403, 404))
    assert step.outputs["verdict"] == verdict
    assert "comment-url" not in step.outputs


@pytest.mark.parametrize(
    ("head", "actor", "says"),
    [
        ("octo/repo", "mona", "Add to the job: permissions: {contents: read, pull-requests: write}"),
        ("mona/repo", "mona", "comes from a fork"),
        ("octo/repo", "dependabot[bot]", "triggered by Dependabot"),
    ],
)
def test_a_read_only_token_is_explained(step: Step, head: str, actor: str, says: str) -> None:
    step.github.accounts["job-token"] = Account(may_write=False)
    step.environ["GITHUB_ACTOR"] = actor
    pull_request(step, head)
    assert step.run(ScriptedGate(PASS)) == 0
    assert says in step.commands[-1]
    assert "Resource not accessible by integration" in step.commands[-1]


def test_a_fork_whose_token_may_write_gets_its_comment(step: Step) -> None:
    step.environ["GITHUB_EVENT_NAME"] = "pull_request_target"
    pull_request(step, "mona/repo")
    step.run(ScriptedGate(PASS))
    assert step.comment.startswith("verdict PASS")


def test_a_refused_token_is_named(step: Step) -> None:
    step.environ["INPUT_TOKEN"] = "expired"
    assert step.run(ScriptedGate(PASS)) == 0
    assert "check the input token" in step.commands[-1]


def test_github_is_not_there(step: Step) -> None:
    step.environ["GITHUB_API_URL"] = "http://127.0.0.1:1"
    assert step.run(ScriptedGate(FAIL)) == 1
    assert "The verdict stands" in step.commands[-1]


@pytest.mark.parametrize("breaks", ["show", "summary", "comment"])
def test_a_rendering_that_breaks_stops_nothing_else(step: Step, breaks: str) -> None:
    assert step.run(ScriptedGate(FAIL, breaks)) == 1
    assert f"RuntimeError: {breaks} broke" in step.log
    assert step.outputs["verdict"] == FAIL
    assert (step.github.bodies() == []) == (breaks == "comment")
    assert (step.folder / "summary").exists() == (breaks != "summary")
    assert len(step.commands) == (1 if breaks == "show" else 2)


@pytest.mark.parametrize("name", ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"])
def test_a_file_of_the_runner_that_cannot_be_written(step: Step, name: str) -> None:
    step.environ[name] = str(step.folder / "no/such/folder")
    assert step.run(ScriptedGate(FAIL)) == 1
    assert step.comment.startswith("verdict FAIL")
    assert any(command.startswith("::warning") for command in step.commands)


# --- no verdict ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fail_on", ["", "none"])
def test_a_configuration_error_replaces_an_old_pass(step: Step, fail_on: str) -> None:
    step.run(ScriptedGate(PASS))
    step.environ |= {"GITHUB_RUN_ID": "6", "INPUT_FAIL-ON": fail_on}
    where = step.folder / "repo/fairgate.yaml"
    assert step.run(ScriptedGate(ConfigError(f"{where}:3: swap: unknown key 'sawp'"))) == 2
    assert step.comment == "no verdict: fairgate.yaml:3: swap: unknown key 'sawp'"
    assert step.summary == step.comment + "\n"
    assert step.commands == [
        "::error file=fairgate.yaml,line=3,title=fairgate::fairgate.yaml:3: swap: unknown key 'sawp'"
    ]
    assert (step.outputs["verdict"], step.outputs["exit-code"]) == ("", "2")
    assert "Traceback" not in step.log


@pytest.mark.parametrize("error", [RuntimeError("boom"), MemoryError(), RecursionError("deep")])
def test_an_error_of_our_own_is_never_a_pass(step: Step, error: Exception) -> None:
    step.environ["INPUT_FAIL-ON"] = "none"
    assert step.run(ScriptedGate(error)) == 2
    assert "Traceback" in step.log
    assert step.comment.startswith(f"no verdict: Internal error of fairgate: {type(error).__name__}")


@pytest.mark.parametrize("code", [0, 1, None, "bye"])
def test_a_system_that_leaves_the_process_is_no_pass(step: Step, code: Any) -> None:
    with pytest.raises(SystemExit) as leaving:
        sys.exit(code)
    assert step.run(ScriptedGate(leaving.value)) == 2
    assert "sys.exit" in step.comment


def test_a_wrong_input_is_said_where_it_is_read(step: Step) -> None:
    gate = ScriptedGate(PASS)
    step.environ |= {"INPUT_FAIL-ON": "failure", "INPUT_OUTPUT-DIR": ".."}
    assert step.run(gate) == 2
    assert gate.saw == {}
    assert step.comment.splitlines()[0].startswith("no verdict: fail-on: found 'failure', expected a list of")
    assert [command.startswith("::error") for command in step.commands] == [True, True]


def test_with_a_wrong_comment_id_nothing_is_overwritten(step: Step) -> None:
    step.run(ScriptedGate(PASS))
    step.environ["INPUT_COMMENT-ID"] = "no way"
    assert step.run(ScriptedGate(PASS)) == 2
    assert step.comment.startswith("verdict PASS")


def test_outside_of_a_workflow_a_sentence_and_2(step: Step) -> None:
    del step.environ["GITHUB_REPOSITORY"]
    assert step.run(ScriptedGate(PASS)) == 2
    assert step.commands[0].startswith("::error title=fairgate::GITHUB_REPOSITORY: not set")
