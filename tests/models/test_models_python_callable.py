"""A Python callable: real modules, written to a temporary folder."""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from models_helpers import Build, ask

from fairgate.config import Project
from fairgate.errors import ConfigError
from fairgate.models.build import build_system
from fairgate.models.pool import ask_all
from fairgate.models.protocol import CallFailed, Reply, System
from fairgate.models.text import read_answer
from fairgate.world import World

Module = Callable[..., System]


@pytest.fixture(autouse=True)
def _own_modules() -> Iterator[None]:
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("mod_"):
            del sys.modules[name]


@pytest.fixture
def module(tmp_path: Path, build: Build) -> Module:
    def make(code: str, callable: str = "mod_it:decide", **settings: Any) -> System:
        (tmp_path / "mod_it.py").write_text(code, encoding="utf-8")
        return build({"type": "python", "callable": callable, "timeout_s": 5, **settings})

    return make


def fails(system: System) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        system.send(ask(ten="Lan"))
    return caught.value


def test_is_called_with_the_fields(module: Module, tmp_path: Path) -> None:
    system = module("def decide(fields): return 'yes ' + fields['ten']")
    assert system.send(ask(ten="Lan")).text == "yes Lan"
    assert system.files() == [tmp_path / "mod_it.py"]
    assert system.describe() == {"type": "python", "model": None, "family": None, "callable": "mod_it:decide"}
    assert system.request(ask("a", x=1)) == system.request(ask("b", x=1))


def test_cannot_change_the_case(module: Module) -> None:
    question = ask(tags=["a"])
    module("def decide(fields): fields['tags'].append('b'); fields.clear(); return 'yes'").send(question)
    assert question.fields == {"tags": ["a"]}


def test_may_be_a_method_and_import_its_neighbours_even_late(module: Module, tmp_path: Path) -> None:
    (tmp_path / "mod_near.py").write_text("WORD = 'near'", encoding="utf-8")
    code = "class Model:\n  @staticmethod\n  def decide(fields):\n    import mod_near\n    return mod_near.WORD"
    assert module(code, "mod_it:Model.decide").send(ask()).text == "near"


@pytest.mark.parametrize(
    ("value", "text"), [("yes", "yes"), ({"answer": "yes", "x": 1}, "yes"), (1, "1"), (True, "true")]
)
def test_returns_a_text_or_an_answer(value: Any, text: str) -> None:
    assert read_answer(value, "it").text == text


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "no_answer"),
        ({"answer": None}, "no_answer"),
        ("", "empty_answer"),
        ({}, "bad_reply"),
        ([], "bad_reply"),
        (object(), "bad_reply"),
    ],
)
def test_anything_else_is_missing_evidence(value: Any, reason: str) -> None:
    with pytest.raises(CallFailed) as caught:
        read_answer(value, "what it returned")
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise KeyError('income')", "mod_it:decide raised KeyError: 'income' (mod_it.py:2)"),
        ("import sys; sys.exit(0)", "raised SystemExit: 0"),
        ("raise ValueError('a\\n\\x1b[31mb')", "raised ValueError: a [31mb"),
        ("return decide(fields)", "raised RecursionError"),
    ],
)
def test_an_exception_costs_one_answer_and_not_the_run(module: Module, body: str, said: str) -> None:
    failure = fails(module(f"def decide(fields):\n  {body}"))
    assert (failure.reason, failure.retryable, failure.final) == ("system_error", False, False)
    assert said in failure.detail


def test_a_call_that_takes_too_long_is_abandoned(module: Module) -> None:
    system = module("import time\ndef decide(fields): time.sleep(3)", timeout_s=0.2)
    started = time.monotonic()
    failure = fails(system)
    assert (failure.reason, failure.retryable) == ("timeout", False)
    assert time.monotonic() - started < 1


@pytest.mark.parametrize(
    ("code", "callable", "said"),
    [
        ("", "mod_absent:decide", "there is no module 'mod_absent' in"),
        ("", "mod_it.sub:decide", "there is no module 'mod_it.sub'|cannot be imported"),
        (
            "import mod_gone",
            "mod_it:decide",
            "mod_it cannot be imported: ModuleNotFoundError: No module named 'mod_gone'",
        ),
        ("def decide(:", "mod_it:decide", "mod_it cannot be imported: SyntaxError"),
        ("1 / 0", "mod_it:decide", r"mod_it cannot be imported: ZeroDivisionError: division by zero \(mod_it.py:1\)"),
        ("import sys; sys.exit(1)", "mod_it:decide", "mod_it cannot be imported: SystemExit"),
        ("def decision(fields): pass", "mod_it:decide", "mod_it has no 'decide'; it has: decision"),
        ("decide = 3", "mod_it:decide", "mod_it:decide is the number 3, expected a function"),
    ],
)
def test_what_cannot_be_called_is_refused(module: Module, code: str, callable: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        module(code, callable)
    assert "systems.it.callable: " in str(caught.value)


def test_printing_while_imported_goes_to_stderr(module: Module, capsys: pytest.CaptureFixture[str]) -> None:
    module("print('hello')\ndef decide(fields): return 'yes'")
    out, err = capsys.readouterr()
    assert (out, err) == ("", "hello\n")


def test_a_module_of_the_same_name_in_another_folder_is_another_module(
    tmp_path: Path, project: Callable[[dict[str, Any]], Project], world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for folder, word in ((other, "other"), (tmp_path, "own")):
        (folder / "mod_rules.py").write_text(f"WORD = '{word}'", encoding="utf-8")
        (folder / "mod_it.py").write_text(
            "import mod_rules\ndef decide(fields): return mod_rules.WORD", encoding="utf-8"
        )
    with monkeypatch.context() as patched:
        patched.syspath_prepend(str(other))
        import mod_it

        assert mod_it.decide({}) == "other"
    made = project({"type": "python", "callable": "mod_it:decide"})
    path = list(sys.path)
    system = build_system(made.config.systems["it"], made, ("systems", "it"), world)
    assert system.send(ask()).text == "own"
    system.close()
    assert sys.path == path


@pytest.mark.parametrize("name", ["json", "jinja2", "fairgate"])
def test_a_module_of_python_or_of_a_package_is_never_replaced(build: Build, tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.py").write_text("def decide(fields): return 'yes'", encoding="utf-8")
    loaded = sys.modules[name]
    with pytest.raises(ConfigError, match=f"'{name}' is also the name of an installed module"):
        build({"type": "python", "callable": f"{name}:decide"})
    assert sys.modules[name] is loaded


# --- async -----------------------------------------------------------------------------------------------------------

ASYNC = [
    "async def decide(fields): return 'yes ' + fields['ten']",
    "import functools\nasync def it(word, fields): return word + fields['ten']\ndecide = functools.partial(it, 'yes ')",
    "class It:\n  async def __call__(self, fields): return 'yes ' + fields['ten']\ndecide = It()",
]


@pytest.mark.parametrize("code", ASYNC)
def test_may_be_async(module: Module, code: str) -> None:
    assert module(code).send(ask(ten="Lan")).text == "yes Lan"


def test_async_calls_share_one_loop_and_wait_together(module: Module, world: World) -> None:
    code = (
        "import asyncio\nloops, here, most = set(), 0, 0\n"
        "async def decide(fields):\n"
        "  global here, most\n"
        "  loops.add(id(asyncio.get_running_loop())); here += 1; most = max(most, here)\n"
        "  await asyncio.sleep(0.05); here -= 1\n"
        "  return f'{len(loops)} {most}'"
    )
    questions = [ask(f"c{number}") for number in range(12)]
    answers = ask_all(module(code, concurrency=4), questions, world, lambda *_: None)
    texts = [answer.text for answer in answers.values() if isinstance(answer, Reply)]
    assert len(texts) == 12
    assert {text.split()[0] for text in texts} == {"1"}
    assert max(int(text.split()[1]) for text in texts) == 4


@pytest.mark.parametrize(
    ("body", "reason", "said"),
    [
        ("raise KeyError('income')", "system_error", "raised KeyError: 'income' (mod_it.py:3)"),
        ("import sys; sys.exit(0)", "system_error", "raised SystemExit: 0"),
        ("raise asyncio.CancelledError", "system_error", "the call was cancelled"),
        ("await asyncio.sleep(30)", "timeout", "did not return within 0.3 s"),
        ("import time; time.sleep(1.6)", "timeout", "did not return within 0.3 s"),
    ],
)
def test_an_async_call_that_fails_costs_one_answer(module: Module, body: str, reason: str, said: str) -> None:
    code = f"import asyncio\nasync def decide(fields):\n  if fields['ten'] == 'Lan': {body}\n  return 'yes'"
    system = module(code, timeout_s=0.3)
    failure = fails(system)
    assert (failure.reason, failure.retryable) == (reason, False)
    assert said in failure.detail
    time.sleep(0.4 if "time.sleep" in body else 0)
    assert system.send(ask(ten="Mai")).text == "yes", "the loop goes on"


def test_what_outlives_its_time_is_cancelled(module: Module, tmp_path: Path) -> None:
    code = (
        "import asyncio, pathlib\nasync def decide(fields):\n"
        "  try: await asyncio.sleep(30)\n"
        f"  except asyncio.CancelledError: pathlib.Path({str(tmp_path / 'ended')!r}).touch(); raise"
    )
    system = module(code, timeout_s=0.2)
    assert fails(system).reason == "timeout"
    system.close()
    assert (tmp_path / "ended").exists()
