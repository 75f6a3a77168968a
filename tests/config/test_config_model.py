"""Every refusal of the model, by its place and its words; and what the model reads."""

from collections.abc import Callable

import pytest
from config_examples import ALL, DECISIONS, FAIRNESS, SWAP, SYSTEMS

from fairgate.config import Project
from fairgate.config.model import ChatSystem, DecisionsSuite, HarnessSuite, HttpSystem, Turns
from fairgate.errors import ConfigError

Read = Callable[[str], Project]


def _changed(text: str, old: str, new: str) -> str:
    assert text.count(old) >= 1, f"the example does not hold {old!r}"
    return text.replace(old, new, 1)


def _problems(read: Read, text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        read(text)
    return [line.partition("fairgate.yaml:")[2] for line in str(caught.value).splitlines()]


@pytest.mark.parametrize("name", ALL)
def test_examples_are_read(read: Read, name: str) -> None:
    assert read(ALL[name])


def test_all_parts_in_one_file(read: Read) -> None:
    config = read(SWAP + FAIRNESS).config
    assert [suite.name for suite in config.swap] + [suite.name for suite in config.fairness] == [
        "loan-screen",
        "loan-decided",
    ]
    suite = config.swap[0]
    assert isinstance(suite, HarnessSuite)
    assert suite.axes["gender"]["female"][1] == {"ten": "Hà", "gioi_tinh": "nữ"}
    assert suite.axes["region"]["ha_noi"] == [{"que_quan": "Hà Nội"}]
    assert suite.must_respond_to == [{"thu_nhap": 4000000}]
    assert suite.rules[1].attribute == ["region"]
    system = config.systems["loan"]
    assert isinstance(system, ChatSystem)
    assert isinstance(system.messages[1], Turns)
    assert system.params == {"temperature": 0.2}
    assert (system.model.concurrency, system.model.timeout_s) == (16, 60)


def test_one_mapping_stands_for_a_list(read: Read) -> None:
    suite = read(DECISIONS).config.swap[0]
    assert isinstance(suite, DecisionsSuite)
    assert suite.outcome.positive == ["1"]


def test_a_body_keeps_the_types_of_json(read: Read) -> None:
    system = read(SYSTEMS).config.systems["service"]
    assert isinstance(system, HttpSystem)
    assert system.body == {"q": "{{ text }}", "n": 3}
    assert type(system.body["q"]) is str


@pytest.mark.parametrize("text", ["version: 1\n", "name: x\nswap:\nfairness: ~\nsystems: null\n"])
def test_a_file_without_suites_is_read(read: Read, text: str) -> None:
    config = read(text).config
    assert (config.swap, config.fairness, config.systems) == ([], [], {})


@pytest.mark.parametrize(
    "written",
    ["no", "yes", "on", "12:30", "010", "1e3", "1.10", "2020-01-01", "null", "NULL", "true", "-5", ".inf", "0x1F"],
)
def test_group_is_the_text_that_was_written(read: Read, written: str) -> None:
    text = FAIRNESS.replace("female", written).replace("sex", written)
    suite = read(text).config.fairness[0]
    assert suite.attributes[written] == [written, "male"]
    assert suite.rules[0].attribute == [written]
    suite = read(
        FAIRNESS.replace("label: label", f"label: {written}").replace("id: floor", f"id: {written}")
    ).config.fairness[0]
    assert (suite.label, suite.rules[2].id) == (written, written)
    swap = read(
        SWAP.replace("female:", f"{written}:").replace("Hùng", written).replace("[DUYỆT]", f"[{written}]")
    ).config.swap[0]
    assert isinstance(swap, HarnessSuite)
    assert list(swap.axes["gender"]) == ["male", written]
    assert swap.axes["gender"]["male"][0]["ten"] == written
    assert swap.outcome.positive == [written]


def test_names_are_nfc_on_both_sides_and_words_stay_as_written(read: Read) -> None:
    nfd, nfc = "gio\u031b\u0301i", "giới"
    suite = read(FAIRNESS.replace("sex:", f"{nfd}:").replace("sex", nfc).replace("female", f"'{nfd}'")).config.fairness[
        0
    ]
    assert suite.attributes == {nfc: [nfc, "male"], "age_band": ["under_30", "30_to_60", "over_60"]}
    swap = read(SWAP.replace("Hùng", f'"{nfd}"')).config.swap[0]
    assert isinstance(swap, HarnessSuite)
    assert swap.axes["gender"]["male"][0]["ten"] == nfd


def test_null_means_absent_where_a_key_is_optional(read: Read) -> None:
    text = SWAP.replace('why: "policy 12, 2026-10"', "why: null").replace("family: qwen", "family: ~")
    rule = read(text).config.swap[0].rules[0]
    assert rule.why is None
    suite = read(FAIRNESS + "  min_cell:\n  max_left_out: null\n  expected: ~\n").config.fairness[0]
    assert (suite.min_cell, suite.max_left_out, suite.expected) == (30, 0.10, None)


NUMBERS = [
    ("5%", "found '5%', expected a number: write 0.05"),
    ("2,5 %", "found '2,5 %', expected a number: write 0.025"),
    ("0,05", "found '0,05', expected a number: write 0.05"),
    (".1", "found '.1', expected a number: write 0.1"),
    ("-.25", "found '-.25', expected a number: write -0.25"),
    ("5", "found 5, expected a number from 0 to 1: write 0.05 for 5 %"),
    ("500", "found 500, expected a number from 0 to 1"),
    ("-0.1", "found -0.1, expected a number from 0 to 1"),
    (".nan", "found '.nan', expected a number"),
    ("nan", "found 'nan', expected a number"),
    (".inf", "found '.inf', expected a number"),
    ("1e999", "found '1e999', expected a number"),
    ("true", "found true, expected a number"),
    ("no", "found 'no', expected a number"),
    ('"0.05"', "found '0.05', expected a number: write 0.05 without quotes"),
    ("[0.05]", "found a list, expected a number"),
    ("{a: 1}", "found a mapping, expected a number"),
]


def test_a_comma_in_a_number_among_keys_is_told(read: Read) -> None:
    text = _changed(FAIRNESS, "max_group_gap: 0.05", "max_group_gap: 0,05")
    with pytest.raises(ConfigError, match=r"write a number with a point, such as 0\.05"):
        read(text)


@pytest.mark.parametrize(("written", "message"), NUMBERS)
def test_what_is_no_fraction_is_refused_by_name(read: Read, written: str, message: str) -> None:
    if "," in written:
        written = f'"{written}"'
    text = _changed(FAIRNESS, "max_group_gap: 0.05", f"max_group_gap: {written}")
    assert _problems(read, text) == [f"12: fairness.rules[0].max_group_gap: {message}"]


CASES = [
    # the file
    (FAIRNESS, "fairness:", "version: 2\nfairness:", "1: version: found 2, expected 1"),
    (FAIRNESS, "fairness:", "version: true\nfairness:", "1: version: found true, expected 1"),
    (FAIRNESS, "fairness:", "confidence: 95\nfairness:", "1: confidence: found 95, expected less than 1: write 0.95"),
    (FAIRNESS, "fairness:", "confidence: 0.5\nfairness:", "1: confidence: found 0.5, expected more than 0.5"),
    (FAIRNESS, "fairness:", "confidence: 95%\nfairness:", "1: confidence: found '95%', expected a number: write 0.95"),
    (
        FAIRNESS,
        "fairness:",
        "quux: []\nfairness:",
        "1: quux: unknown key; known here: version, name, confidence, systems",
    ),
    (FAIRNESS, "fairness:", "fairnes:", "1: fairnes: unknown key, did you mean fairness?"),
    (FAIRNESS, "fairness:", "swap: x\nfairness:", "1: swap: found 'x', expected a mapping (key: value)"),
    # keys
    (FAIRNESS, "  attributes:", "  atributes:", "6: fairness.atributes: unknown key, did you mean attributes?"),
    (FAIRNESS, "  attributes:", "  Attributes:", "6: fairness.Attributes: unknown key, did you mean attributes?"),
    (FAIRNESS, "  rules:", "  min_cells: 1\n  rules:", "11: fairness.min_cells: unknown key, did you mean min_cell?"),
    (
        FAIRNESS,
        "max_group_gap: 0.05",
        "max_gap: 5%",
        "12: fairness.rules[0].max_gap: unknown key, did you mean max_group_gap?",
    ),
    (
        FAIRNESS,
        "max_group_gap: 0.05",
        "rate:error",
        "12: fairness.rules[0]['rate:error']: unknown key; write a blank after the colon",
    ),
    (FAIRNESS, "  name: loan-decided\n", "", "1: fairness.name: is missing"),
    (FAIRNESS, "name: loan-decided", "name:", "2: fairness.name: found an empty value, expected a text"),
    (FAIRNESS, "name: loan-decided", "name: null", "2: fairness.name: found null, expected a text"),
    (FAIRNESS, "name: loan-decided", "name: ''", "2: fairness.name: found an empty text"),
    (FAIRNESS, "name: loan-decided", "name: [a]", "2: fairness.name: found a list, expected a text"),
    # attributes, groups, columns
    (FAIRNESS, "[female, male]", "[female, ~]", "7: fairness.attributes.sex[1]: found ~, expected a text"),
    (FAIRNESS, "[female, male]", "[female, '']", "7: fairness.attributes.sex[1]: found '', expected a name"),
    (FAIRNESS, "[female, male]", "[female, ' ']", "7: fairness.attributes.sex[1]: found ' ', expected a name"),
    (FAIRNESS, "[female, male]", "\n      - female\n      -", "9: fairness.attributes.sex[1]: found an empty value"),
    (FAIRNESS, "[female, male]", "", "7: fairness.attributes.sex: found an empty value, expected a list"),
    (FAIRNESS, "[female, male]", "[]", "7: fairness.attributes.sex: found an empty list, expected at least one"),
    (FAIRNESS, "[female, male]", "female", "7: fairness.attributes.sex: found 'female', expected a list"),
    (
        FAIRNESS,
        "[female, male]",
        "[female, male, female]",
        "7: fairness.attributes.sex[2]: the group 'female' is declared twice",
    ),
    (
        FAIRNESS,
        "[female, male]",
        '["gi\u1edbi", "gio\u031b\u0301i"]',
        "7: fairness.attributes.sex[1]: the group 'giới' is declared twice",
    ),
    (FAIRNESS, "[female, male]", "[female, [male]]", "7: fairness.attributes.sex[1]: found a list, expected a text"),
    (FAIRNESS, "label: label", "label:", "4: fairness.label: found an empty value, expected a text"),
    (FAIRNESS, "label: label", "label: ~", "4: fairness.label: found ~, expected a text"),
    (
        FAIRNESS,
        "label: label",
        "label: prediction",
        "5: fairness.prediction: the column 'prediction' is named as label already",
    ),
    (FAIRNESS, "[sex, age_band]", "[sex, race]", "10: fairness.intersections[0][1]: attribute 'race' is not declared"),
    (FAIRNESS, "[sex, age_band]", "[sex, sex]", "10: fairness.intersections[0][1]: attribute 'sex' is named twice"),
    # rules over decided cases
    (FAIRNESS, "id: fnr-by-sex, ", "", "12: fairness.rules[0].id: is missing"),
    (FAIRNESS, "id: floor", "id: fnr-crossed", "14: fairness.rules[2].id: the rule id 'fnr-crossed' is taken already"),
    (
        FAIRNESS,
        "attribute: sex,",
        "attribute: race,",
        "12: fairness.rules[0].attribute: rule fnr-by-sex: attribute 'race' is not declared; declared: sex, age_band",
    ),
    (FAIRNESS, "attribute: sex,", "attribute: ,", "12: fairness.rules[0].attribute: found an empty value"),
    (FAIRNESS, "attribute: sex,", "attribute: [],", "12: fairness.rules[0].attribute: found an empty list"),
    (
        FAIRNESS,
        "[sex, age_band], max",
        "[sex, sex], max",
        "13: fairness.rules[1].attribute[1]: rule fnr-crossed: attribute 'sex' is named twice",
    ),
    (
        FAIRNESS,
        "[female, male]",
        "[female]",
        "12: fairness.rules[0]: rule fnr-by-sex: a gap needs at least two declared groups",
    ),
    (
        FAIRNESS,
        "  label: label\n",
        "",
        "11: fairness.rules[0].rate: rule fnr-by-sex: the rate false_negative reads labels",
    ),
    (
        FAIRNESS,
        "rate: false_negative",
        "rate: fnr",
        "12: fairness.rules[0].rate: found 'fnr', expected 'error', 'false_positive'",
    ),
    (
        FAIRNESS,
        ", max_group_gap: 0.05",
        "",
        "12: fairness.rules[0]: rule fnr-by-sex: found none of max_group_gap, min_ratio and worst_group",
    ),
    (
        FAIRNESS,
        "worst_group: {min: 0.4}",
        "worst_group: {min: 0.4}, max_group_gap: 0.1",
        "14: fairness.rules[2]: rule floor: found max_group_gap and worst_group",
    ),
    (FAIRNESS, "{min: 0.4}", "{min: 0.4, max: 0.5}", "14: fairness.rules[2].worst_group: found both min and max"),
    (FAIRNESS, "{min: 0.4}", "{}", "14: fairness.rules[2].worst_group: found neither of min and max"),
    (FAIRNESS, "{min: 0.4}", "0.4", "14: fairness.rules[2].worst_group: found 0.4, expected a mapping"),
    (FAIRNESS, "  rules:", "  min_cell: 2.5\n  rules:", "11: fairness.min_cell: found 2.5, expected a whole number"),
    (FAIRNESS, "  rules:", "  min_cell: -1\n  rules:", "11: fairness.min_cell: found -1, expected at least 0"),
    (
        FAIRNESS,
        "  rules:",
        "  max_left_out: 10\n  rules:",
        "11: fairness.max_left_out: found 10, expected a number from 0 to 1: write 0.1 for 10 %",
    ),
    (
        FAIRNESS,
        "  rules:",
        "  method: exakt\n  rules:",
        "11: fairness.method: found 'exakt', expected 'interval' or 'exact'",
    ),
    (
        FAIRNESS,
        "  rules:",
        "  fail_error: all\n  rules:",
        "11: fairness.fail_error: found 'all', expected 'rule' or 'run'",
    ),
    (
        FAIRNESS,
        "  rules:",
        "  strata: prediction\n  rules:",
        "11: fairness.strata: the column 'prediction' is read as prediction already",
    ),
    (
        FAIRNESS,
        "max_group_gap: 0.05",
        "min_ratio: 0.8",
        "12: fairness.rules[0].min_ratio: rule fnr-by-sex: min_ratio is the four-fifths rule over rate: selection",
    ),
    (FAIRNESS, "  rules:", "  expected: {}\n  rules:", "11: fairness.expected: found neither of cases and ids"),
    (
        FAIRNESS,
        "  rules:",
        "  expected: {cases: 9, ids: x}\n  rules:",
        "11: fairness.expected: found both cases and ids",
    ),
    (
        FAIRNESS,
        "  rules:",
        "  expected: {cases: 0}\n  rules:",
        "11: fairness.expected.cases: found 0, expected at least 1",
    ),
    (
        FAIRNESS,
        "{id: floor,",
        "{id: floor, requires_manual_review: ture,",
        "14: fairness.rules[2].requires_manual_review: found 'ture', expected true or false",
    ),
    (
        FAIRNESS,
        "{id: floor,",
        "{id: floor, requires_manual_review: yes,",
        "14: fairness.rules[2].requires_manual_review: found 'yes', expected true or false",
    ),
    # swap suites
    (
        SWAP,
        "max_flip_rate: 0.05",
        "max_group_gap: 0.05",
        "28: swap[0].rules[0]: rule flips: max_group_gap needs rate: selection and an attribute",
    ),
    (
        SWAP,
        "max_flip_rate: 0.05, ",
        "",
        "28: swap[0].rules[0]: rule flips: found none of them, expected exactly one of max_flip_rate, max_ex",
    ),
    (
        SWAP,
        "max_flip_rate: 0.05",
        "max_flip_rate: 0.05, rate: selection",
        "28: swap[0].rules[0]: rule flips: max_flip_rate counts flips over every axis",
    ),
    (
        SWAP,
        "rate: selection, ",
        "",
        "29: swap[0].rules[1]: rule region-floor: worst_group needs rate: selection and an attribute",
    ),
    (
        SWAP,
        "attribute: region",
        "attribute: age",
        "29: swap[0].rules[1].attribute: rule region-floor: attribute 'age' is not declared; declared: gender, region",
    ),
    (
        SWAP,
        "system: loan\n",
        "system: loans\n",
        "15: swap[0].system: found 'loans', expected a name under systems; did you mean loan?",
    ),
    (
        SWAP,
        "        soc_trang: {que_quan: Sóc Trăng}\n",
        "",
        "21: swap[0].axes.region: an axis needs at least two levels, found ha_noi",
    ),
    (
        SWAP,
        "{que_quan: Sóc Trăng}",
        "{que_quan: Hà Nội}",
        "23: swap[0].axes.region.soc_trang: the same person stands in ha_noi and soc_trang",
    ),
    (
        SWAP,
        "{que_quan: Sóc Trăng}",
        "{que_quan: Hà Nội}".encode().decode().replace("ộ", "o\u0302\u0323"),
        "23: swap[0].axes.region.soc_trang: the same person",
    ),
    (
        SWAP,
        "{que_quan: Sóc Trăng}",
        "{que: Sóc Trăng}",
        "23: swap[0].axes.region.soc_trang: found the fields que, expected que_quan",
    ),
    (
        SWAP,
        "{que_quan: Sóc Trăng}",
        "{ten: Sóc Trăng}",
        "23: swap[0].axes.region.soc_trang: found the fields ten, expected que_quan",
    ),
    (SWAP, "{que_quan: Sóc Trăng}", "{}", "23: swap[0].axes.region.soc_trang: found an empty mapping"),
    (
        SWAP,
        "{que_quan: Sóc Trăng}",
        "Sóc Trăng",
        "23: swap[0].axes.region.soc_trang: found 'Sóc Trăng', expected a mapping",
    ),
    (SWAP, "{que_quan: Sóc Trăng}", "{que_quan: }", "23: swap[0].axes.region.soc_trang.que_quan: found an empty value"),
    (
        SWAP,
        ", {ten: Quân, gioi_tinh: nam}]",
        "]",
        "20: swap[0].axes.gender.female: people are paired by position, found 2 in female, 1 in male",
    ),
    (SWAP, "{thu_nhap: 4000000}", "{}", "26: swap[0].must_respond_to[0]: found an empty mapping"),
    (SWAP, "positive: [DUYỆT]", "positive: []", "24: swap[0].outcome.positive: found an empty list"),
    (SWAP, "positive: [DUYỆT]", "positive: DUYỆT", "24: swap[0].outcome.positive: found 'DUYỆT', expected a list"),
    (SWAP, "    outcome:", "    outcomes:", "24: swap[0].outcomes: unknown key, did you mean outcome?"),
    (DECISIONS, "race: [white, black]", "race: [white]", "5: swap.axes.race: an axis needs at least two levels"),
    (
        DECISIONS,
        "race: [white, black]",
        "race: [white, white]",
        "5: swap.axes.race[1]: the group 'white' is declared twice",
    ),
    (
        DECISIONS,
        "base: base_id",
        "base: race",
        "5: swap.axes.race: the column 'race' is named as base or outcome already",
    ),
    (
        DECISIONS,
        "base: base_id",
        "base: decision",
        "6: swap.outcome.column: the column 'decision' is named as base already",
    ),
    (DECISIONS, "  base: base_id\n", "", "1: swap.base: is missing"),
    # systems
    (
        SYSTEMS,
        "type: http",
        "type: https",
        "2: systems.service.type: found 'https', expected one of chat, http, command, python, recorded",
    ),
    (SYSTEMS, "type: http, ", "", "2: systems.service: the key type is missing, expected one of chat"),
    (
        SYSTEMS,
        "{type: recorded, answers: answers.jsonl}",
        "answers.jsonl",
        "6: systems.replay: found 'answers.jsonl', expected a mapping",
    ),
    (SYSTEMS, "{type: recorded, answers: answers.jsonl}", "{type: recorded}", "6: systems.replay.answers: is missing"),
    (SYSTEMS, "concurrency: 1", "concurrency: 0", "4: systems.script.concurrency: found 0, expected at least 1"),
    (SYSTEMS, "concurrency: 1", "concurrency: 1000", "4: systems.script.concurrency: found 1000, expected at most 256"),
    (SYSTEMS, "timeout_s: 2.5", "timeout_s: 0", "4: systems.script.timeout_s: found 0, expected more than 0"),
    (SYSTEMS, "timeout_s: 2.5", "timeout_s: 1e999", "4: systems.script.timeout_s: found '1e999', expected a number"),
    (SYSTEMS, "timeout_s: 2.5", "timeout: 2.5", "4: systems.script.timeout: unknown key, did you mean timeout_s?"),
    (
        SYSTEMS,
        "[python3, decide.py]",
        "python3 decide.py",
        "4: systems.script.command: found 'python3 decide.py', expected a list",
    ),
    (SYSTEMS, "[python3, decide.py]", "[python3, ~]", "4: systems.script.command[1]: found ~, expected a text"),
    (
        SYSTEMS,
        "screening.rules:decide",
        "screening.rules",
        "5: systems.function.callable: found 'screening.rules', expected module:function",
    ),
    (
        SYSTEMS,
        "screening.rules:decide",
        "os:system('x')",
        "5: systems.function.callable: found \"os:system('x')\", expected module:function",
    ),
    (
        SYSTEMS,
        "https://app:8080/ask",
        "ftp://app/ask",
        "2: systems.service.url: found 'ftp://app/ask', expected an address such as",
    ),
    (
        SYSTEMS,
        "https://app:8080/ask",
        "app:8080/ask",
        "2: systems.service.url: found 'app:8080/ask', expected an address such as",
    ),
    (SYSTEMS, "https://app:8080/ask", "http://app:x/ask", "2: systems.service.url: this is no address"),
    (SYSTEMS, "https://app:8080/ask", "http://[::1/ask", "2: systems.service.url: this is no address"),
    (SYSTEMS, "X-Team: risk", "'X Team': risk", "2: systems.service.headers: found the header 'X Team'"),
    (
        SYSTEMS,
        "X-Team: risk",
        'X-Team: "a\\nb"',
        "2: systems.service.headers: the header X-Team has a value that is not plain ASCII",
    ),
    (
        SYSTEMS,
        "X-Team: risk",
        "AUTHORIZATION: Bearer abc",
        "2: systems.service.headers: the header AUTHORIZATION carries a secret",
    ),
    (SYSTEMS, "api_key_env", "api_key", "2: systems.service.api_key: unknown key, did you mean api_key_env?"),
    (
        SYSTEMS,
        "APP_KEY",
        "GITHUB_TOKEN",
        "2: systems.service.api_key_env: found GITHUB_TOKEN; names that begin with INPUT_, GITHUB_ or "
        "ACTIONS_ are refused",
    ),
    (SYSTEMS, "APP_KEY", "INPUT_TOKEN", "2: systems.service.api_key_env: found INPUT_TOKEN; names that begin"),
    (
        SYSTEMS,
        "APP_KEY",
        "ACTIONS_RUNTIME_TOKEN",
        "2: systems.service.api_key_env: found ACTIONS_RUNTIME_TOKEN; names that begin",
    ),
    (SYSTEMS, "APP_KEY", "github_token", "2: systems.service.api_key_env: found github_token; names that begin"),
    (
        SWAP,
        "{turns: history}",
        "{turn: history}",
        "10: systems.loan.messages[1].turn: unknown key; known here: role, file",
    ),
    (
        SWAP,
        "role: system",
        "role: developer",
        "9: systems.loan.messages[0].role: found 'developer', expected 'system', 'user' or 'assistant'",
    ),
    (
        SWAP,
        "type: openai",
        "type: opanai",
        "7: systems.loan.model.type: found 'opanai', expected one of openai, anthropic, litellm",
    ),
]


@pytest.mark.parametrize(("example", "old", "new", "message"), CASES, ids=[case[3][:70] for case in CASES])
def test_refused_at_its_place(read: Read, example: str, old: str, new: str, message: str) -> None:
    problems = _problems(read, _changed(example, old, new))
    assert any(problem.startswith(message) for problem in problems), problems


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-abcdefghijklmnop",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "hf_abcDEF",
        "AKIAIOSFODNN7EXAMPLE",
        "a b",
        "1KEY",
    ],
)
def test_what_looks_like_a_key_is_never_shown(read: Read, secret: str) -> None:
    problems = _problems(read, _changed(SYSTEMS, "APP_KEY", f"'{secret}'"))
    assert problems == [
        "2: systems.service.api_key_env: this is not the name of an environment variable (if it is the key itself, "
        "take it out of the file and replace it at its issuer); expected a name such as OPENAI_KEY"
    ]


def test_a_password_in_an_address_is_never_shown(read: Read) -> None:
    (problem,) = _problems(read, _changed(SYSTEMS, "https://app", "https://me:hunter2@app"))
    assert problem.startswith("2: systems.service.url: this address holds a user or a password")
    assert "hunter2" not in problem


def test_every_problem_is_shown_in_the_order_of_the_file(read: Read) -> None:
    text = SWAP.replace("confidence: 0.95", "confidence: 2").replace("min: 0.40", "min: 40%")
    text = text.replace("name: loan-screen", "nam: loan-screen") + FAIRNESS.replace("attribute: sex", "attribute: seks")
    assert [problem.split(": ")[:2] for problem in _problems(read, text)] == [
        ["3", "confidence"],
        ["14", "swap[0].name"],
        ["14", "swap[0].nam"],
        ["29", "swap[0].rules[1].worst_group.min"],
        ["41", "fairness.rules[0].attribute"],
        ["43", "fairness.rules[2].attribute"],
    ]


def test_a_file_that_is_no_configuration_does_not_flood(read: Read) -> None:
    problems = _problems(read, "".join(f"k{i}: 1\n" for i in range(1000)))
    assert len(problems) == 201


def test_suite_names_are_unambiguous(read: Read) -> None:
    text = SWAP + FAIRNESS.replace("name: loan-decided", "name: loan-screen")
    (problem,) = _problems(read, text)
    assert problem.startswith("31: fairness.name: the suite name 'loan-screen' is taken")


def test_a_field_belongs_to_one_axis(read: Read) -> None:
    (problem,) = _problems(read, SWAP.replace("que_quan", "ten"))
    assert problem == "21: swap[0].axes.region: the field 'ten' is filled by axis gender already; use another"


@pytest.mark.parametrize("crossing", [
    "{id: crossed, rate: selection, attribute: [gender, region], max_group_gap: 0.1}",
    "{id: crossed, rate: selection, attribute: [gender, region], max_regression: 0.1}",
])  # fmt: skip
def test_one_at_a_time_asks_no_combination(read: Read, crossing: str) -> None:
    text = f"{SWAP}      - {crossing}\n"
    read(text)
    (problem,) = _problems(read, text.replace("    outcome:", "    design: one_at_a_time\n    outcome:", 1))
    assert (
        "swap[0].rules[2].attribute: rule crossed: found the crossing gender x region, and design: one_at_a_time"
        in problem
    )
    assert problem.endswith("expected one axis, or design: full")


@pytest.mark.parametrize(("levels", "refused"), [(16, False), (17, True)])
def test_at_most_64_variants(read: Read, levels: int, refused: bool) -> None:
    more = "".join(f"        r{i}: {{que_quan: q{i}}}\n" for i in range(levels - 2))
    text = _changed(
        SWAP, "    outcome:", f"{more}      age:\n        young: {{tuoi: 25}}\n        old: {{tuoi: 60}}\n    outcome:"
    )
    if refused:
        (problem,) = _problems(read, text)
        assert "the levels make 2 x 17 x 2 = 68 variants of a case, expected at most 64" in problem
        assert "set design: one_at_a_time, which asks 19, or split the suite" in problem
        read(text.replace("    outcome:", "    design: one_at_a_time\n    outcome:", 1))
    else:
        assert read(text)
