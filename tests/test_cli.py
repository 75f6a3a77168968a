"""The command as a person meets it: exit codes, what goes where, and sentences instead of tracebacks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fairgate.cli import main
from fairgate.output import file_names

FAIRNESS = """\
fairness:
  name: hiring
  cases: decided.csv
  label: label
  prediction: prediction
  attributes: {sex: [female, male]}
  rules:
    - {id: fnr, rate: false_negative, attribute: sex, max_group_gap: 0.05}
"""
SWAP = """\
version: 1
name: loans
systems:
  loan: SYSTEM
swap:
  - name: screen
    system: loan
    cases: golden.jsonl
    axes:
      gender:
        male: {ten: Hùng}
        female: {ten: Lan}
    outcome: {positive: ["yes"], negative: ["no"]}
    rules:
      - {id: flips, max_flip_rate: 0.05}
"""
BIASED = "def decide(fields):\n    return 'no' if fields['ten'] == 'Lan' and int(fields['income']) < 50 else 'yes'\n"

FAIR = "def decide(fields):\n    return 'yes' if int(fields['income']) > 9 else 'no'\n"


def decided(folder: Path, text: str | None = None) -> Path:
    rows = ["id,label,prediction,sex"]
    rows += [f"{sex}{index},1,{int(index >= 20)},{sex}" for sex in ("female", "male") for index in range(200)]
    (folder / "decided.csv").write_text(text if text is not None else "\n".join(rows) + "\n", encoding="utf-8")
    path = folder / "fairness.yaml"
    path.write_text(FAIRNESS, encoding="utf-8")
    return path


def loans(folder: Path, system: str = "{type: python, callable: 'screen:decide'}", cases: int = 100) -> Path:
    (folder / "screen.py").write_text(BIASED, encoding="utf-8")
    golden = [json.dumps({"id": f"loan-{index:03}", "income": str(index)}) for index in range(cases)]
    (folder / "golden.jsonl").write_text("\n".join(golden), encoding="utf-8")
    path = folder / "fairgate.yaml"
    path.write_text(SWAP.replace("SYSTEM", system), encoding="utf-8")
    return path


def test_run_writes_a_report_and_exits_by_the_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["run", str(loans(tmp_path)), "--out", str(out)]) == 1
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert report["schema"] == "fairgate.report/1"
    assert report["verdict"] == "FAIL"
    (suite,) = report["suites"]
    assert (suite["flips"]["bases"], suite["flips"]["flipped"]) == (100, 50)
    assert suite["flips"]["favoured"] == {"male": 50, "female": 0}
    assert len(suite["examples"]) == 5
    evidence = [json.loads(line) for line in (out / "evidence" / "screen.jsonl").read_text("utf-8").splitlines()]
    assert len(evidence) == 200
    assert "loan-0" in (out / "report.md").read_text(encoding="utf-8")
    printed = capsys.readouterr()
    assert "50 of 100" in printed.out
    assert printed.err.endswith(f"report: {out / 'report.json'}\n")


def test_json_prints_the_report_and_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = loans(tmp_path)
    (tmp_path / "screen.py").write_text("print('hello')\n" + BIASED.replace("return", "print('x'); return"), "utf-8")
    assert main(["run", str(config), "--json", "--out", str(tmp_path / "out")]) == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == "FAIL"


def test_fairness_alone_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = decided(tmp_path)
    before = set(tmp_path.iterdir())
    assert main(["fairness", str(config), "--json"]) == 3
    assert set(tmp_path.iterdir()) == before
    assert json.loads(capsys.readouterr().out)["suites"][0]["kind"] == "fairness"


def test_an_evidence_file_answers_as_a_recorded_system(tmp_path: Path) -> None:
    assert main(["run", str(loans(tmp_path)), "--out", str(tmp_path / "first")]) == 1
    answers = tmp_path / "answers.jsonl"
    answers.write_bytes((tmp_path / "first" / "evidence" / "screen.jsonl").read_bytes())
    replay = loans(tmp_path, "{type: recorded, answers: answers.jsonl}")
    assert main(["run", str(replay), "--out", str(tmp_path / "second")]) == 1
    first, second = (json.loads((tmp_path / name / "report.json").read_text("utf-8")) for name in ("first", "second"))
    assert first["suites"][0]["flips"] == second["suites"][0]["flips"]


def test_variants_are_what_a_recorded_system_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = loans(tmp_path, "{type: recorded, answers: answers.jsonl}", cases=60)
    assert main(["variants", str(config)]) == 0
    variants = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(variants) == 120
    answers = [json.dumps({"id": variant["id"], "answer": "yes"}) for variant in variants]
    (tmp_path / "answers.jsonl").write_text("\n".join(answers), encoding="utf-8")
    # Sixty cases without a flip are within 5 %, but a system that says yes to everyone has been shown nothing.
    assert main(["run", str(config), "--out", str(tmp_path / "out")]) == 4


def test_validate_refuses_a_rule_that_cannot_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = loans(tmp_path, cases=20)
    assert main(["validate", str(config)]) == 2
    error = capsys.readouterr().err
    assert "20 cases" in error
    assert "59" in error
    assert f"{config}:" in error or "fairgate.yaml:" in error
    (tmp_path / "fair.py").write_text(FAIR, encoding="utf-8")
    fair = loans(tmp_path, "{type: python, callable: 'fair:decide'}", cases=20)
    assert main(["run", str(fair), "--out", str(tmp_path / "out")]) == 3
    report = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    assert "too_few_cases_to_pass" in report["suites"][0]["rules"][0]["reasons"]


def test_a_sound_configuration_validates_without_a_call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = loans(tmp_path)
    (tmp_path / "screen.py").write_text("def decide(fields):\n    raise SystemExit('called')\n", encoding="utf-8")
    assert main(["validate", str(config)]) == 0
    assert "fairgate.yaml" in capsys.readouterr().out


def test_nothing_to_judge_is_never_a_pass(tmp_path: Path) -> None:
    path = tmp_path / "fairgate.yaml"
    path.write_text("version: 1\n", encoding="utf-8")
    assert main(["run", str(path), "--out", str(tmp_path / "out")]) == 3


BAD_INPUT = {
    "no such file": (lambda folder: folder / "nowhere.yaml", ["nowhere.yaml"]),
    "bad yaml": (lambda folder: write(folder / "fairgate.yaml", "swap: [\n"), ["fairgate.yaml:"]),
    "unknown key": (
        lambda folder: write(loans(folder), SWAP.replace("SYSTEM", PYTHON).replace("max_flip_rate", "max_flip_rat")),
        ["fairgate.yaml:15: swap[0].rules[0].", "max_flip_rat", "max_flip_rate"],
    ),
    "wrong column": (
        lambda folder: write(decided(folder), FAIRNESS.replace("prediction: prediction", "prediction: predicted")),
        ["decided.csv", "predicted", "prediction"],
    ),
    "missing golden file": (
        lambda folder: write(loans(folder), SWAP.replace("golden.jsonl", "gold.jsonl").replace("SYSTEM", PYTHON)),
        ["gold.jsonl"],
    ),
    "a gap on a swap axis without a rate": (
        lambda folder: write(
            loans(folder),
            SWAP.replace("SYSTEM", PYTHON).replace(
                "{id: flips, max_flip_rate: 0.05}",
                "{id: gap, attribute: gender, max_group_gap: 0.05}",
            ),
        ),
        ["max_group_gap", "rate: selection"],
    ),
}
PYTHON = "{type: python, callable: 'screen:decide'}"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", BAD_INPUT)
def test_bad_input_is_a_sentence_and_exit_2(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make, words = BAD_INPUT[name]
    assert main(["run", str(make(tmp_path)), "--out", str(tmp_path / "out")]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("fairgate: ")
    assert "Traceback" not in printed.err
    for word in words:
        assert word in printed.err


@pytest.mark.parametrize("arguments", [[], ["runn"], ["run", "--nope"], ["fairness"]])
def test_usage_errors_exit_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom fairgate.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'pandas', 'scipy', 'numpy', 'pydantic', 'requests', 'jinja2', 'rich'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_swap_run_does_not_import_pandas(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom fairgate.cli import main\n"
        f"main(['run', {str(loans(tmp_path))!r}, '--out', {str(tmp_path / 'out')!r}])\n"
        "sys.exit('pandas was imported' if 'pandas' in sys.modules else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def shell(folder: Path, command: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """A whole process, as a shell starts it; ``$RUN`` is the command up to the configuration."""
    run = f"{sys.executable} -m fairgate run {loans(folder)} --out {folder / 'out'}"
    settings = {**os.environ, "RUN": run, "PYTHONPATH": str(Path(__file__).parents[1]), **environ}
    shell = ["bash", "-c", command]
    return subprocess.run(shell, capture_output=True, text=True, errors="replace", env=settings, check=False)


@pytest.mark.parametrize(
    ("command", "status", "reader"),
    [
        ("run {config} --out {out}", 1, "| head -c 10"),
        ("run {config} --out {out}", 1, "2>&1 | true"),
        ("run {config} --out {out} --json", 1, "| head -c 10"),
        ("run {config} --out {out} --case loan-001", 3, "2>&1 | true"),
        ("validate {config}", 0, "| head -c 10"),
        ("run nowhere.yaml", 2, "2>&1 | true"),
    ],
)
def test_a_reader_that_closes_the_pipe_has_no_say_in_the_exit_code(
    tmp_path: Path, command: str, status: int, reader: str
) -> None:
    config, out = loans(tmp_path), tmp_path / "out"
    words = command.format(config=config, out=out)
    # The reader is gone before a word is written.
    piped = f"(sleep 0.3; exec {sys.executable} -m fairgate {words}) {reader}; exit ${{PIPESTATUS[0]}}"
    done = shell(tmp_path, piped)
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert "Broken" not in done.stderr
    if words.startswith("run") and status == 1:
        assert json.loads((out / "report.json").read_text(encoding="utf-8"))["verdict"] == "FAIL"


def test_fairness_keeps_its_exit_code_when_nobody_reads_on() -> None:
    config = Path(__file__).parents[1] / "examples" / "decided-cases" / "fairgate.yaml"
    for options in ("", "--json"):
        piped = f"(sleep 0.3; exec {sys.executable} -m fairgate fairness {config} {options}) 2>&1 | true"
        done = subprocess.run(["bash", "-c", f"{piped}; exit ${{PIPESTATUS[0]}}"], capture_output=True, check=False)
        assert done.returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("options", ["", " --json"])
def test_a_full_disk_is_an_error_and_no_verdict(tmp_path: Path, options: str) -> None:
    done = shell(tmp_path, f"$RUN{options} > /dev/full")
    assert done.returncode == 2
    assert "No space left" in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_that_cannot_write_a_letter_is_no_reason_to_stop(tmp_path: Path, encoding: str) -> None:
    done = shell(tmp_path, "$RUN", PYTHONIOENCODING=encoding)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "50 of 100" in done.stdout
    printed = shell(tmp_path, "$RUN --json", PYTHONIOENCODING=encoding)
    assert json.loads(printed.stdout)["verdict"] == "FAIL"


def test_a_run_without_a_verdict_leaves_no_earlier_report(tmp_path: Path) -> None:
    config, out = loans(tmp_path), tmp_path / "out"
    assert main(["run", str(config), "--out", str(out)]) == 1
    config.write_text("swap: [\n", encoding="utf-8")
    assert main(["run", str(config), "--out", str(out)]) == 2
    assert not (out / "report.json").exists()
    assert not (out / "report.md").exists()


def test_a_file_that_is_not_ours_is_not_taken_away(tmp_path: Path) -> None:
    config, out = loans(tmp_path), tmp_path / "out"
    out.mkdir()
    (out / "report.json").write_text("{}", encoding="utf-8")
    (out / "report.md").write_text("mine", encoding="utf-8")
    config.write_text("swap: [\n", encoding="utf-8")
    assert main(["run", str(config), "--out", str(out)]) == 2
    assert (out / "report.md").read_text(encoding="utf-8") == "mine"


def test_a_word_that_was_not_declared_is_named_with_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = loans(tmp_path)
    (tmp_path / "other.py").write_text(BIASED.replace("'yes'", "'sure'"), encoding="utf-8")
    config.write_text(config.read_text("utf-8").replace("screen:decide", "other:decide"), encoding="utf-8")
    assert main(["run", str(config), "--out", str(tmp_path / "out")]) == 3
    printed = capsys.readouterr().out
    assert "“sure”" in printed
    assert "add it to positive or negative under outcome" in printed
    assert "close to the border" not in printed


def test_questions_are_announced_only_when_they_are_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = loans(tmp_path)
    config.write_text(config.read_text("utf-8").replace('negative: ["no"]', 'negative: ["YES"]'), encoding="utf-8")
    assert main(["run", str(config), "--out", str(tmp_path / "out")]) == 2
    assert "asking" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("suites", "names"),
    [
        (["a/b", "a-b", "A/B"], ["a-b", "a-b-2", "A-B-3"]),
        (["..", "."], ["suite", "suite-2"]),
        (["vay vốn"], ["vay-vốn"]),
    ],
)
def test_names_of_evidence_files(suites: list[str], names: list[str]) -> None:
    assert file_names(suites) == names


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_folder_that_cannot_be_written_is_known_before_anything_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    (tmp_path / "file").touch()
    assert main(["run", str(loans(tmp_path)), "--out", str(tmp_path / place)]) == 2
    printed = capsys.readouterr().err
    assert "cannot be written" in printed
    assert "asking" not in printed


@pytest.mark.parametrize("again", ["c\u0327-1", "\u00e7-1 "])
def test_an_id_in_another_spelling_is_the_same_person(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], again: str
) -> None:
    config = decided(tmp_path, f"id,label,prediction,sex\n\u00e7-1,1,1,female\n{again},1,1,male\n")
    assert main(["fairness", str(config)]) == 2
    assert "duplicate id" in capsys.readouterr().err


def test_an_answer_that_stands_twice_in_a_line_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = loans(tmp_path, "{type: recorded, answers: answers.jsonl}")
    (tmp_path / "answers.jsonl").write_text('{"id": "x", "answer": "yes", "answer": "no"}\n', encoding="utf-8")
    assert main(["run", str(config), "--out", str(tmp_path / "out")]) == 2
    assert "'answer' stands twice" in capsys.readouterr().err


@pytest.mark.parametrize("depth", [64, 700, 100_000])
def test_nesting_without_end_is_a_sentence_and_no_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], depth: int
) -> None:
    config = loans(tmp_path)
    deep = "[" * depth + "1" + "]" * depth
    (tmp_path / "golden.jsonl").write_text(f'{{"id": "a", "income": {deep}}}\n', encoding="utf-8")
    assert main(["run", str(config), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert "Traceback" not in error
    assert "line 1" in error


def test_a_bug_is_never_read_as_a_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairgate.gate.fingerprint", lambda *_: 1 / 0)
    assert main(["run", str(loans(tmp_path)), "--out", str(tmp_path / "out")]) == 2
    assert "internal error" in capsys.readouterr().err


def test_a_name_in_a_file_starts_no_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = decided(tmp_path, '"x\n::error::pwn\x1b[31m",label\n1,1\n')
    assert main(["fairness", str(config)]) == 2
    error = capsys.readouterr().err
    assert "\x1b" not in error
    assert not any(line.lstrip().startswith("::") for line in error.split("\n"))


def test_nothing_is_asked_before_every_suite_was_found_sound(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = loans(tmp_path)
    second = SWAP[SWAP.index("  - name:") :].replace("name: screen", "name: again").replace('["no"]', '["YES"]')
    config.write_text(config.read_text("utf-8") + second, encoding="utf-8")
    assert main(["run", str(config), "--out", str(tmp_path / "out")]) == 2
    assert "asking" not in capsys.readouterr().err


@pytest.mark.parametrize("key", ["golden.jsonl", "fairgate.yaml"])
def test_a_pipe_in_place_of_a_file_does_not_hang(tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str) -> None:
    config = loans(tmp_path)
    (tmp_path / key).unlink()
    os.mkfifo(tmp_path / key)
    assert main(["run", str(config), "--out", str(tmp_path / "out")]) == 2
    assert "no regular file" in capsys.readouterr().err


def test_a_review_that_says_nothing_is_no_no(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = loans(tmp_path)
    text = config.read_text("utf-8").replace("max_flip_rate: 0.05", "max_flip_rate: 0.05, requires_manual_review:")
    config.write_text(text, encoding="utf-8")
    assert main(["run", str(config), "--out", str(tmp_path / "out")]) == 2
    assert "requires_manual_review" in capsys.readouterr().err


def test_the_cases_cannot_vouch_for_themselves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = decided(tmp_path)
    config.write_text(FAIRNESS.replace("  rules:", "  expected: {ids: decided.csv}\n  rules:"), encoding="utf-8")
    assert main(["fairness", str(config)]) == 2
    assert "the file of the cases itself" in capsys.readouterr().err


@pytest.mark.parametrize("moment", ["", "def decide(fields):\n    "])
def test_a_system_that_ends_the_process_does_not_end_the_run(tmp_path: Path, moment: str) -> None:
    command = f"printf 'import os\\n{moment}os._exit(0)\\n' > {tmp_path}/screen.py; $RUN"
    done = shell(tmp_path, command.replace("\n    ", "\\n    "))
    assert done.returncode == (3 if moment else 2), done.stderr
    assert "SystemExit: 0" in done.stdout + done.stderr


def test_a_number_that_no_json_can_hold_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = loans(tmp_path)
    (tmp_path / "golden.jsonl").write_text('{"id": "a", "income": 1e999}\n', encoding="utf-8")
    assert main(["variants", str(config)]) == 2
    assert "1e999 is too large" in capsys.readouterr().err
