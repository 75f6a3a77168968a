"""The process of the container: one stream, one exit code, whatever is left running in it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import atexit, os, sys, threading, time
import fairgate.action as action
action.map_host = lambda resolves: None  # the hosts file of this machine is none of a test's business
def main(world, gate, stream):
{body}
action.main = main
action.entrypoint()
"""


def run(body: str, **environ: str) -> subprocess.CompletedProcess[str]:
    program = PROGRAM.format(body="\n".join(f"    {line}" for line in body.splitlines()))
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )


@pytest.mark.parametrize("status", [0, 1, 2, 3, 4])
def test_the_exit_code_is_what_main_says(status: int) -> None:
    assert run(f"return {status}").returncode == status


def test_what_a_system_left_behind_has_no_say() -> None:
    done = run(
        "atexit.register(os._exit, 0)\n"
        "threading.Thread(target=time.sleep, args=(60,)).start()\n"
        "print('said', end='')\n"
        "return 1"
    )
    assert (done.returncode, done.stdout) == (1, "said")


@pytest.mark.parametrize("exception", ["RuntimeError('boom')", "SystemExit(0)", "KeyboardInterrupt()", "MemoryError()"])
def test_an_exception_is_2_which_no_verdict_has(exception: str) -> None:
    done = run(f"raise {exception}")
    assert done.returncode == 2
    assert exception.partition("(")[0] in done.stdout


def test_errors_go_the_way_of_the_output_in_order() -> None:
    done = run(
        "for number in range(50):\n"
        "    print(number, file=(sys.stdout, sys.stderr)[number % 2], flush=True)\n"
        "os.system('echo child >&2')\n"
        "return 0"
    )
    assert done.stdout.split() == [*map(str, range(50)), "child"]
    assert done.stderr == ""


def test_what_has_no_encoding_is_written_all_the_same() -> None:
    done = run("print('Từ chối \\ud800')\nreturn 1", LC_ALL="C")
    assert (done.returncode, done.stdout) == (1, "Từ chối \\ud800\n")


def test_the_token_is_gone_from_the_process_and_known_to_the_settings() -> None:
    done = run("print(os.environ.get('INPUT_TOKEN'), world.environ['INPUT_TOKEN'])\nreturn 0", INPUT_TOKEN="t")
    assert done.stdout.split() == ["None", "t"]


def test_no_process_can_read_the_token_from_the_environment_this_one_was_started_with() -> None:
    done = run(
        "print(open('/proc/self/environ').read())\nos.system('cat /proc/$PPID/environ')\n"
        "print('settings:', world.environ['INPUT_TOKEN'])\nreturn 3",
        INPUT_TOKEN="very-secret",
        INPUT_CONFIG="fairgate.yaml",
    )
    environment, _, settings = done.stdout.rpartition("settings:")
    assert done.returncode == 3
    assert "INPUT_CONFIG" in environment
    assert "very-secret" not in environment
    assert settings.strip() == "very-secret"
