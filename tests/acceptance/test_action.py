"""The action for real: the image built, a workflow run by act on a pull request, GitHub's double on loopback.

    python -m pytest -m slow tests/acceptance/test_action.py

Skipped with a message where no Docker engine can be started.
"""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.acceptance import docker_engine
from tests.acceptance.three_kinds import lay
from tests.github.github_double import GitHubDouble
from tests.github.test_github_artifacts import zipped

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/loan-screen"
HEAD = "0123456789abcdef0123456789abcdef01234567"
IMAGE = "act-dockeraction:latest"

WORKFLOW = """\
name: gate
on: pull_request
permissions:
  contents: read
  pull-requests: write
jobs:
  gate:
    runs-on: ubuntu-latest
    steps:
      - id: fairgate
        uses: ./
        with:
{inputs}
      - if: always()
        run: echo "said ${{{{ steps.fairgate.outputs.verdict }}}} ${{{{ steps.fairgate.outputs.exit-code }}}}
          ${{{{ steps.fairgate.outputs.report }}}} ${{{{ steps.fairgate.outputs.comment-url }}}}"
"""

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def environ() -> Iterator[dict[str, str]]:
    """A Docker client's environment, with the action's image built from this checkout."""
    if not EXAMPLE.is_dir():
        pytest.skip("examples/loan-screen is not here")
    try:
        with docker_engine.engine() as environ:
            docker_engine.ensure_base_image(environ)
            docker_engine.build(environ, ROOT, IMAGE)
            yield environ
    except docker_engine.Unavailable as missing:
        pytest.skip(str(missing))


@pytest.fixture
def github() -> Iterator[GitHubDouble]:
    with GitHubDouble().serve() as double:
        yield double
    assert double.problems == []


@pytest.fixture
def repository(environ: dict[str, str], tmp_path: Path) -> Path:
    """A repository that holds the examples and the action, with one commit: the base of the pull request."""
    repository = tmp_path / "repo"
    shutil.copytree(EXAMPLE, repository, ignore=shutil.ignore_patterns("fairgate-report", "__pycache__"))
    lay(ROOT / "examples", repository)
    for name in ("action.yml", "Dockerfile"):
        shutil.copy(ROOT / name, repository)
    (repository / ".github/workflows").mkdir(parents=True)
    # A repository may call its modules what it likes.
    (repository / "json.py").write_text("raise SystemExit('not yours')\n", encoding="utf-8")
    _git(repository, "init", "--quiet", "--initial-branch=main")
    _git(repository, "add", "--all")
    _git(repository, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "-m", "the base")
    return repository


@pytest.fixture
def run(environ: dict[str, str], github: GitHubDouble, repository: Path, tmp_path: Path) -> Run:
    """Commit and run the workflow on pull request 7."""
    try:
        act = docker_engine.act()
    except docker_engine.Unavailable as missing:
        pytest.skip(str(missing))
    base = _git(repository, "rev-parse", "HEAD")
    pull = {
        "number": 7,
        "head": {"sha": HEAD, "ref": "change", "repo": {"full_name": "octo/repo"}},
        "base": {"sha": base, "ref": "main", "repo": {"full_name": "octo/repo"}},
    }
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": pull}), encoding="utf-8")

    def run(config: str, number: int, fail_on: str = "fail", **inputs: str) -> subprocess.CompletedProcess[str]:
        given = {"config": config, "fail-on": fail_on, **inputs}
        workflow = WORKFLOW.format(inputs="\n".join(f"          {name}: {value}" for name, value in given.items()))
        (repository / ".github/workflows/gate.yml").write_text(workflow, encoding="utf-8")
        _git(repository, "add", "--all")
        _git(repository, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "-m", config)
        command = [act, "pull_request", "--eventpath", str(tmp_path / "event.json"), "--bind"]
        command += ["--platform", f"ubuntu-latest={docker_engine.BASE}", "--container-daemon-socket", "-", "--rm"]
        command += ["--pull=false", "--action-offline-mode", "--rebuild=false", "--secret", "GITHUB_TOKEN=job-token"]
        told = {"GITHUB_API_URL": github.url, "GITHUB_REPOSITORY": "octo/repo", "GITHUB_RUN_ID": str(number)}
        command += [part for name, value in told.items() for part in ("--env", f"{name}={value}")]
        home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
        return subprocess.run(
            command, cwd=repository, env={**environ, **home}, capture_output=True, text=True, check=False, timeout=300
        )

    return run


def test_a_flip_fails_the_job_and_a_fair_system_turns_the_comment_green(run: Run, github: GitHubDouble) -> None:
    failed = run("fairgate.yaml", 1)
    assert failed.returncode != 0, failed.stdout + failed.stderr
    (body,) = github.bodies()
    assert f"head={HEAD} run=1 " in body.partition("\n")[0], failed.stdout
    url = github.comments[0]["html_url"]
    assert f"said FAIL 1 fairgate-report/report.json {url}" in docker_engine.steps(failed.stdout), failed.stdout

    passed = run("fairgate-fair.yaml", 2)
    assert passed.returncode == 0, passed.stdout + passed.stderr
    (updated,) = github.bodies()
    assert updated != body
    assert github.comments[0]["html_url"] == url
    assert f"said PASS 0 fairgate-report/report.json {url}" in docker_engine.steps(passed.stdout), passed.stdout


def test_the_first_week_looks_and_does_not_block(run: Run, github: GitHubDouble) -> None:
    done = run("fairgate.yaml", 1, fail_on="none")
    assert done.returncode == 0, done.stdout + done.stderr
    assert any(line.startswith("said FAIL 1 ") for line in docker_engine.steps(done.stdout))
    assert len(github.bodies()) == 1


def test_three_kinds_of_suite_share_one_comment(run: Run, github: GitHubDouble) -> None:
    done = run("three-kinds.yaml", 1)
    assert done.returncode != 0, done.stdout + done.stderr
    (body,) = github.bodies()
    for part in (
        "<sub>loan-screen</sub>",
        "<sub>job-screening</sub>",
        "<sub>support</sub>",
        "Bảo hành áp dụng cho cả đèn",
    ):
        assert part in body, done.stdout
    assert any(line.startswith("said FAIL 1 ") for line in docker_engine.steps(done.stdout))


def test_a_configuration_that_is_not_there_fails_the_job_and_says_so(run: Run, github: GitHubDouble) -> None:
    done = run("no-such.yaml", 1, fail_on="none")
    assert done.returncode != 0
    (body,) = github.bodies()
    assert "no-such.yaml" in body
    assert "Traceback" not in done.stdout


def test_a_quietly_lowered_limit_needs_a_person(run: Run, github: GitHubDouble, repository: Path) -> None:
    config = repository / "fairgate-fair.yaml"
    config.write_text(config.read_text(encoding="utf-8").replace("max_flip_rate: 0.05", "max_flip_rate: 0.10"), "utf-8")
    done = run("fairgate-fair.yaml", 1, fail_on="manual-review")
    assert done.returncode != 0, done.stdout + done.stderr
    (body,) = github.bodies()
    assert "from 0.05 to 0.10" in body, body
    assert any(line.startswith("said MANUAL_REVIEW 4 ") for line in docker_engine.steps(done.stdout)), done.stdout


def test_only_what_the_change_made_worse_fails_the_job(run: Run, github: GitHubDouble, repository: Path) -> None:
    first = run("fairgate-fair.yaml", 1)
    assert first.returncode == 0, first.stdout + first.stderr
    _leave(github, repository)
    compared = {"fail_on": "regression", "baseline": "artifact"}
    worse = run("fairgate.yaml", 2, **compared)
    assert worse.returncode != 0, worse.stdout + worse.stderr
    (body,) = github.bodies()
    assert "0 → 16" in body or "16 cases newly" in body or "newly flip" in body, body

    _leave(github, repository)
    as_bad_as_before = run("fairgate.yaml", 3, **compared)
    assert as_bad_as_before.returncode == 0, as_bad_as_before.stdout + as_bad_as_before.stderr
    assert any(line.startswith("said FAIL 1 ") for line in docker_engine.steps(as_bad_as_before.stdout))


def _leave(github: GitHubDouble, repository: Path) -> None:
    """Leave the report of the last run as the artifact of a run on main."""
    content = (repository / "fairgate-report/report.json").read_bytes()
    github.upload(zipped(("report.json", content)), head_sha=json.loads(content)["git"]["commit"])


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()
