"""Paths and places: relative to the file, inside the repository; the policy; the shared cases."""

from pathlib import Path

import pytest
from config_examples import FAIRNESS, SWAP

from fairgate.config import Project, load, with_policy
from fairgate.errors import ConfigError

PLACE = ("fairness", 0, "cases")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A repository with the configuration in a folder of its own."""
    folder = tmp_path / "repo" / "audit"
    folder.mkdir(parents=True)
    (tmp_path / "repo" / ".git").mkdir()
    (folder / "fairgate.yaml").write_text(FAIRNESS)
    (folder / "decided.csv").write_text("id\n")
    (tmp_path / "repo" / "shared.csv").write_text("id\n")
    (tmp_path / "outside.csv").write_text("id\n")
    return load(folder / "fairgate.yaml")


def test_the_root_is_the_git_top_level_or_the_folder(project: Project, tmp_path: Path) -> None:
    assert project.root == tmp_path / "repo"
    (tmp_path / "alone.yaml").write_text(FAIRNESS)
    assert load(tmp_path / "alone.yaml").root == tmp_path


def test_a_worktree_has_git_as_a_file(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: elsewhere\n")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "f.yaml").write_text(FAIRNESS)
    assert load(tmp_path / "a" / "f.yaml").root == tmp_path


def test_files_inside_the_repository_are_found(project: Project, tmp_path: Path) -> None:
    assert project.resolve("decided.csv", PLACE) == tmp_path / "repo" / "audit" / "decided.csv"
    assert project.resolve("../shared.csv", PLACE) == tmp_path / "repo" / "shared.csv"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("../../outside.csv", "found '../../outside.csv', which leaves the repository"),
        ("/etc/passwd", "found '/etc/passwd', which leaves the repository"),
        ("link.csv", "found 'link.csv', which leaves the repository"),
        ("folder-link/outside.csv", "found 'folder-link/outside.csv', which leaves the repository"),
        ("loop", "'loop'"),  # a loop of links is an error of resolve() up to Python 3.12, no file from 3.13 on
        ("decide.csv", "there is no file 'decide.csv' (there is 'decided.csv'); paths are relative to fairgate.yaml"),
        ("none/at/all", "there is no file 'none/at/all'; paths are relative to fairgate.yaml"),
        ("..", "found the folder '..', expected a file"),
        ("", "found the folder '', expected a file"),
        ("a\0b", "found 'a\\x00b', which cannot be a file"),
        ("x" * 300, "which cannot be a file"),
    ],
)
def test_other_paths_are_refused_in_their_place(project: Project, tmp_path: Path, text: str, message: str) -> None:
    folder = project.file.parent
    (folder / "link.csv").symlink_to(tmp_path / "outside.csv")
    (folder / "folder-link").symlink_to(tmp_path)
    (folder / "loop").symlink_to("loop")
    with pytest.raises(ConfigError) as caught:
        project.resolve(text, PLACE)
    assert str(caught.value).startswith(f"{project.file}:3: fairness.cases: ")
    assert message in str(caught.value)


def test_places_and_errors_point_into_the_file(tmp_path: Path) -> None:
    file = tmp_path / "f.yaml"
    file.write_text(SWAP)
    project = load(file)
    assert project.place(("swap", 0, "rules", 1, "attribute")) == f"{file}:29"
    assert project.place(("swap", 0, "axes", "region", "soc_trang", 0, "que_quan")) == f"{file}:23"
    error = project.error(("swap", 0, "axes", "region", "soc_trang", 0), "no such field")
    assert str(error) == f"{file}:23: swap[0].axes.region.soc_trang: no such field"


def test_the_policy_wins_over_confidence(project: Project, tmp_path: Path) -> None:
    policy = tmp_path / "release.yaml"
    policy.write_text("version: 1\nconfidence_level: 0.99\n")
    assert with_policy(project, policy).config.confidence == 0.99
    assert project.config.confidence == 0.95
    policy.write_text("version: 1\n")
    assert with_policy(project, policy) == project


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("confidence: 0.99\n", "release.yaml:1: confidence: unknown key, did you mean confidence_level?"),
        ("confidence_level: 99%\n", "release.yaml:1: confidence_level: found '99%', expected a number: write 0.99"),
        ("confidence_level: 1\n", "release.yaml:1: confidence_level: found 1, expected less than 1"),
        ("", "release.yaml:1: is empty"),
    ],
)
def test_a_policy_that_says_nothing_useful_is_refused(
    project: Project, tmp_path: Path, text: str, message: str
) -> None:
    policy = tmp_path / "release.yaml"
    policy.write_text(text)
    with pytest.raises(ConfigError) as caught:
        with_policy(project, policy)
    assert message in str(caught.value)


FIELD = [
    ("44-yaml-null-groups/fairness.yaml", ["none", "null"]),
    ("46-yaml-sexagesimal-octal-float/fairness.yaml", ["12:30", "20:30"]),
    ("46-yaml-sexagesimal-octal-float/fairness_octal.yaml", ["010", "011"]),
    ("46-yaml-sexagesimal-octal-float/fairness_float.yaml", ["1.10", "1.20"]),
    ("24-nfd-column-name/fairness.yaml", ["Nữ", "Nam"]),
]


@pytest.mark.parametrize(("name", "groups"), FIELD)
def test_field_cases_keep_their_groups(shared: Path, name: str, groups: list[str]) -> None:
    (found,) = load(shared / "cases" / "field" / name).config.fairness[0].attributes.values()
    assert found == groups


@pytest.mark.parametrize(
    ("name", "messages"),
    [
        ("48-yaml-tabs/fairness.yaml", [":7: tab on line 7, use spaces"]),
        (
            "50-yaml-typos/fairness.yaml",
            [
                ":8: fairness.min_cells: unknown key, did you mean min_cell?",
                ":10: fairness.rules[0].max_gap: unknown key, did you mean max_group_gap?",
            ],
        ),
        (
            "50-yaml-typos/fairness_gap5.yaml",
            [":10: fairness.rules[0].max_group_gap: found 5, expected a number from 0 to 1"],
        ),
        (
            "50-yaml-typos/fairness_neg.yaml",
            [":10: fairness.rules[0].max_group_gap: found -0.1, expected a number from 0"],
        ),
    ],
)
def test_field_cases_are_refused_by_name(shared: Path, name: str, messages: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        load(shared / "cases" / "field" / name)
    lines = str(caught.value).splitlines()
    assert len(lines) == len(messages)
    assert all(message in line for message, line in zip(messages, lines, strict=True))


def test_parity_cases_are_read_unless_they_are_meant_to_be_refused(shared: Path) -> None:
    refused = set()
    for file in sorted((shared / "cases" / "parity").glob("*/fairness.yaml")):
        try:
            load(file)
        except ConfigError:
            refused.add(file.parent.name)
    assert refused == {"31_single_group_attribute", "49_undeclared_attribute_in_rule"}
