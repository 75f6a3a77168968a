"""Whatever a key of the configuration may hold can be compared, told and written down: the gate has no answer else."""

import json
import types
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest

from fairgate.bar.compare import Difference, change_of, lowered
from fairgate.config import load
from fairgate.config.model import Config
from fairgate.config.section import Section
from fairgate.report import Report
from tests.bar.bar_desk import Repository
from tests.config.config_examples import DECISIONS, FAIRNESS, RAG, SWAP

PROFILES = "profiles:\n  pr: {tags: [mini], max_cost_usd: 0.02}\n  nightly: {}\n"
PLAIN: dict[Any, list[Any]] = {
    str: ["", "text"],
    bool: [True, False],
    int: [0, 7],
    float: [0.25, 1.0],
    Decimal: [Decimal("0.5")],
    types.NoneType: [None],
    Any: [None, "text", {"deep": [1, {"er": None}]}],
}


def samples(annotation: Any) -> list[Any]:
    """Values of every kind that a type of the configuration allows."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return list(_parts(annotation))
    if origin is Annotated:
        return samples(inner[0])
    if origin is Literal:
        return list(inner)
    if origin in (Union, types.UnionType):
        return [sample for one in inner for sample in samples(one)]
    if origin is list:
        return [[], samples(inner[0])]
    if origin is tuple:
        return [tuple(samples(one)[0] for one in inner if one is not Ellipsis)]
    if origin is dict:
        return [{}, {f"key {number}": sample for number, sample in enumerate(samples(inner[1]))}]
    return PLAIN[annotation]  # a KeyError: a type that nobody has thought of


def _parts(part: type[Section]) -> Iterator[Section]:
    """A part with as little as it can have, and with something else under every key."""
    found = {key: samples(field.annotation) for key, field in part.model_fields.items()}
    for pick in (0, -1):
        yield part.model_construct(**{key: values[pick] for key, values in found.items()})


@pytest.mark.parametrize("key", Config.model_fields)
def test_whatever_a_key_may_hold_can_be_told(key: str) -> None:
    for value in samples(Config.model_fields[key].annotation):
        for old, new in ((value, None), (None, value)):
            change = change_of(Difference("changed", key, old, new))
            assert change.message.startswith(f"This change {'sets' if 'sets' in change.message else 'rewrites'} {key}")
            json.loads(change.model_dump_json())


@pytest.mark.parametrize("text", [SWAP, DECISIONS, FAIRNESS, RAG])
def test_any_key_can_change_and_the_bars_are_compared(text: str, tmp_path: Path) -> None:
    file = tmp_path / "fairgate.yaml"
    file.write_text(text + PROFILES, encoding="utf-8")
    config = load(file).written
    kind = next(kind for kind in ("swap", "fairness", "rag") if getattr(config, kind))
    (suite,) = getattr(config, kind)
    others = [
        config.model_copy(update={key: value})
        for key, field in Config.model_fields.items()
        if key not in ("systems", "swap", "fairness", "rag")
        for value in samples(field.annotation)
    ]
    others += [
        config.model_copy(update={kind: [suite.model_copy(update={key: value})]})
        for key, field in type(suite).model_fields.items()
        if key not in ("name", "system")  # another suite; a system that is not there is refused before
        for value in samples(field.annotation)
    ]
    for other in others:
        for change in (*lowered(config, other), *lowered(other, config)):
            json.loads(change.model_dump_json())


@pytest.mark.parametrize(
    ("new", "says"),
    [
        ("profiles:\n  pr: {tags: [mini], max_cost_usd: 0.02}\n", "sets profiles from pr"),
        (PROFILES.replace("[mini]", "[mini, other]"), "sets profiles from pr"),
        ("", "sets profiles from pr"),
    ],
)
def test_another_profile_is_told_and_the_gate_has_its_verdict(repo: Repository, new: str, says: str) -> None:
    repo.git("checkout", "-q", "main")
    text = (repo.folder / "fairgate.yaml").read_text(encoding="utf-8")
    repo.write("fairgate.yaml", text + PROFILES)
    repo.commit("profiles")
    repo.git("checkout", "-q", "-B", "change")
    repo.edit(PROFILES, new)
    found: Report = repo.run()
    assert found.changes is not None
    (change,) = found.changes.lowered
    assert says in change.message
    assert found.verdict == "MANUAL_REVIEW"
