"""The JSON Schema accepts what fairgate accepts and marks what an editor can see."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from config_examples import ALL, DECISIONS, FAIRNESS, SWAP, SYSTEMS

from fairgate.config import json_schema


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    """The schema, checked itself, as an editor gets it: through JSON."""
    schema = json.loads(json.dumps(json_schema()))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def _as_an_editor_reads(text: str) -> Any:
    return yaml.safe_load(text)


@pytest.mark.parametrize("text", [*ALL.values(), SWAP + FAIRNESS, "version: 1\n", "swap:\nfairness: null\n"])
def test_examples_are_valid(validator: jsonschema.Draft202012Validator, text: str) -> None:
    assert list(validator.iter_errors(_as_an_editor_reads(text))) == []


@pytest.mark.parametrize("group", ["no", "010", "12:30", "1e3", "1.10", "null", "true"])
def test_a_group_may_look_like_another_type(validator: jsonschema.Draft202012Validator, group: str) -> None:
    text = FAIRNESS.replace("female", group).replace("label: label", f"label: {group}")
    assert list(validator.iter_errors(_as_an_editor_reads(text))) == []


def test_one_or_many(validator: jsonschema.Draft202012Validator) -> None:
    many = _as_an_editor_reads(FAIRNESS)
    many["fairness"] = [many["fairness"]]
    assert list(validator.iter_errors(many)) == []


@pytest.mark.parametrize(
    ("example", "old", "new"),
    [
        (FAIRNESS, "attributes:", "atributes:"),
        (FAIRNESS, "max_group_gap: 0.05", "max_gap: 0.05"),
        (FAIRNESS, "max_group_gap: 0.05", "max_group_gap: 5"),
        (FAIRNESS, "max_group_gap: 0.05", "max_group_gap: 5%"),
        (FAIRNESS, "rate: false_negative", "rate: fnr"),
        (FAIRNESS, "  name: loan-decided\n", ""),
        (FAIRNESS, "[female, male]", "[]"),
        (FAIRNESS, "fairness:", "fairnes:"),
        (FAIRNESS, "fairness:", "confidence: 95\nfairness:"),
        (SWAP, "max_flip_rate", "max_flips"),
        (SWAP, "outcome:", "outcomes:"),
        (SWAP, "role: system", "role: developer"),
        (DECISIONS, "base: base_id", "bases: base_id"),
        (SYSTEMS, "type: http", "type: https"),
        (SYSTEMS, "timeout_s", "timeout"),
    ],
)
def test_typos_are_marked(validator: jsonschema.Draft202012Validator, example: str, old: str, new: str) -> None:
    assert old in example
    assert list(validator.iter_errors(_as_an_editor_reads(example.replace(old, new, 1))))


def test_what_loads_is_valid(validator: jsonschema.Draft202012Validator, shared: Path) -> None:
    for file in (shared / "cases").glob("parity/*/fairness.yaml"):
        assert list(validator.iter_errors(_as_an_editor_reads(file.read_text()))) == [], file
