"""A command that goes on: one real process for all questions, and everything that can happen to it."""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from models_helpers import Build, ask

from fairgate.models.pool import ask_all
from fairgate.models.protocol import CallFailed, Missing, Question, Reply, System
from fairgate.world import World

Script = Callable[..., System]

LOOP = """\
import sys, json, os, time
open('starts', 'a').write(f'{os.getpid()}\\n')
for line in sys.stdin:
    question = json.loads(line)
    fields, text = question['fields'], question['fields'].get('text', 'yes')
    BODY
    print(json.dumps({'id': question['id'], 'answer': text}), flush=True)
"""


@pytest.fixture
def script(tmp_path: Path, build: Build) -> Script:
    def make(body: str = "pass", code: str = LOOP, **settings: Any) -> System:
        (tmp_path / "it.py").write_text(code.replace("BODY", body), encoding="utf-8")
        return build({"type": "command", "command": [sys.executable, "it.py"], "timeout_s": 10, **settings})

    return make


@pytest.fixture
def starts(tmp_path: Path) -> Callable[[], int]:
    return lambda: len((tmp_path / "starts").read_text(encoding="utf-8").split())


def questions(number: int, **fields: Any) -> list[Question]:
    return [Question(f"c{at}", {"text": f"answer {at}", **fields}) for at in range(number)]


def texts(system: System, asked: list[Question], world: World) -> dict[str, str]:
    """Answer or reason by question."""
    answers = ask_all(system, asked, world, lambda *_: None)
    return {id: answer.text if isinstance(answer, Reply) else answer.reason for id, answer in answers.items()}


def test_a_program_that_names_its_question_is_asked_them_all(
    script: Script, world: World, starts: Callable[[], int]
) -> None:
    asked = questions(40)
    assert texts(script("print('log', {'id': 1})"), asked, world) == {one.id: one.fields["text"] for one in asked}
    assert starts() == 2, "one to find out, one for the rest"


@pytest.mark.parametrize(("setting", "processes"), [(True, 5), (False, 1)])
def test_the_configuration_may_say_which(
    script: Script, world: World, starts: Callable[[], int], setting: bool, processes: int
) -> None:
    asked = questions(5)
    assert set(texts(script(per_question=setting), asked, world).values()) == {one.fields["text"] for one in asked}
    assert starts() == processes


@pytest.mark.parametrize(
    "code",
    [
        LOOP.replace("'id': question['id'], ", ""),
        LOOP.replace("question['id'],", "'own',"),
        LOOP.replace("for line in sys.stdin:", "for line in [sys.stdin.read()]:").replace("'id': question['id'], ", ""),
    ],
)
def test_any_other_program_gets_a_process_for_each_question(
    script: Script, world: World, starts: Callable[[], int], code: str
) -> None:
    asked = questions(4)
    assert texts(script(code=code), asked, world) == {one.id: one.fields["text"] for one in asked}
    assert starts() == 4


def test_answers_may_come_in_any_order(script: Script, world: World) -> None:
    code = (
        "import sys, json\n"
        "lines = [json.loads(sys.stdin.readline()) for _ in range(4)]\n"
        "for one in reversed(lines):\n"
        "    print(json.dumps({'id': one['id'], 'answer': one['fields']['text']}), flush=True)\n"
    )
    asked = questions(8)
    system = script(code=code, per_question=False, concurrency=4)
    assert texts(system, asked, world) == {one.id: one.fields["text"] for one in asked}


@pytest.mark.parametrize(
    ("poison", "reason"),
    [
        ("sys.exit('no memory')", "system_error"),
        ("os.kill(os.getpid(), 9)", "system_error"),
        ("time.sleep(60)", "timeout"),
        ("sys.stdout.write('{' + 'x' * 2000000 + chr(10)); sys.stdout.flush(); time.sleep(60)", "bad_reply"),
    ],
)
def test_one_question_that_ends_the_process_costs_one_answer(
    script: Script, world: World, starts: Callable[[], int], poison: str, reason: str
) -> None:
    asked = questions(12)
    system = script(f"if text == 'answer 5': {poison}", per_question=False, timeout_s=1, concurrency=4)
    expected = {one.id: one.fields["text"] for one in asked} | {"c5": reason}
    assert texts(system, asked, world) == expected
    assert starts() == 2


def test_a_program_that_ends_after_each_answer_is_started_again(script: Script, world: World) -> None:
    asked = questions(6)
    system = script(code=LOOP + "    sys.exit(0)\n", per_question=False, concurrency=3)
    assert texts(system, asked, world) == {one.id: one.fields["text"] for one in asked}


def test_a_program_that_only_crashes_is_not_started_for_ever(
    script: Script, world: World, starts: Callable[[], int]
) -> None:
    system = script("sys.exit('no model file')", per_question=False, concurrency=4)
    answers = ask_all(system, questions(30), world, lambda *_: None)
    assert {answer.reason for answer in answers.values() if isinstance(answer, Missing)} == {"system_error"}
    assert starts() == 5
    told = next(
        answer.detail for answer in answers.values() if isinstance(answer, Missing) and "in a row" in answer.detail
    )
    assert "exit code 1: no model file (5 processes in a row ended without an answer" in told


def test_a_program_that_says_nothing_and_ends_gave_no_answer(script: Script) -> None:
    with pytest.raises(CallFailed) as caught:
        script(code="input()", per_question=False).send(ask())
    assert caught.value.reason == "no_answer"


def test_one_question_that_is_forgotten_does_not_hold_up_the_run(script: Script, world: World) -> None:
    system = script(
        "if text == 'answer 0': continue\n    time.sleep(0.1)", per_question=False, timeout_s=0.5, concurrency=2
    )
    found = texts(system, questions(12), world)
    assert found.pop("c0") == "timeout"
    assert set(found.values()) == {f"answer {at}" for at in range(1, 12)}


def test_a_slow_program_is_not_late_because_others_wait_before(script: Script, world: World) -> None:
    asked = questions(6)
    system = script("time.sleep(0.3)", per_question=False, timeout_s=1, concurrency=6)
    assert "timeout" not in texts(system, asked, world).values()


def test_large_questions_that_nobody_reads_do_not_block(script: Script) -> None:
    system = script(code="import time; time.sleep(60)", per_question=False, timeout_s=0.5)
    with pytest.raises(CallFailed, match=r"did not answer within .*write per_question: true"):
        system.send(ask(text="x" * 1_000_000))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")
def test_closing_ends_the_process_and_lets_it_finish(script: Script, tmp_path: Path) -> None:
    system = script(code=LOOP + "open('finished', 'w')\n", per_question=False)
    system.send(ask())
    (pid,) = (tmp_path / "starts").read_text(encoding="utf-8").split()
    system.close()
    assert (tmp_path / "finished").exists()
    deadline = time.monotonic() + 5
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


def test_what_is_asked_is_the_same_either_way(script: Script) -> None:
    assert json.dumps(script(per_question=True).request(ask(x=1))) == json.dumps(script().request(ask(x=1)))
