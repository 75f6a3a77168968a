"""``redact`` with all that a suite can do switched on: nobody's values stand in anything that is written or printed."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from fairgate.cli import main

CONFIG = """\
name: loans
systems:
  loan: {{type: python, callable: "{module}:decide", retries: 0}}
  other: {{type: python, callable: "{module}:other", retries: 0}}
swap:
  name: screen
  system: loan
  cases: golden.jsonl
  axes:
    gender:
      male:   [{{ten: Nguyễn Văn Hùng, xung_ho: anh}}]
      female: [{{ten: Nguyễn Thị Lan, xung_ho: chị}}]
  outcome:
    positive: [approve]
    negative: [deny]
    pattern: 'Decision: (.+)'
    refusal: {{pattern: "cannot decide"}}
  control: 1
  must_respond_to: [{{income: 17000000}}]
  mask: [ten, note]
  needed: [income]
  mitigations:
    - {{name: other prompt, system: other}}
    - {{name: no income, mask: [income]}}
  redact: [ten, income, phone]
  rules:
    - {{id: flips, max_flip_rate: 0.05}}
    - {{id: new, no_new_flips: true}}
"""
MODULE = """\
FAIR = {fair}


def told(fields):
    return (
        f"{{fields['note']}} Bà OANH, do kim oanh, {{fields['ten']}}, {{fields['ten'].upper().replace(' ', '_')}}, "
        f"{{fields['phone']}}, 0912.345.678, {{fields['income']}}, {{fields['xung_ho']}} {{fields['ten'].split()[-1]}}"
    )


def decide(fields):
    number = int(fields["number"]) % 10
    if number == 7:
        raise ValueError("no decision: " + told(fields))
    if number == 8:
        return "I am not sure. " + told(fields)
    if number == 9:
        return "Decision: about " + told(fields)
    if number == 6:
        return "I cannot decide about " + told(fields)
    if fields["income"] == 17000000 or (not FAIR and fields["xung_ho"] == "chị"):
        return told(fields) + " Decision: deny"
    return told(fields) + " Decision: approve"


def other(fields):
    return decide(fields)
"""
CASE = {
    "ten": "Đỗ Kim Oanh",
    "income": 18_000_000,
    "phone": "0912345678",
    "note": "Bà Oanh nói: {ten} vay lần đầu, như Lan và anh Hùng. Thu nhập 18.000.000.",
}
HIDDEN = (
    "Oanh", "oanh", "OANH", "Kim", "Đỗ", "Hùng", "HÙNG", "Lan", "LAN", "Nguyễn", "NGUYỄN",
    "0912", "345.678", "18000000", "17000000", "18.000.000", "17,000,000",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Any:
    before, modules = list(sys.path), set(sys.modules)
    cases = [{"id": f"c{number}", "number": number, **CASE} for number in range(30)]
    (tmp_path / "golden.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    yield tmp_path
    sys.path[:] = before
    for name in set(sys.modules) - modules:
        if name.startswith("hiding_"):
            del sys.modules[name]


def write(folder: Path, *, fair: bool, config: str = CONFIG) -> Path:
    module = f"hiding_{'fair' if fair else 'biased'}"
    (folder / f"{module}.py").write_text(MODULE.format(fair=fair), encoding="utf-8")
    file = folder / f"{module}.yaml"
    file.write_text(config.format(module=module), encoding="utf-8")
    return file


def assert_nobody_in(*texts: str) -> None:
    for text in texts:
        for hidden in HIDDEN:
            for spelled in (hidden, json.dumps(hidden)[1:-1]):
                at = text.find(spelled)
                assert at < 0, text[max(0, at - 200) : at + 60]


def written(out: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(out.rglob("*")) if path.is_file()]


def test_no_file_and_no_line_of_a_run_shows_anybody(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, out = folder / "base", folder / "out"
    main(["run", str(write(folder, fair=True)), "--out", str(base)])
    command = ["run", str(write(folder, fair=False)), "--out", str(out), "--baseline", str(base / "report.json")]
    assert main(command) == 1
    assert_nobody_in(*written(base), *written(out), *capsys.readouterr())
    suite = json.loads((out / "report.json").read_bytes())["suites"][0]
    assert [arm["name"] for arm in suite["mitigations"]] == ["as it is", "masked", "other prompt", "no income"]
    assert {remark["code"] for remark in suite["warnings"]} >= {"swapped_value_elsewhere", "unreadable_outcomes"}
    assert suite["counts"]["details"]
    lines = (out / "evidence" / "screen.jsonl").read_text(encoding="utf-8").splitlines()
    evidence = [json.loads(line) for line in lines]
    assert {line.get("mitigation") for line in evidence} == {None, "masked", "other prompt", "no income"}
    assert any("|again" in line["id"] for line in evidence)
    masked = [line["fields"]["ten"] for line in evidence if line.get("mitigation") == "masked"]
    assert set(masked) == {"[masked]"}  # what the file says for everybody hides nobody


@pytest.mark.parametrize("case", ["c1", "c6", "c7", "c8", "c9"])
def test_no_line_about_one_case_shows_anybody(folder: Path, case: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", str(write(folder, fair=False)), "--out", str(folder / "out"), "--case", case])
    printed = capsys.readouterr()
    assert "[redacted" in printed.out
    assert_nobody_in(*written(folder / "out"), *printed)


PROMPT = "{{ note }} {{ ten }} {% if xung_ho == 'chị' %}Bà Đỗ Kim Oanh, {{ income }}{% else %}ông Kim{% endif %}"
CHAT = """{{type: chat, messages: [{{role: user, file: prompt.j2}}],
         model: {{type: openai, model: m, base_url: "http://127.0.0.1:9/v1", family: f}}}}"""


@pytest.mark.parametrize("command", ["run", "validate"])
def test_no_error_about_what_is_asked_shows_anybody(
    folder: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "prompt.j2").write_text(PROMPT, encoding="utf-8")
    config = CONFIG.replace('{{type: python, callable: "{module}:decide", retries: 0}}', CHAT)
    file = write(folder, fair=True, config=config)
    assert main([command, str(file)]) == 2
    printed = capsys.readouterr()
    assert "differs in more than the fields" in printed.out + printed.err
    assert "[redacted]" in printed.out + printed.err
    assert_nobody_in(*printed)
