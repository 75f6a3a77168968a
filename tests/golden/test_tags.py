"""Tags of golden cases: read from both kinds of file, shown to no system, and choosing for a profile."""

import json
from pathlib import Path
from typing import Any

import pytest

from fairgate.config import load
from fairgate.errors import ConfigError, InputError
from fairgate.golden.cases import read_cases
from fairgate.golden.problems import Problems
from fairgate.golden.rag import read_samples
from fairgate.golden.tags import in_scope
from fairgate.swap.variants import plan_cases


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        ([], ()),
        (None, ()),
        ("", ()),
        (["mini", "core"], ("mini", "core")),
        (["mini", " mini "], ("mini",)),
        ("mini;core", ("mini", "core")),
        (" mini ; ", ("mini",)),
        (["năm"], ("năm",)),
    ],
)
def test_tags_of_json_lines(tmp_path: Path, written: Any, tags: tuple[str, ...]) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps({"id": "a", "text": "t", "tags": written}), encoding="utf-8")
    (case,) = read_cases(file)
    assert case.tags == tags
    assert dict(case.fields) == {"text": "t"}


def test_tags_of_csv(tmp_path: Path) -> None:
    file = tmp_path / "cases.csv"
    file.write_text("id,tags,text\na,mini;core,t\nb,,t\n", encoding="utf-8")
    assert [case.tags for case in read_cases(file)] == [("mini", "core"), ()]


def test_tags_of_answers(tmp_path: Path) -> None:
    file = tmp_path / "rag.jsonl"
    file.write_text(json.dumps({"sample_id": "a", "user_query": "q", "tags": ["mini"]}), encoding="utf-8")
    (sample,) = read_samples(file, {}, answered=False, truth=False)
    assert sample.tags == ("mini",)
    assert "tags" not in sample.fields


@pytest.mark.parametrize("written", [3, {"mini": True}, [1], [""], True])
def test_what_is_no_tag_is_refused_by_case(tmp_path: Path, written: Any) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps({"id": "loan-7", "tags": written}), encoding="utf-8")
    with pytest.raises(InputError, match=r"line 1: case 'loan-7': tags is .*, expected a list of names, or mini;core"):
        read_cases(file)


def test_a_profile_asks_the_cases_with_any_of_its_tags(tmp_path: Path) -> None:
    cases = tmp_path / "cases.csv"
    cases.write_text("id,tags\na,mini\nb,core\nc,\nd,slow\ne,core;mini\n", encoding="utf-8")
    config = tmp_path / "fairgate.yaml"
    config.write_text("profiles: {pr: {tags: [mini, core]}, lost: {tags: [mine]}}\n", encoding="utf-8")

    def chosen(profile: str | None) -> list[str]:
        return [case.id for case in in_scope(read_cases(cases), load(config, profile), "cases.csv")]

    assert chosen(None) == ["a", "b", "c", "d", "e"]
    assert chosen("pr") == ["a", "b", "e"]
    with pytest.raises(ConfigError, match=r":1: profiles.lost.tags: no case of cases.csv has the tag mine.*mini \(2\)"):
        chosen("lost")


def test_the_same_people_stand_in_a_case_whichever_others_are_asked(tmp_path: Path) -> None:
    """People are dealt by the place in the whole file: a profile, or one case alone, asks about the same ones."""
    cases = tmp_path / "cases.csv"
    cases.write_text("id,note,tags\n" + "".join(f"c{n},{{ten}},{'mini' if n % 3 else ''}\n" for n in range(7)), "utf-8")
    config = tmp_path / "fairgate.yaml"
    config.write_text("profiles: {pr: {tags: [mini]}}\n", encoding="utf-8")
    axes = {"gender": {"male": [{"ten": "A"}, {"ten": "B"}], "female": [{"ten": "C"}, {"ten": "D"}]}}

    def people(profile: str | None) -> dict[str, Any]:
        asked = in_scope(read_cases(cases), load(config, profile), "cases.csv")
        return {plan.case.id: plan.grid[0].id for plan in plan_cases(asked, axes, [], Problems(cases))}

    everybody, some = people(None), people("pr")
    assert some == {case: everybody[case] for case in some}
    assert len(some) == 4
