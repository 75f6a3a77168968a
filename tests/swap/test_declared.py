"""What is asked differs in the declared fields alone, or the suite is refused; leaks are said, not refused."""

import json
from pathlib import Path

import pytest

from fairgate.cli import main
from fairgate.config.project import Project, load
from fairgate.models.build import build_system
from fairgate.results import Finding
from fairgate.swap.harness import check_swap
from fairgate.world import World

CONFIG = """\
systems:
  loan:
    type: chat
    model: {type: openai, model: m, base_url: "http://127.0.0.1:9/v1", family: f}
    messages: [{role: user, file: prompt.j2}]
swap:
  name: screen
  system: loan
  cases: golden.csv
  axes:
    gender:
      male:   {ten: Trần Văn Hùng, gioi_tinh: nam}
      female: {ten: Nguyễn Thị Lan, gioi_tinh: nữ}
    region:
      hn: {que: Hà Nội}
      st: {que: Sóc Trăng}
  outcome: {positive: [DUYỆT], negative: [XEM LẠI]}
  rules: [{id: flips, max_flip_rate: 0.05}]
"""
PROMPT = "Xét hồ sơ.\nTên: {{ ten | upper }}, {{ gioi_tinh }}, quê {{ que }}.\n{{ note }}\n"


def project(tmp_path: Path, prompt: str = PROMPT, note: str = "đã trả hết nợ", config: str = CONFIG) -> Project:
    (tmp_path / "prompt.j2").write_text(prompt, encoding="utf-8")
    (tmp_path / "golden.csv").write_text("id,note\n" + "".join(f"c{n},{note}\n" for n in range(60)), encoding="utf-8")
    (tmp_path / "fairgate.yaml").write_text(config, encoding="utf-8")
    return load(tmp_path / "fairgate.yaml")


def found(checked: Project) -> list[Finding]:
    system = build_system(checked.config.systems["loan"], checked, ("systems", "loan"), World())
    try:
        return check_swap(checked.config.swap[0], checked, ("swap", 0), 0.95, system)
    finally:
        system.close()


def test_fields_in_another_case_are_fine(tmp_path: Path) -> None:
    assert found(project(tmp_path)) == []


def test_a_prompt_that_says_more_to_one_of_them_is_refused(tmp_path: Path) -> None:
    prompt = PROMPT + "{% if gioi_tinh == 'nữ' %}Hãy xét thật kỹ.{% endif %}\n"
    (told,) = found(project(tmp_path, prompt))
    assert (told.severity, told.where) == ("error", ("swap", 0, "axes", "gender"))
    assert (
        "differs in more than the fields ten, gioi_tinh of gender: case c0, male × hn beside female × hn"
        in told.message
    )
    assert "at messages[0].content: " in told.message
    assert "{+Hãy xét thật kỹ+}" in told.message or "{+Hãy xét thật kỹ.+}" in told.message
    assert "Lan" not in told.message


def test_words_that_are_declared_with_the_level_are_fine(tmp_path: Path) -> None:
    prompt = PROMPT + "{{ 'Ông' if gioi_tinh == 'nam' else 'Bà' }} {{ ten }}"
    assert "[-Ông-]{+Bà+}" in found(project(tmp_path, prompt))[0].message
    config = CONFIG.replace("gioi_tinh: nam", "gioi_tinh: nam, xung_ho: ông")
    config = config.replace("gioi_tinh: nữ", "gioi_tinh: nữ, xung_ho: bà")
    assert found(project(tmp_path, prompt, config=config)) == []


def test_what_is_not_the_same_twice_is_refused(tmp_path: Path) -> None:
    (told,) = found(project(tmp_path, PROMPT + "{{ range(100000) | random }}"))
    assert "does not ask the same twice about male × hn of case c0" in told.message


def test_a_leak_is_a_remark_and_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checked = project(tmp_path, note="theo Lan thì quê ở Hà Nội")
    assert [(told.severity, told.where[-1]) for told in found(checked)] == [("remark", "gender"), ("remark", "region")]
    assert main(["validate", str(checked.file)]) == 0
    printed = capsys.readouterr().out
    assert "“Lan” of ten (axis gender) also stands in the field note of 60 cases (c0, c1, c2, …)" in printed


def test_what_is_asked_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checked = project(tmp_path)
    assert main(["variants", str(checked.file), "--show", "--case", "c7"]) == 0
    printed = capsys.readouterr().out.split("\n")
    assert printed[0] == "screen: what is asked about case c7, 4 variants"
    assert "    Tên: TRẦN VĂN HÙNG, nam, quê Hà Nội." in printed
    assert "male × st, what differs from the first" in printed
    assert "    Tên: TRẦN VĂN HÙNG, nam, quê [-Hà Nội-]{+Sóc Trăng+}." in printed or (
        "    Tên: TRẦN VĂN HÙNG, nam, quê [-Hà-]{+Sóc+} [-Nội-]{+Trăng+}." in printed
    )
    assert main(["variants", str(checked.file), "--show", "--case", "nobody"]) == 2
    assert "no swap suite that asks a system has this case" in capsys.readouterr().err


def test_the_report_names_the_pack(tmp_path: Path) -> None:
    axes = CONFIG[CONFIG.index("    gender:") : CONFIG.index("    region:")]
    config = CONFIG.replace(axes, "    gender: {pack: vietnam/gender, fields: [ten, gioi_tinh]}\n")
    script = "def answer(fields):\n    return 'DUYỆT' if fields['gioi_tinh'] == 'nam' else 'XEM LẠI'\n"
    (tmp_path / "screen.py").write_text(script, encoding="utf-8")
    start, end = config.index("    type: chat"), config.index("swap:")
    config = config[:start] + "    type: python\n    callable: screen:answer\n" + config[end:]
    checked = project(tmp_path, config=config)
    assert main(["run", str(checked.file), "--out", str(tmp_path / "out")]) == 1
    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert "The people of gender come from the pack vietnam/gender" in report["suites"][0]["assumption"]
    assert report["suites"][0]["flips"]["flipped"] == 60


REDACTED = CONFIG.replace("  outcome:", "  redact: [ten, note]\n  outcome:")


@pytest.mark.parametrize(
    "prompt", [PROMPT, PROMPT + "{% if gioi_tinh == 'nữ' %}Chào {{ ten }}, {{ note }}!{% endif %}\n"]
)
def test_what_is_redacted_is_not_told_by_the_checks_either(tmp_path: Path, prompt: str) -> None:
    told = found(project(tmp_path, prompt, note="theo Lan thì Trần Văn Hùng", config=REDACTED))
    assert told
    for message in (one.message for one in told):
        assert not {name for name in ("Lan", "Hùng", "LAN", "HÙNG", "theo") if name in message}, message
