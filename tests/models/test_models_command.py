"""A command: real processes, written to a temporary folder."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from models_helpers import KEY, Build, ask

from fairgate.config import Project
from fairgate.errors import ConfigError
from fairgate.models.build import build_system
from fairgate.models.command import read_output
from fairgate.models.protocol import CallFailed, System
from fairgate.world import World

Script = Callable[..., System]


@pytest.fixture
def script(tmp_path: Path, build: Build) -> Script:
    def make(code: str, **settings: Any) -> System:
        (tmp_path / "it.py").write_text(code, encoding="utf-8")
        return build({"type": "command", "command": [sys.executable, "it.py"], "timeout_s": 10, **settings})

    return make


def fails(system: System, **fields: Any) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        system.send(ask(**fields))
    return caught.value


def test_reads_one_object_and_writes_one(script: Script, tmp_path: Path) -> None:
    system = script(
        "import sys, json, os\n"
        "question = json.loads(sys.stdin.readline())\n"
        "print('a line of log')\n"
        "print(json.dumps({'answer': ' '.join([question['id'], question['fields']['ten'], os.getcwd()])}))"
    )
    assert system.send(ask(ten="Lan")).text == f"c1 Lan {tmp_path}"


@pytest.mark.parametrize(
    ("line", "text"), [('{"answer": "yes"}', "yes"), ('"yes"', "yes"), ('{"answer": 1, "x": 2}', "1"), ("true", "true")]
)
def test_the_last_line_is_the_answer(line: str, text: str) -> None:
    assert read_output(line, "it").text == text


@pytest.mark.parametrize(
    ("line", "reason", "said"),
    [
        ("", "no_answer", "wrote nothing to stdout"),
        ("yes", "bad_reply", "is no JSON"),
        ("{}", "bad_reply", "an empty object, expected a text or the key answer"),
        ('{"answer": null}', "no_answer", "holds no answer"),
        ('{"answer": [1]}', "bad_reply", "a list of 1"),
        ('{"answer": ""}', "empty_answer", "empty text"),
    ],
)
def test_anything_else_is_missing_evidence(line: str, reason: str, said: str) -> None:
    with pytest.raises(CallFailed) as caught:
        read_output(line, "it")
    assert caught.value.reason == reason
    assert said in caught.value.detail


def test_a_failure_shows_the_last_lines_of_stderr(script: Script) -> None:
    failure = fails(
        script("import sys; print('a\\nb\\nc\\n\\n\\x1b[31mno model', file=sys.stderr); print('\"yes\"'); sys.exit(3)")
    )
    assert failure.reason == "system_error"
    assert "exit code 3: b | c | [31mno model" in failure.detail
    assert "signal 9" in fails(script("import os; os.kill(os.getpid(), 9)")).detail


TALKS = "import os, sys, time\nprint('loading', os.environ['KEY'], file=sys.stderr, flush=True)\n"


@pytest.mark.parametrize(
    ("code", "settings", "reason"),
    [
        ("sys.exit(1)", {"per_question": True}, "system_error"),
        ("time.sleep(60)", {"per_question": True, "timeout_s": 1}, "timeout"),
        ("sys.exit(1)", {"per_question": False}, "system_error"),
        ("time.sleep(60)", {"per_question": False, "timeout_s": 1}, "timeout"),
        ("sys.exit(0)", {"per_question": False}, "no_answer"),
    ],
)
def test_what_it_wrote_to_stderr_is_told_without_its_secrets(
    script: Script, code: str, settings: dict[str, Any], reason: str
) -> None:
    failure = fails(script(TALKS + code, **settings))
    assert failure.reason == reason
    assert "loading [redacted]" in failure.detail
    assert KEY not in failure.detail


def test_too_much_output_is_ended(script: Script) -> None:
    failure = fails(script("while True: print('x' * 100000)"))
    assert failure.reason == "bad_reply"
    assert "more than 1 MiB" in failure.detail


def test_much_on_stderr_does_no_harm(script: Script) -> None:
    system = script("import sys; sys.stderr.write('x' * 3_000_000); print('\"yes\"')")
    assert system.send(ask()).text == "yes"


def test_a_large_case_that_nobody_reads_does_no_harm(script: Script) -> None:
    assert script("print('\"yes\"')").send(ask(text="x" * 1_000_000)).text == "yes"


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"


def _ends(pid: int) -> bool:
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        if not _alive(pid):
            return True
        time.sleep(0.02)
    os.kill(pid, signal.SIGKILL)
    return False


CHILD = "import subprocess, sys; c = subprocess.Popen(['sleep', '60']); open('pid', 'w').write(str(c.pid)); "


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")
@pytest.mark.parametrize(
    ("then", "reason"),
    [
        ("c.wait()", "timeout"),
        ("sys.stdout.close(); sys.stderr.close(); import os; os.close(1); os.close(2); c.wait()", "timeout"),
        ("print('\"yes\"')", None),
    ],
)
def test_the_whole_group_ends_with_its_time_or_its_command(
    script: Script, tmp_path: Path, then: str, reason: str | None
) -> None:
    system = script(CHILD + then, timeout_s=1)
    started = time.monotonic()
    if reason is None:
        assert system.send(ask()).text == "yes"
    else:
        failure = fails(system)
        assert (failure.reason, failure.retryable) == (reason, False)
    assert time.monotonic() - started < 3
    assert _ends(int((tmp_path / "pid").read_text(encoding="utf-8")))


def test_a_daemon_that_keeps_the_streams_does_not_keep_the_answer(script: Script, tmp_path: Path) -> None:
    code = CHILD.replace("['sleep', '60']", "['sleep', '60'], start_new_session=True") + "print('\"yes\"')"
    assert script(code).send(ask()).text == "yes"
    os.kill(int((tmp_path / "pid").read_text(encoding="utf-8")), signal.SIGKILL)


def test_the_tokens_of_github_are_withheld(project: Callable[[dict[str, Any]], Project], tmp_path: Path) -> None:
    (tmp_path / "it.py").write_text(
        "import os, json; print(json.dumps(' '.join(sorted(os.environ))))", encoding="utf-8"
    )
    made = project({"type": "command", "command": [sys.executable, "it.py"]})
    environ = {"PATH": "/bin", "OWN_KEY": "k", "INPUT_TOKEN": "t", "GITHUB_TOKEN": "t", "GITHUB_OUTPUT": "f"}
    environ |= {"ACTIONS_RUNTIME_TOKEN": "t", "LC_ALL": "C.UTF-8"}
    system = build_system(made.config.systems["it"], made, ("systems", "it"), World(environ=environ))
    assert system.send(ask()).text.split() == ["LC_ALL", "OWN_KEY", "PATH"]


@pytest.mark.parametrize("name", ["no-such-command", "./absent.sh", "./it.txt", "/no/such/file"])
def test_a_command_that_is_not_there_is_refused(build: Build, tmp_path: Path, name: str) -> None:
    (tmp_path / "it.txt").write_text("not to be run", encoding="utf-8")
    with pytest.raises(ConfigError, match=rf"systems\.it\.command\[0\]: there is no command '{name}'"):
        build({"type": "command", "command": [name]})


def test_a_command_may_lie_beside_the_configuration(build: Build, tmp_path: Path) -> None:
    (tmp_path / "it.sh").write_text("#!/bin/sh\necho '\"yes\"'\n", encoding="utf-8")
    (tmp_path / "it.sh").chmod(0o755)
    system = build({"type": "command", "command": ["./it.sh"]})
    assert system.send(ask()).text == "yes"
    assert system.files() == [tmp_path / "it.sh"]
    assert system.describe() == {"type": "command", "model": None, "family": None, "command": "it.sh"}


def test_a_file_that_cannot_be_started_says_why(build: Build, tmp_path: Path) -> None:
    (tmp_path / "it").write_bytes(b"\x7fELF no program")
    (tmp_path / "it").chmod(0o755)
    failure = fails(build({"type": "command", "command": ["./it"]}))
    assert (failure.reason, failure.final) == ("system_error", True)
    assert "cannot be started" in failure.detail


def test_what_is_asked_is_the_fields_and_not_the_id(script: Script) -> None:
    system = script("")
    assert system.request(ask("a", x=1)) == system.request(ask("b", x=1))
    assert json.dumps(system.request(ask("a", x=1)))
