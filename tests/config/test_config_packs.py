"""Packs: what is shipped is whole and has its source, and an axis that names one holds its people."""

import itertools
from collections.abc import Callable
from unicodedata import normalize

import pytest
from config_examples import SWAP
from jsonschema import Draft202012Validator

from fairgate import packs
from fairgate.bar.compare import lowered
from fairgate.cli import main
from fairgate.config import Project
from fairgate.config.model import HarnessSuite
from fairgate.config.schema import json_schema
from fairgate.errors import ConfigError

Read = Callable[[str], Project]
AXES = SWAP[SWAP.index("      gender:") : SWAP.index("    outcome:")]


def with_axes(*axes: str) -> str:
    return SWAP.replace(AXES, "".join(f"      {axis}\n" for axis in axes)).replace(
        "attribute: region", "attribute: gender"
    )


def suite_of(project: Project) -> HarnessSuite:
    (suite,) = project.config.swap
    assert isinstance(suite, HarnessSuite)
    return suite


@pytest.mark.parametrize("name", packs.names())
def test_every_pack_is_whole(name: str) -> None:
    pack = packs.load(name)
    assert pack.title
    assert all(len(text) > 20 for text in pack.source)
    assert "say whom you fear to disadvantage" in pack.note.lower()
    assert len(pack.levels) >= 2
    sizes = {len(people) for people in pack.levels.values()}
    assert len(sizes) == 1
    assert sizes.pop() >= 4
    everybody = list(itertools.chain.from_iterable(pack.levels.values()))
    assert all(set(person) == set(pack.fields) for person in everybody)
    assert all(
        text == normalize("NFC", text) and text.strip() == text and text for one in everybody for text in one.values()
    )
    texts = [tuple(person.values()) for person in everybody]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("name", ["vietnam/gender", "taiwan/gender", "uk/gender", "us/gender"])
def test_only_the_gender_differs_within_a_pair(name: str) -> None:
    pack = packs.load(name)
    field = "ten" if "ten" in pack.fields else "name"
    for one, other in zip(*pack.levels.values(), strict=True):
        family = (lambda text: text[0]) if name.startswith("taiwan") else (lambda text: text.split()[-1])
        if name.startswith("vietnam"):
            family = lambda text: text.split()[0]  # noqa: E731
        assert family(one[field]) == family(other[field])


@pytest.mark.parametrize("name", ["us/race", "uk/ethnicity"])
def test_women_stand_beside_women(name: str) -> None:
    pack = packs.load(name)
    for people in zip(*pack.levels.values(), strict=True):
        assert len({person["gender"] for person in people}) == 1


def test_an_axis_holds_the_people_of_its_pack(read: Read) -> None:
    found = suite_of(read(with_axes("gender: {pack: vietnam/gender}", "region: {pack: vietnam/region, people: 3}")))
    assert list(found.axes["gender"]) == ["male", "female"]
    assert found.axes["gender"]["female"][0]["xung_ho"] == "chị"
    assert [len(people) for people in found.axes["region"].values()] == [3, 3, 3]
    assert found.packs == {"gender": "vietnam/gender", "region": "vietnam/region"}


@pytest.mark.parametrize(("fields", "person"), [
    ("{ten: ho_ten, xung_ho: xh}", {"ho_ten": "Nguyễn Văn Tuấn", "xh": "anh"}),
    ("[ten]", {"ten": "Nguyễn Văn Tuấn"}),
    ("ten", {"ten": "Nguyễn Văn Tuấn"}),
])  # fmt: skip
def test_fields_are_taken_under_the_names_of_the_cases(read: Read, fields: str, person: dict[str, str]) -> None:
    found = suite_of(read(with_axes(f"gender: {{pack: vietnam/gender, fields: {fields}}}")))
    assert found.axes["gender"]["male"][0] == person


def test_levels_are_taken_in_the_order_written(read: Read) -> None:
    found = suite_of(read(with_axes("gender: {pack: vietnam/region, levels: [south, north]}")))
    assert list(found.axes["gender"]) == ["south", "north"]


@pytest.mark.parametrize(("axis", "about"), [
    ("pack: us/rase", "pack: found 'us/rase', expected a pack that is shipped; did you mean us/race?"),
    ("fields: {tn: x}", "fields.tn: found 'tn', expected a field of the pack vietnam/gender; did you mean ten?"),
    ("fields: [tn]", "fields[0]: found 'tn', expected a field of the pack"),
    ("fields: {ten: x, xung_ho: x}", "fields.xung_ho: the field 'x' is taken already"),
    ("levels: [male, femal]", "levels[1]: found 'femal', expected a level of the pack vietnam/gender; did you"),
    ("levels: [male, male]", "levels[1]: the level 'male' is named twice"),
    ("people: 9", "people: found 9, expected at most 8: the pack vietnam/gender has no more"),
    ("field: [ten]", "field: unknown key, did you mean fields?"),
    ("male: {ten: x}", "male: unknown key"),
])  # fmt: skip
def test_what_a_pack_does_not_have_is_refused_at_its_place(read: Read, axis: str, about: str) -> None:
    pack = "" if axis.startswith("pack") else "pack: vietnam/gender, "
    with pytest.raises(ConfigError) as error:
        read(with_axes(f"gender: {{{pack}{axis}}}"))
    assert f"yaml:18: swap[0].axes.gender.{about}" in str(error.value)


def test_a_level_may_be_called_pack(read: Read) -> None:
    found = suite_of(read(with_axes("gender: {pack: {ten: Lan}, single: {ten: Hùng}}")))
    assert (list(found.axes["gender"]), found.packs) == (["pack", "single"], {})


def test_the_schema_knows_packs() -> None:
    axes = json_schema()["$defs"]["HarnessSuite"]["properties"]["axes"]
    check = Draft202012Validator({**axes, "$defs": json_schema()["$defs"]})
    check.validate({"gender": {"pack": "vietnam/gender", "fields": {"ten": "name"}, "people": 4}})
    assert not check.is_valid({"gender": {"pack": "vietnam/gender", "persons": 4}})
    assert check.is_valid({"gender": {"male": {"ten": "x"}, "female": {"ten": "y"}}})


def test_the_fingerprint_and_the_bar_see_the_people(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    axis = "gender: {pack: vietnam/region, levels: [north, south], people: 1}"
    before = read(with_axes(axis))
    shipped = packs.load("vietnam/region")
    edited = packs.Pack(**{**shipped.__dict__, "levels": {**shipped.levels, "south": ({"que_quan": "Cần Thơ"},)}})
    monkeypatch.setattr(packs, "load", lambda _: edited)
    after = read(with_axes(axis))
    dumps = [project.config.model_dump_json() for project in (before, after)]
    assert dumps[0] != dumps[1]
    (change,) = lowered(before.config, after.config)
    assert "axes.gender.south" in change.key


def test_the_list_and_one_pack_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["packs"]) == 0
    listed = capsys.readouterr().out
    assert [line.split(":")[0] for line in listed.splitlines() if not line.startswith(" ")] == packs.names()
    assert main(["packs", "vietnam"]) == 0
    begun = [line.split(":")[0] for line in capsys.readouterr().out.splitlines() if not line.startswith(" ")]
    assert begun == ["vietnam/dialect", "vietnam/gender", "vietnam/region"]
    assert main(["packs", "us/race"]) == 0
    shown = capsys.readouterr().out
    assert "source: First and family names: Bertrand and Mullainathan" in shown
    assert "  - name: Jamal Jones, first_name: Jamal" in shown
    assert main(["packs", "us/rase"]) == 2
