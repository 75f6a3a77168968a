"""Answers that an earlier step wrote."""

from pathlib import Path
from typing import Any

import pytest
from models_helpers import Build, ask

from fairgate.errors import ConfigError, FairgateError, InputError
from fairgate.models.protocol import CallFailed, System


def recorded(build: Build, tmp_path: Path, content: str | bytes) -> System:
    (tmp_path / "answers.jsonl").write_bytes(content if isinstance(content, bytes) else content.encode())
    return build({"type": "recorded", "answers": "answers.jsonl"})


def test_answers_by_id(build: Build, tmp_path: Path) -> None:
    lines = (
        '\ufeff{"id": "a#1", "answer": "yes", "model": "m"}\r\n\r\n{"id": "b#2", "answer": 0, "outcome": "negative"}'
    )
    system = recorded(build, tmp_path, lines)
    reply = system.send(ask("a#1"))
    assert (reply.text, reply.model) == ("yes", "m")
    assert system.describe() | {"type": "recorded"} == {
        "type": "recorded",
        "model": None,
        "family": None,
        "answers": "answers.jsonl",
        "recorded": 2,
        "unmatched": 1,
    }
    assert system.send(ask("b#2")).text == "0"
    assert system.describe()["unmatched"] == 0
    assert system.files() == [tmp_path / "answers.jsonl"]
    assert (system.concurrency, system.retries) == (1, 0)


@pytest.mark.parametrize(
    ("line", "reason", "said"),
    [
        ('{"id": "other#1", "answer": "x"}', "no_answer", "answers.jsonl has no answer to a#1"),
        (
            '{"id": "a#0", "answer": "x"}',
            "no_answer",
            r"another text of a (a#0): made for another version of the suite?",
        ),
        ('{"id": "a#1", "answer": null}', "no_answer", "answers.jsonl:1 holds no answer"),
        ('{"id": "a#1", "answer": null, "reason": "http_503"}', "http_503", "records no answer (http_503)"),
        ('{"id": "a#1", "answer": " "}', "empty_answer", "empty text"),
    ],
)
def test_what_is_not_there_is_missing_evidence(build: Build, tmp_path: Path, line: str, reason: str, said: str) -> None:
    with pytest.raises(CallFailed) as caught:
        recorded(build, tmp_path, line).send(ask("a#1"))
    assert caught.value.reason == reason
    assert said in caught.value.detail


def test_an_answer_nobody_could_read_is_still_an_answer(build: Build, tmp_path: Path) -> None:
    line = '{"id": "a", "answer": "hm", "outcome": null, "reason": "unreadable_outcome"}'
    assert recorded(build, tmp_path, line).send(ask("a")).text == "hm"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            '{"id": "a", "answer": 1}\n{"id": "a", "answer": 2}',
            r"answers\.jsonl:2: 'a' is answered twice, first on line 1",
        ),
        ("\nnot json", r"answers\.jsonl:2: is no JSON object"),
        ("[" * 100_000, r"answers\.jsonl:1: is no JSON object \(nested too deeply\)|is no JSON"),
        ("[]", r"answers\.jsonl:1: is a list of 0, expected an object"),
        ('{"answer": "x"}', r":1: id is null, expected a text"),
        ('{"id": 7, "answer": "x"}', r":1: id is the number 7"),
        ('{"id": "", "answer": "x"}', r":1: id is the text ''"),
        ('{"id": "a"}', r":1: there is no key answer"),
        ('{"id": "a", "answer": {"x": 1}}', r":1: answer is an object with keys x"),
        ('{"id": "a", "answer": NaN}', r":1: is no JSON object \(NaN"),
        ('{"id": "a", "answer": null, "reason": "It failed"}', r":1: reason is the text 'It failed'"),
        (b'{"id": "\xff", "answer": 1}', r":1: is not UTF-8"),
    ],
)
def test_a_malformed_line_is_refused(build: Build, tmp_path: Path, content: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        recorded(build, tmp_path, content)


def test_a_file_that_is_not_there_is_refused(build: Build) -> None:
    with pytest.raises(ConfigError, match=r"systems\.it\.answers: "):
        build({"type": "recorded", "answers": "absent.jsonl"})
    assert issubclass(ConfigError, FairgateError)
