"""What a system retrieved, beside its answer: the same for every kind of system."""

import json
from pathlib import Path
from typing import Any

import pytest
from models_helpers import Build, Server, answer, ask

from fairgate.errors import ConfigError
from fairgate.models.command import read_output
from fairgate.models.protocol import CallFailed
from fairgate.models.text import context_texts, read_answer

CHUNKS = {"data": {"answer": "24", "chunks": [{"text": "Bảo hành 24 tháng."}, {"text": "Đổi trả 7 ngày."}]}}


def service(server: Server, **settings: Any) -> dict[str, Any]:
    return {"type": "http", "url": f"{server.url}/ask", "answer": "data.answer", "timeout_s": 5, **settings}


@pytest.mark.parametrize(
    ("expression", "texts"),
    [
        ("data.chunks[].text", ("Bảo hành 24 tháng.", "Đổi trả 7 ngày.")),
        ("reverse(data.chunks[].text)", ("Đổi trả 7 ngày.", "Bảo hành 24 tháng.")),
        ("data.chunks[?text=='x'].text", ()),
        ("data.absent", None),
        (None, None),
    ],
)
def test_a_service_gives_its_contexts(
    server: Server, build: Build, expression: str | None, texts: tuple[str, ...] | None
) -> None:
    server.steps = [answer(200, CHUNKS)]
    settings = {} if expression is None else {"contexts": expression}
    assert build(service(server, **settings)).send(ask()).contexts == texts


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("one text", "is the text 'one text', expected a list of texts"),
        ({"a": 1}, "is an object with keys a"),
        (["a", ""], "text 2 of 2 is an empty text"),
        (["a", " \n"], "text 2 of 2 is an empty text"),
        ([None, "b"], "text 1 of 2 is null"),
        ([{"text": "a"}], "text 1 of 1 is an object with keys text"),
    ],
)
def test_anything_but_a_list_of_texts_is_missing_evidence(value: Any, said: str) -> None:
    with pytest.raises(CallFailed, match="contexts 'x'") as caught:
        context_texts(value, "contexts 'x'")
    assert caught.value.reason == "bad_reply"
    assert said in caught.value.detail


def test_an_expression_that_is_none_is_refused_before_anything_is_asked(server: Server, build: Build) -> None:
    with pytest.raises(ConfigError, match=r"systems\.it\.contexts: 'data\.\[' is no JMESPath expression"):
        build(service(server, contexts="data.["))


def test_an_expression_that_does_not_fit_the_reply_says_so(server: Server, build: Build) -> None:
    server.steps = [answer(200, CHUNKS)]
    with pytest.raises(CallFailed, match=r"contexts 'ceil\(data\.answer\)' does not fit the reply"):
        build(service(server, contexts="ceil(data.answer)")).send(ask())


def test_a_function_and_a_command_may_give_contexts_beside_the_answer() -> None:
    value = {"answer": "24", "contexts": ["a", "b"]}
    assert read_answer(value, "it").contexts == ("a", "b")
    assert read_answer({"answer": "24", "contexts": ("a", "b")}, "it").contexts == ("a", "b")
    assert read_output(json.dumps(value), "it").contexts == ("a", "b")
    assert read_answer("24", "it").contexts is None
    with pytest.raises(CallFailed, match="contexts in what it wrote is the text 'a'"):
        read_output('{"answer": "24", "contexts": "a"}', "it")


def test_recorded_answers_may_carry_contexts(build: Build, tmp_path: Path) -> None:
    lines = [{"id": "c1", "answer": "24", "contexts": ["a"]}, {"id": "c2", "answer": "7", "contexts": "a"}]
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    system = build({"type": "recorded", "answers": "answers.jsonl"})
    assert system.send(ask("c1")).contexts == ("a",)
    with pytest.raises(CallFailed, match=r"contexts at answers\.jsonl:2 is the text 'a'"):
        system.send(ask("c2"))
