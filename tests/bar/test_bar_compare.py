"""Every way to ask for less is named, every way to ask for more is not; no key of the model can be forgotten."""

import types
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Union, get_args, get_origin

import pytest

from fairgate.bar.compare import lowered
from fairgate.bar.policy import POLICIES, Policy, name_of, policy_of
from fairgate.config import Project
from fairgate.config.model import Config
from fairgate.config.section import Section
from tests.config.config_examples import DECISIONS, FAIRNESS, RAG, SWAP

Read = Callable[[str], Project]


@pytest.fixture
def read(tmp_path: Any) -> Read:
    from fairgate.config import load

    def write_and_load(text: str) -> Project:
        file = tmp_path / "fairgate.yaml"
        file.write_text(text, encoding="utf-8")
        return load(file)

    return write_and_load


def changes(read: Read, old: str, new: str) -> list[str]:
    return [change.message for change in lowered(read(old).config, read(new).config)]


FLOOR = "    - {id: floor, rate: selection, attribute: sex, worst_group: {min: 0.4}}\n"
REFUSALS = SWAP.replace(
    "{positive: [DUYỆT], negative: [XEM LẠI]}",
    "{score: {positive_from: 70}, refusal: {words: [TỪ CHỐI], by_model: true}}",
).replace("    rules:\n", "    rules:\n      - {id: refused, attribute: gender, max_refusal_gap: 0.05}\n")
LOOSER = [
    (SWAP, "max_flip_rate: 0.05", "max_flip_rate: 0.1", "raises max_flip_rate of flips in loan-screen from 0.05 to 0"),
    (SWAP, "min: 0.40", "min: 0.395", "lowers worst_group.min of region-floor in loan-screen from 0.400 to 0.395"),
    (SWAP, "confidence: 0.95", "confidence: 0.8", "lowers confidence from 0.95 to 0.80"),
    (SWAP, "        ha_noi:    {que_quan: Hà Nội}\n", "        hue: {que_quan: Huế}\n", "removes axes.region.ha_noi"),
    (SWAP, "[XEM LẠI]", "[XEM LẠI, TỪ CHỐI]", "sets outcome.negative of loan-screen from XEM LẠI to XEM LẠI, TỪ"),
    (SWAP, "[XEM LẠI]}", "[XEM LẠI], pattern: 'x(y)'}", "sets outcome.pattern of loan-screen"),
    (SWAP, "[XEM LẠI]}", "[XEM LẠI], refusal: [TỪ CHỐI]}", "sets outcome.refusal of loan-screen from nothing to wor"),
    (REFUSALS, "max_refusal_gap: 0.05", "max_refusal_gap: 0.1", "raises max_refusal_gap of refused in loan-screen fr"),
    (REFUSALS, "by_model: true", "by_model: false", "sets outcome.refusal of loan-screen from words TỪ CH"),
    (REFUSALS, "positive_from: 70", "positive_from: 60", "sets outcome.score of loan-screen from positive_from 70 to"),
    (SWAP, "    must_respond_to:\n      - {thu_nhap: 4000000}\n", "", "removes must_respond_to of loan-screen"),
    (SWAP, "attribute: region", "attribute: gender", "sets attribute of region-floor in loan-screen from reg"),
    (SWAP, "{ten: Hà, gioi_tinh: nữ}]", "{ten: Thu, gioi_tinh: nữ}]", "sets axes.gender.female of loan-screen"),
    (FAIRNESS, FLOOR, "", "removes the rule floor from loan-decided (rate selection, attribute sex, wors"),
    (FAIRNESS, "[under_30, 30_to_60, over_60]", "[under_30, over_60]", "removes attributes.age_band.30_to_60"),
    (FAIRNESS, "  rules:", "  min_cell: 10\n  rules:", "lowers min_cell of loan-decided from 30 to 10"),
    (FAIRNESS, "  rules:", "  max_left_out: 0.2\n  rules:", "raises max_left_out of loan-decided from 0.10 to 0.20"),
    (FAIRNESS, "name: loan-decided", "name: decided", "removes the suite loan-decided with all its rules"),
    (FAIRNESS, "max_group_gap: 0.05", "worst_group: {max: 0.5}", "removes max_group_gap of fnr-by-sex"),
    (FAIRNESS, "rate: selection", "rate: error", "sets rate of floor in loan-decided from selection to error"),
    (FAIRNESS, "label: label", "label: other", "sets label of loan-decided from label to other"),
    (DECISIONS, "cases: 65", "cases: 60", "lowers expected.cases of discrim from 65 to 60"),
    (DECISIONS, "  expected: {cases: 65}\n", "", "removes expected of discrim (cases 65)"),
    (RAG, "min: 0.85", "min: 0.8", "lowers min of faithful in support-bot from 0.85 to 0.80"),
    (RAG, "pass_rate: 0.9}", "pass_rate: 0.8}", "lowers pass_rate of precise in support-bot from 0.90 to 0.80"),
    (RAG, "require: mean, ", "require: pass_rate, pass_rate: 0.5, ", "sets require of relevant in support-bot"),
    (RAG, "min_coverage: 0.8", "min_coverage: 0.5", "lowers min_coverage of support-bot from 0.80 to 0.50"),
    (RAG, "band: 0.02", "band: 0.01", "lowers band of support-bot from 0.02 to 0.01"),
    (RAG, "model: llama", "model: tiny", "sets judges.fast.model of support-bot from llama to tiny"),
    (RAG, "judge: fast", "judge: words", "sets judge of support-bot from fast to words"),
    (RAG, "panel: [a, b, fast]", "panel: [a, b, words]", "removes panel.fast of support-bot"),
    (RAG, "  panel: [a, b, fast]\n", "", "removes panel of support-bot"),
    (RAG, "  min_coverage", "  allow_related_panel: true\n  min_coverage", "sets allow_related_panel of sup"),
    (RAG, RAG[RAG.index("  support:") : RAG.index("judges:")], "  support: {type: recorded, answers: a.jsonl}\n",
     "sets systems.support.type of support-bot from http to recorded"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "old", "new", "says"), LOOSER)
def test_what_asks_for_less_is_named(read: Read, text: str, old: str, new: str, says: str) -> None:
    assert old in text
    changed = text.replace(old, new)
    if "arbitrate" in changed and "panel:" not in changed:
        changed, text = changed.replace("  arbitrate: pivotal\n", ""), text.replace("  arbitrate: pivotal\n", "")
    found = changes(read, text, changed)
    assert any(f"This change {says}" in one for one in found), found


TIGHTER = [
    (SWAP, "max_flip_rate: 0.05", "max_flip_rate: 0.04"),
    (SWAP, "min: 0.40", "min: 0.45"),
    (SWAP, "confidence: 0.95", "confidence: 0.99"),
    (SWAP, 'why: "policy 12, 2026-10"', "why: policy 13, requires_manual_review: true"),
    (
        SWAP,
        "        soc_trang: {que_quan: Sóc Trăng}\n",
        "        soc_trang: {que_quan: Sóc Trăng}\n        hue: {que_quan: Huế}\n",
    ),
    (SWAP, "    outcome:", "      age: {young: {tuoi: '23'}, old: {tuoi: '61'}}\n    outcome:"),
    (SWAP, "    must_respond_to:\n", "    must_respond_to:\n      - {tuoi: 3}\n"),
    (SWAP, "qwen2.5", "qwen3"),  # the system is under test: a change of it is what the gate is for
    (SWAP, "temperature: 0.2", "temperature: 0.9"),
    (FAIRNESS, "  rules:\n", "  rules:\n    - {id: more, rate: error, attribute: sex, max_group_gap: 0.2}\n"),
    (FAIRNESS, "age_band: [under_30,", "age_band: [under_18, under_30,"),
    (FAIRNESS, "  rules:", "  min_cell: 40\n  expected: {cases: 900}\n  rules:"),
    (DECISIONS, "cases: 65", "cases: 70"),
    (RAG, "min: 0.85", "min: 0.9"),
    (RAG, "min_coverage: 0.8", "min_coverage: 0.95"),
]


@pytest.mark.parametrize(("text", "old", "new"), TIGHTER)
def test_what_asks_for_more_is_not(read: Read, text: str, old: str, new: str) -> None:
    assert old in text
    assert changes(read, text, text.replace(old, new)) == []


@pytest.mark.parametrize("text", [SWAP, FAIRNESS, DECISIONS, RAG])
def test_nothing_changed_nothing_named(read: Read, text: str) -> None:
    assert changes(read, text, text + "\n# a remark\n") == []


MALE = "        male:   [{ten: Hùng, gioi_tinh: nam}, {ten: Quân, gioi_tinh: nam}]\n"
FEMALE = "        female: [{ten: Lan, gioi_tinh: nữ},   {ten: Hà, gioi_tinh: nữ}]\n"
HA_NOI = "        ha_noi:    {que_quan: Hà Nội}\n"
SOC_TRANG = "        soc_trang: {que_quan: Sóc Trăng}\n"
HUE = "        hue: {que_quan: Huế}\n"
GENDER, REGION = f"      gender:\n{MALE}{FEMALE}", f"      region:\n{HA_NOI}{SOC_TRANG}"
MORE_MEN = MALE.replace("nam}]", "nam}, {ten: Dũng, gioi_tinh: nam}]")
MORE_WOMEN = FEMALE.replace("nữ}]", "nữ}, {ten: Dung, gioi_tinh: nữ}]")
SWAPPED = "        female: [{ten: Hà, gioi_tinh: nữ}, {ten: Lan, gioi_tinh: nữ}]\n"
OTHERS = [
    (MALE + FEMALE, MORE_MEN + MORE_WOMEN, [
        "sets axes.gender.male of loan-screen from nothing to ten Dũng, gioi_tinh nam.",
        "sets axes.gender.female of loan-screen from nothing to ten Dung, gioi_tinh nữ.",
    ]),
    (MORE_MEN + MORE_WOMEN, MALE + FEMALE, [
        "sets axes.gender.male of loan-screen from ten Dũng, gioi_tinh nam to nothing.",
        "sets axes.gender.female of loan-screen from ten Dung, gioi_tinh nữ to nothing.",
    ]),
    (FEMALE, SWAPPED, [
        "sets axes.gender.female of loan-screen from ten Lan, gioi_tinh nữ, ten Hà, gioi_tinh nữ "
        "to ten Hà, gioi_tinh nữ, ten Lan, gioi_tinh nữ.",
    ]),
    (HA_NOI, HA_NOI.replace("Hà Nội", "Huế"), [
        "sets axes.region.ha_noi of loan-screen from que_quan Hà Nội to que_quan Huế.",
    ]),
    (MALE + FEMALE, FEMALE + MALE, ["sets axes.gender of loan-screen from male, female to female, male."]),
    (HA_NOI, HUE + HA_NOI, ["sets axes.region of loan-screen from ha_noi, soc_trang to hue, ha_noi, soc_trang."]),
    (GENDER + REGION, REGION + GENDER, ["sets axes of loan-screen from gender, region to region, gender."]),
    (GENDER, "      age: {young: [{tuoi: '23'}, {tuoi: '24'}], old: [{tuoi: '61'}, {tuoi: '62'}]}\n" + GENDER,
     ["sets axes of loan-screen from gender, region to age, gender, region."]),
]  # fmt: skip


@pytest.mark.parametrize("design", ["full", "one_at_a_time"])
@pytest.mark.parametrize(("old", "new", "says"), OTHERS)
def test_other_people_and_another_order_are_named(read: Read, old: str, new: str, says: list[str], design: str) -> None:
    """People take turns and are paired by position, and the first level is the reference."""
    assert GENDER + REGION in SWAP
    before = SWAP.replace("    outcome:", f"    design: {design}\n    outcome:")
    if old.startswith(MORE_MEN):
        before = before.replace(MALE + FEMALE, old)
    assert old in before
    assert changes(read, before, before.replace(old, new)) == [f"This change {one}" for one in says]


def test_a_suite_of_another_kind_under_the_same_name_is_named(read: Read) -> None:
    other = SWAP.replace("name: loan-screen", "name: discrim")
    assert changes(read, DECISIONS, other)[0] == "This change sets kind of discrim from decisions to swap."


def test_a_dropped_review_is_named(read: Read) -> None:
    old = SWAP.replace("max_flip_rate: 0.05,", "max_flip_rate: 0.05, requires_manual_review: true,")
    (said,) = changes(read, old, SWAP)
    assert said == "This change sets requires_manual_review of flips in loan-screen from true to false."


# --- no key can be forgotten -----------------------------------------------------------------------------------------


def sections(annotation: Any) -> Iterator[type[Section]]:
    """Every part of the configuration that a type may hold."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        yield annotation
    elif get_origin(annotation) in (Annotated, Union, types.UnionType, list, dict, tuple):
        for inner in get_args(annotation):
            yield from sections(inner)


def reachable(part: type[Section]) -> Iterator[type[Section]]:
    """A part and all the parts below it, but for systems: they are what is under test."""
    yield part
    for key, field in part.model_fields.items():
        if (part, key) != (Config, "systems"):
            for below in sections(field.annotation):
                yield from reachable(below)


KEYS = sorted({name_of(part, key) for part in reachable(Config) for key in part.model_fields})


@pytest.mark.parametrize("key", KEYS)
def test_every_key_of_the_model_has_been_thought_of(key: str) -> None:
    """Add the key to ``POLICIES``: does a larger value lower the bar, a smaller one, any other, or none at all?"""
    assert key in POLICIES


def test_the_table_has_no_key_that_the_model_lacks() -> None:
    assert set(POLICIES) <= set(KEYS)


def test_a_key_that_nobody_thought_of_is_shown() -> None:
    class Later(Section):
        unheard_of: float | None = None

    assert policy_of(Later, "unheard_of") is Policy.LOOK
