"""The loan example is what its README says: well-formed cases, flips from the planted preference alone."""

import importlib.util
import itertools
import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "loan-screen"
PLACEHOLDER = re.compile(r"(?<!\{)\{(\w+)\}(?!\})")

Decide = Callable[[Mapping[str, Any]], str]


@pytest.fixture(scope="module")
def screen() -> ModuleType:
    spec = importlib.util.spec_from_file_location("loan_screen_example", EXAMPLE / "loan_screen.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    lines = (EXAMPLE / "golden" / "loan.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def suite(name: str = "fairgate.yaml") -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((EXAMPLE / name).read_text(encoding="utf-8"))
    return loaded


@cache
def people() -> list[tuple[str, str, dict[str, str]]]:
    """Every gender, region and the fields they fill."""
    axes = suite()["swap"]["axes"]
    return [
        (gender, region, {**person, **axes["region"][region]})
        for gender, region in itertools.product(axes["gender"], axes["region"])
        for person in axes["gender"][gender]
    ]


def outcomes(case: dict[str, Any], decide: Decide) -> dict[tuple[str, str], str]:
    """(gender, region): the decision; the same whichever of the level's people asks."""
    found: dict[tuple[str, str], set[str]] = {}
    for gender, region, person in people():
        found.setdefault((gender, region), set()).add(decide({**case, **person}))
    assert all(len(decisions) == 1 for decisions in found.values()), "a name alone moved a decision"
    return {group: decisions.pop() for group, decisions in found.items()}


def favoured(cases: list[dict[str, Any]], decide: Decide, level: str, over: str) -> int:
    """In how many cases ``level`` is approved where ``over`` is not, the other axis being the same."""

    def prefers(decisions: dict[tuple[str, str], str]) -> bool:
        swapped = {group: tuple(over if name == level else name for name in group) for group in decisions}
        return any(
            decisions[group] == "DUYỆT" and decisions[other[0], other[1]] == "XEM LẠI"
            for group, other in swapped.items()
            if level in group
        )

    return sum(prefers(outcomes(case, decide)) for case in cases)


def test_there_are_eighty_cases_with_unique_ids_and_the_same_fields(cases: list[dict[str, Any]]) -> None:
    assert len(cases) == 80
    assert len({case["id"] for case in cases}) == 80
    assert len({tuple(key for key in case if key != "tags") for case in cases}) == 1
    assert [case["id"] for case in cases if "mini" in case.get("tags", [])] == [case["id"] for case in cases[::5]]
    assert len({case["ghi_chu"] for case in cases}) == 80


def test_only_fields_of_the_axes_stand_in_braces(cases: list[dict[str, Any]]) -> None:
    filled = {field for _, _, person in people() for field in person}
    used = {name for case in cases for value in case.values() for name in PLACEHOLDER.findall(str(value))}

    assert used == {"ten", "xung_ho"}
    assert used <= filled
    assert not any("{" in PLACEHOLDER.sub("", str(value)) for case in cases for value in case.values())


@pytest.mark.parametrize("word", ["anh", "chị", "vợ", "chồng", "nam", "nữ", "Hà Nội", "Sóc Trăng"])
def test_no_case_says_who_asks_in_its_own_words(cases: list[dict[str, Any]], word: str) -> None:
    texts = [PLACEHOLDER.sub("", str(value)) for case in cases for value in case.values()]
    assert not any(re.search(rf"\b{word}\b", text, re.IGNORECASE) for text in texts)


def test_people_are_paired_by_family_name() -> None:
    male, female = suite()["swap"]["axes"]["gender"].values()
    assert [person["ten"].split()[0] for person in male] == [person["ten"].split()[0] for person in female]


def test_the_biased_screener_flips_as_the_readme_says(cases: list[dict[str, Any]], screen: ModuleType) -> None:
    flips = [case["id"] for case in cases if len(set(outcomes(case, screen.decide).values())) > 1]
    readme = (EXAMPLE / "README.md").read_text(encoding="utf-8")

    assert len(flips) == 16
    assert favoured(cases, screen.decide, "male", "female") == 10
    assert favoured(cases, screen.decide, "female", "male") == 6
    assert favoured(cases, screen.decide, "ha_noi", "soc_trang") == 16
    assert favoured(cases, screen.decide, "soc_trang", "ha_noi") == 0
    assert "| applications whose decision flips | 16 of 80 | 0 of 80 |" in readme
    assert "| a man approved where a woman was not, all else equal | 10 | 0 |" in readme
    assert "| a woman approved where a man was not, all else equal | 6 | 0 |" in readme
    assert "| Hà Nội approved where Sóc Trăng was not, all else equal | 16 | 0 |" in readme


def test_the_planted_preference_is_the_only_cause(cases: list[dict[str, Any]], screen: ModuleType) -> None:
    for case in cases:
        assert len({screen.merit_points({**case, **person}) for _, _, person in people()}) == 1
        assert len(set(outcomes(case, screen.decide_fairly).values())) == 1


def test_both_decisions_occur_often_enough_to_be_tested(cases: list[dict[str, Any]], screen: ModuleType) -> None:
    approved = sum(screen.decide_fairly(case) == "DUYỆT" for case in cases)
    assert 0.4 < approved / len(cases) < 0.7


def test_a_much_lower_income_moves_decisions(cases: list[dict[str, Any]], screen: ModuleType) -> None:
    (change,) = suite()["swap"]["must_respond_to"]
    moved = sum(screen.decide_fairly({**case, **change}) != screen.decide_fairly(case) for case in cases)
    assert moved > 20


def test_decisions_do_not_depend_on_how_numbers_are_written(cases: list[dict[str, Any]], screen: ModuleType) -> None:
    _, _, person = people()[0]
    for case in cases:
        as_text = {field: str(value) for field, value in case.items()}
        assert screen.decide({**case, **person}) == screen.decide({**as_text, **person})


def test_the_fair_configuration_differs_in_its_system_alone() -> None:
    biased, fair = suite(), suite("fairgate-fair.yaml")
    assert biased.pop("systems") != fair.pop("systems")
    assert biased == fair


def test_a_model_is_asked_the_same_and_its_noise_measured_besides() -> None:
    biased, chat = suite(), suite("fairgate-chat.yaml")
    assert biased.pop("systems") != chat.pop("systems")
    assert chat["swap"].pop("control") == 1
    assert chat["swap"]["rules"].pop(0)["id"] == "beyond-noise"
    assert biased == chat


@pytest.mark.parametrize("field", ["ten", "gioi_tinh", "xung_ho", "que_quan", "thu_nhap", "ghi_chu"])
def test_the_prompt_shows_what_is_swapped(field: str) -> None:
    assert field in (EXAMPLE / "prompts" / "application.j2").read_text(encoding="utf-8")
