"""``redact``: the values are nowhere, and nothing that is decided changes."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from fairgate.cli import main
from fairgate.config.project import load
from fairgate.errors import FairgateError
from fairgate.parties import questions
from fairgate.render import markdown
from fairgate.report import Report
from fairgate.swap.redaction import Redaction, is_redacted

NAMES = ["Nguyễn Văn Hùng", "Trần Quân", "Nguyễn Thị Lan", "Phạm Hà"]


def redaction(*people: dict[str, Any]) -> Redaction:
    return Redaction.of(["name", "history"], people)


@pytest.mark.parametrize(
    ("value", "text", "without"),
    [
        ("Nguyễn Thị Lan", "Hồ sơ của Nguyễn Thị Lan tốt", "Hồ sơ của [redacted] tốt"),
        ("Nguyễn Thị Lan", "nguyễn  thị LAN", "[redacted]"),
        ("Nguyễn Thị Lan", "Nguye\u0302\u0303n Thi\u0323 Lan", "[redacted]"),
        ("Nguyễn Thị Lan", json.dumps({"of": "Nguyễn Thị Lan"}), '{"of": "[redacted]"}'),
        ("Nguyễn Thị Lan", "chị Lan, lang thang", "chị [redacted], lang thang"),
        ("An", "An và Anh", "[redacted] và Anh"),
        ("他", "他被批准了", "[redacted]被批准了"),
        ("王小明", "王小明先生", "[redacted]先生"),
        ("a.b", "a.b axb", "[redacted] axb"),
        (4_000_000, "income 4000000, not 40000000", "income [redacted], not 40000000"),
        ("", "nothing to hide", "nothing to hide"),
        (None, "None", "None"),
        (True, "True", "True"),
        ([{"role": "user", "content": "tôi là Lan Anh"}], "tôi là Lan Anh", "[redacted]"),
    ],
)
def test_values_in_texts(value: Any, text: str, without: str) -> None:
    assert redaction({"name": value}).text(text) == without


def test_a_text_without_them_stays_to_the_letter() -> None:
    text = "Duye\u0323\u0302t"
    assert redaction({"name": "Lan"}).text(text) is text


def test_fields_are_numbered_by_value() -> None:
    found = redaction({"name": "Hùng", "income": 1}, {"name": "Lan"}, {"name": "Hùng"})
    assert [found.fields({"name": one, "income": 1})["name"] for one in ("Hùng", "Lan", "Hùng")] == [
        "[redacted 1]", "[redacted 2]", "[redacted 1]",
    ]  # fmt: skip
    assert found.fields({"income": 1}) == {"income": 1}
    assert [is_redacted(value) for value in ("[redacted 12]", "[redacted]", 12)] == [True, False, False]


def test_requests_lose_them_all_the_way_down() -> None:
    found = redaction({"name": "Lan", "history": {"age": 47}})
    asked = {"messages": [{"content": "chị Lan"}], "age": 47, "n": 4.5, "flag": True, "name": ("Lan",)}
    assert found.everything(asked) == {
        "messages": [{"content": "chị [redacted]"}],
        "age": "[redacted]",
        "n": 4.5,
        "flag": True,
        "name": ["[redacted]"],
    }


# --- a whole run -----------------------------------------------------------------------------------------------------

CONFIG = """\
name: loans
systems: {{loan: {{type: python, callable: "{module}:decide", retries: 0}}}}
swap:
  name: screen
  system: loan
  cases: golden.jsonl
  axes:
    gender:
      male:   [{{ten: Nguyễn Văn Hùng, xung_ho: anh}}, {{ten: Trần Quân, xung_ho: anh}}]
      female: [{{ten: Nguyễn Thị Lan, xung_ho: chị}}, {{ten: Phạm Hà, xung_ho: chị}}]
  outcome: {{positive: [approve], negative: [deny]}}
  must_respond_to: [{{income: 17}}]
  redact: {redact}
  rules:
    - {{id: flips, max_flip_rate: 0.05}}
"""
SYSTEM = """\
def decide(fields):
    if int(fields["number"]) % 10 == 7:
        raise ValueError(f"no decision for {fields['ten']}, born in {fields['born']}")
    if int(fields["number"]) % 10 == 8:
        return f"I think that {fields['ten']} should be approved, {fields['xung_ho']} {fields['ten'].split()[-1]}."
    if fields["income"] == 17 or (fields["xung_ho"] == "chị" and int(fields["number"]) % 3):
        return "deny"
    return "Approve."
"""
REDACT = "[ten, born, income]"


def run(folder: Path, redact: str, *options: str) -> tuple[int, Path]:
    folder.mkdir(exist_ok=True)
    module = f"redacting_{folder.name}"
    (folder / f"{module}.py").write_text(SYSTEM, encoding="utf-8")
    cases = [
        {"id": f"c{number}", "number": number, "income": 40, "born": "Bến Tre", "note": "{ten} từ Bến Tre"}
        for number in range(40)
    ]
    (folder / "golden.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    (folder / "fairgate.yaml").write_text(CONFIG.format(redact=redact, module=module), encoding="utf-8")
    return main(["run", str(folder / "fairgate.yaml"), "--out", str(folder / "out"), *options]), folder / "out"


def everything(out: Path) -> str:
    files = [path for path in sorted(out.rglob("*")) if path.is_file()]
    assert {"report.json", "report.md", "screen.jsonl"} <= {path.name for path in files}
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def assert_nobody_in(text: str) -> None:
    for hidden in (*NAMES, "Hùng", "Quân", "Phạm", "Bến Tre", "income: 17", "income = 17", '"income": 17'):
        assert hidden not in text, hidden
        assert json.dumps(hidden)[1:-1] not in text, hidden


@pytest.fixture
def path() -> Any:
    before, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = before
    for name in set(sys.modules) - modules:
        if name.startswith("redacting_"):
            del sys.modules[name]


@pytest.mark.parametrize("options", [(), ("--json",), ("--case", "c7"), ("--case", "c8"), ("--case", "c4")])
def test_no_output_of_a_run_shows_a_redacted_value(
    tmp_path: Path, path: None, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    _, out = run(tmp_path / f"with_{'_'.join(options).replace('-', '')}", REDACT, *options)
    printed = "".join(capsys.readouterr())
    assert "[redacted" in printed
    out = out / "case" if "--case" in options else out
    assert_nobody_in(printed)
    assert_nobody_in(everything(out))
    report = Report.model_validate_json((out / "report.json").read_bytes())
    assert_nobody_in(markdown.comment(report, limit=10**7))
    assert not list(out.rglob("journal*"))


def test_the_same_run_without_redact_shows_them(tmp_path: Path, path: None, capsys: pytest.CaptureFixture[str]) -> None:
    _, out = run(tmp_path / "without", "[]")
    text = everything(out) + capsys.readouterr().out
    assert all(name in text for name in (*NAMES, "born in Bến Tre"))
    assert list(out.rglob("journal.jsonl"))


def test_nothing_that_is_decided_changes(tmp_path: Path, path: None) -> None:
    code, plain = run(tmp_path / "plain", "[]")
    hidden_code, hidden = run(tmp_path / "hidden", REDACT)
    assert code == hidden_code == 1
    one, other = (json.loads((out / "report.json").read_bytes())["suites"][0] for out in (plain, hidden))
    for key in ("rules", "verdict", "outcomes", "selection", "flips"):
        if key == "flips":
            one[key]["responds"][0]["change"] = other[key]["responds"][0]["change"] = {}
        assert one[key] == other[key]
    assert [found["case"] for found in one["examples"]] == [found["case"] for found in other["examples"]]
    assert one["counts"]["missing_reasons"] == other["counts"]["missing_reasons"]
    example = other["examples"][0]
    assert [(found["field"], found["redacted"]) for found in example["differs"]] == [("ten", True), ("xung_ho", False)]
    assert {found["differs"][0]["positive"] for found in other["examples"]} == {"[redacted 1]"}


def test_redacted_evidence_replays_to_the_same_verdict(tmp_path: Path, path: None) -> None:
    _, out = run(tmp_path / "recorded", REDACT)
    before = json.loads((out / "report.json").read_bytes())["suites"][0]
    folder = tmp_path / "recorded"
    config = (folder / "fairgate.yaml").read_text(encoding="utf-8")
    start, end = config.index("systems:"), config.index("swap:")
    recorded = config[:start] + "systems: {loan: {type: recorded, answers: out/evidence/screen.jsonl}}\n" + config[end:]
    (folder / "recorded.yaml").write_text(recorded, encoding="utf-8")
    lines = (out / "evidence" / "screen.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["id"] for line in lines} == {one.id for one in questions(load(folder / "recorded.yaml"))}
    main(["run", str(folder / "recorded.yaml"), "--out", str(folder / "again")])
    after = json.loads((folder / "again" / "report.json").read_bytes())["suites"][0]
    assert after["outcomes"] == before["outcomes"]
    assert after["rules"][0]["interval"] == before["rules"][0]["interval"]


@pytest.mark.parametrize(("name", "hint"), [("tem", "did you mean 'ten'?"), ("id", "the fields are born, income")])
def test_a_field_that_nothing_has_is_refused(tmp_path: Path, path: None, name: str, hint: str, capsys: Any) -> None:
    code, _ = run(tmp_path / "typo", f"[ten, {name}]")
    said = capsys.readouterr().err
    assert code == 2
    assert f"fairgate.yaml:13: swap.redact[1]: found '{name}', which no axis fills and no case of" in said
    assert hint in said
    assert main(["validate", str(tmp_path / "typo" / "fairgate.yaml")]) == 2


def test_one_field_may_stand_alone(tmp_path: Path, path: None) -> None:
    run(tmp_path / "alone", "ten")
    assert load(tmp_path / "alone" / "fairgate.yaml").config.swap[0].redact == ["ten"]  # type: ignore[union-attr]
    with pytest.raises(FairgateError):
        load(tmp_path / "nowhere.yaml")
