"""Files as people really make them, through the command itself: every field case of parity, YAML and JSON lines."""

import json
from pathlib import Path

import pytest

from fairgate.cli import main

WOMEN_AND_MEN = {
    "false_negative": [(1, 3), (2, 3)],
    "false_positive": [(1, 3), (0, 3)],
    "selection": [(3, 6), (1, 6)],
    "error": [(2, 6), (2, 6)],
}
"""Events and observed cases of the first and the second declared group of the table that most cases share."""

SHARED_TABLE = (
    "02-semicolon-decimal-comma",
    "04-tab-in-csv",
    "06-utf16-excel-unicode-text",
    "10-quoted-newlines",
    "20-na-namibia",
    "24-nfd-column-name",
    "34-probability-out-of-range",
    "36-ids-over-2-53",
    "46-yaml-sexagesimal-octal-float",
    "52-jsonl-blank-lines",
)
REFUSED = {
    "08-nul-bytes": ["cases.csv: line 4: holds a NUL character"],
    "12-ragged-rows": ["line 5: cells found: 4, cells in the header: 5", "line 10: cells found: 6"],
    "14-trailing-prose": ["line 15: cells found: 1", "'All 12 cases are listed above.'"],
    "16-duplicate-header": ["line 1: column 'label' stands twice, at positions 2 and 4"],
    "18-no-header": ["no header row with id, label, prediction, sex was found; line 1 reads 'c01,1,1,0.91,female'"],
    "26-fullwidth": ["line 2: label '１' is not 0 or 1; it is another form of the digit, write 1", "'１' (6 times)"],
    "30-bool-and-word-labels": [
        "line 2: label 'True' is not 0 or 1",
        "column 'label' holds 'True' (6 times), 'False' (6 times); say which of them mean 1 and which 0: values:",
        "column 'prediction' holds 'no' (8 times), 'yes' (4 times)",
    ],
    "32-vietnamese-decisions": [
        "line 2: prediction 'DUYỆT' is not 0, 1 or blank",
        "'XEM LẠI' (6 times)",
        "values: {1: [",
    ],
    "48-yaml-tabs": ["fairness.yaml:7: tab on line 7, use spaces"],
    "50-yaml-typos": [
        "fairness.yaml:8: fairness.min_cells: unknown key, did you mean min_cell?",
        "fairness.yaml:10: fairness.rules[0].max_gap: unknown key, did you mean max_group_gap?",
    ],
    "50-yaml-typos/fairness_gap5.yaml": ["found 5, expected a number from 0 to 1: write 0.05 for 5 %"],
    "50-yaml-typos/fairness_neg.yaml": ["max_group_gap: found -0.1, expected a number from 0 to 1"],
    "54-jsonl-trailing-comma-comments": [
        "cases.jsonl: line 1: is not one JSON object: Extra data",
        "remove the comma at the end of the line",
        "line 5: is not one JSON object: Expecting value: '// half way'; JSON lines have no comments, remove it",
    ],
    "56-jsonl-log-lines": ["line 2: is not one JSON object", "'WARN row 2 had no closing brace, skipped'"],
}
JUDGED = {
    "22-padded-group-values": (8, ["' NA '", "'Male '", "nearest declared group 'Male'", r"\xa0"]),
    "28-float-groups": (1, []),
    "38-missing-attribute": (4, []),
    "40-age-boundary": (6, ["'25'", "'25.0'", "'18–25' (2 cases, nearest declared group '18-25')"]),
    "42-inverted-prediction": (0, ["above one half in every group of sex"]),
    "44-yaml-null-groups": (0, []),
    "46-yaml-sexagesimal-octal-float/fairness_float.yaml": (12, ["'12:30' (6 cases"]),
    "46-yaml-sexagesimal-octal-float/fairness_octal.yaml": (12, ["'20:30' (6 cases"]),
}
"""Cases left out of the rule, and words of the warnings."""


def config(shared: Path, name: str) -> Path:
    place = shared / "cases" / "field" / name
    return place if place.suffix == ".yaml" else place / "fairness.yaml"


def judge(config: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    main(["fairness", str(config), "--json"])
    return json.loads(capsys.readouterr().out)["suites"][0]


def copy(shared: Path, name: str, folder: Path, **replaced: str) -> Path:
    """A field case in a folder of its own, with the rules of every rate and other changes to its configuration."""
    source = config(shared, name)
    for file in source.parent.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    text = source.read_text()
    for old, new in replaced.items():
        text = text.replace(old.replace("_", " "), new)
    target = folder / "fairness.yaml"
    target.write_text(text)
    return target


def with_every_rate(text: str) -> str:
    (rule,) = (line for line in text.splitlines() if "{id:" in line)
    rate = rule.split("rate: ")[1].split(",")[0]
    rules = [rule.replace("r1", f"r-{other}").replace(rate, other) for other in WOMEN_AND_MEN]
    return text.replace(rule, "\n".join(rules))


def test_every_field_case_of_these_kinds_is_here(shared: Path) -> None:
    rows = [line.split("\t") for line in (shared / "cases" / "field" / "INDEX.tsv").read_text().splitlines()[1:]]
    here = {name.split("/")[0] for name in (*SHARED_TABLE, *REFUSED, *JUDGED)}
    assert {name for name, kind, *_ in rows if kind == "parity"} == here


@pytest.mark.parametrize("name", SHARED_TABLE)
def test_the_right_value(shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    file = copy(shared, name, tmp_path)
    file.write_text(with_every_rate(file.read_text()))
    suite = judge(file, capsys)
    assert suite["counts"]["cases"] == 12
    for rule in suite["rules"]:
        assert [(group["events"], group["observed"]) for group in rule["groups"]] == WOMEN_AND_MEN[rule["rate"]]


@pytest.mark.parametrize("name", REFUSED)
def test_the_clear_error(shared: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert main(["fairness", str(config(shared, name))]) == 2
    error = capsys.readouterr().err
    assert "Traceback" not in error
    for words in REFUSED[name]:
        assert words in error


@pytest.mark.parametrize("name", JUDGED)
def test_what_is_left_out_is_told(shared: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    cases, warnings = JUDGED[name]
    suite = judge(config(shared, name), capsys)
    (rule,) = suite["rules"]
    assert rule["left_out"]["cases"] == cases
    told = " ".join(warning["message"] for warning in suite["warnings"])
    for words in warnings:
        assert words in told, told


def test_ids_beyond_doubles_as_json_numbers(shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = copy(shared, "36-ids-over-2-53", tmp_path)
    file.write_text(file.read_text().replace("cases.csv", "cases.jsonl"))
    assert judge(file, capsys)["counts"]["cases"] == 12


def test_probabilities_are_named_and_touch_no_rule(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = config(shared, "34-probability-out-of-range")
    assert "probability: probability" in file.read_text()
    suite = judge(file, capsys)
    (told,) = (warning["message"] for warning in suite["warnings"] if warning["code"] == "unusable_probabilities")
    for spelling in ("'1.2'", "'-0.1'", "'nan'", "'inf'"):
        assert spelling in told


def test_declared_words_are_decisions(shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Words are compared in NFC; any other spelling is no 0 but missing, and listed beside the nearest word."""
    file = copy(shared, "32-vietnamese-decisions", tmp_path)
    file.write_text(file.read_text().replace("  attributes:", "  values: {1: [DUYỆT], 0: [XEM LẠI]}\n  attributes:"))
    suite = judge(file, capsys)
    assert suite["counts"]["missing_reasons"] == {"unreadable_prediction": 2}
    (rule,) = suite["rules"]
    assert [(group["events"], group["observed"], group["missing"]) for group in rule["groups"]] == [
        (3, 4, 2),
        (1, 6, 0),
    ]
    (told,) = (warning["message"] for warning in suite["warnings"] if warning["code"] == "unreadable_predictions")
    assert "'DUYỆT.' (1 case, nearest declared word 'DUYỆT')" in told
