"""The place of an error is what the person wrote: no branch of the model and nothing of its types stands in it."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from config_examples import SWAP

from fairgate.config import Project
from fairgate.config.model import Config
from fairgate.config.packs import PackAxis
from fairgate.errors import ConfigError

Read = Callable[[str], Project]
AXES = SWAP[SWAP.index("      gender:") : SWAP.index("    outcome:")]
PACK = "      gender: {pack: vietnam/gender, %s}\n"


def unions(schema: Any) -> Iterator[Any]:
    """Every union without tags inside a schema: pydantic names its branches after their types."""
    if isinstance(schema, dict):
        if schema.get("type") == "union":
            yield schema
        for key, part in schema.items():
            if key != "metadata":
                yield from unions(part)
    elif isinstance(schema, list | tuple):
        for part in schema:
            yield from unions(part)


@pytest.mark.parametrize("section", [Config, PackAxis])
def test_every_union_of_the_model_has_tags(section: Any) -> None:
    assert not [found["choices"] for found in unions(section.__pydantic_core_schema__)]


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        (AXES, PACK % "fields: {ten: ''}", "axes.gender.fields.ten"),
        (AXES, PACK % "fields: {ten: [a]}", "axes.gender.fields.ten"),
        (AXES, PACK % "fields: {'': a}", "axes.gender.fields['']"),
        (AXES, PACK % "fields: ['']", "axes.gender.fields[0]"),
        (AXES, PACK % "fields: ''", "axes.gender.fields"),
        (AXES, PACK % "fields: []", "axes.gender.fields"),
        (AXES, PACK % "fields: {}", "axes.gender.fields"),
        (AXES, PACK % "levels: ['', a]", "axes.gender.levels[0]"),
        (AXES, PACK % "people: x", "axes.gender.people"),
        (AXES, "      gender: {a: {ten: }, b: {ten: x}}\n", "axes.gender.a.ten"),
        (AXES, "      gender: {a: [{ten: [x]}], b: {ten: x}}\n", "axes.gender.a[0].ten"),
        ("    outcome:", "    mask: ['']\n    outcome:", "mask['']"),
        ("    outcome:", "    mask: {x: ~}\n    outcome:", "mask.x"),
        ("    outcome:", "    needed: {x: [a]}\n    outcome:", "needed.x"),
        ("    outcome:", "    needed: {'': a}\n    outcome:", "needed['']"),
        ("    outcome:", "    redact: ['']\n    outcome:", "redact[0]"),
        ("    outcome:", "    redact: {a: b}\n    outcome:", "redact"),
        ("    outcome:", "    mitigations: {name: a, mask: {x: []}}\n    outcome:", "mitigations.mask.x"),
        ("    outcome:", "    mitigations: [{name: a, mask: ['']}]\n    outcome:", "mitigations[0].mask['']"),
        ("    outcome:", "    mitigations: [{name: a, system: ''}]\n    outcome:", "mitigations[0].system"),
        ("    outcome:", "    mitigations: [{name: a, profiles: ['']}]\n    outcome:", "mitigations[0].profiles[0]"),
        ("    outcome: {", "    outcome: {refusal: [[]], ", "outcome.refusal.words[0]"),
        ("    outcome: {", "    outcome: {refusal: {pattern: ''}, ", "outcome.refusal.pattern"),
        ("    outcome: {", "    outcome: {refusal: {by_model: 3}, ", "outcome.refusal.by_model"),
    ],
)  # fmt: skip
def test_places(read: Read, old: str, new: str, place: str) -> None:
    assert old in SWAP
    with pytest.raises(ConfigError) as error:
        read(SWAP.replace(old, new, 1))
    places = [line.split(": ")[1] for line in str(error.value).splitlines()]
    assert any(re.fullmatch(rf"swap(\[0\])?\.{re.escape(place)}", found) for found in places), places
    assert not any(mark in found for found in places for mark in ("function", "dict[", "list[", "<", "[key]"))
