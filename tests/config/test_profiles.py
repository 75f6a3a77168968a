"""A profile put over a file: which suites, rules, judges and budgets are in force, and what it is refused for."""

from collections.abc import Callable
from pathlib import Path

import pytest

from fairgate.config import Project, load
from fairgate.config.model import Config
from fairgate.config.project import load_each, with_profile
from fairgate.config.scope import Scope, in_force
from fairgate.errors import ConfigError, UsageError

FILE = """\
max_calls: 900
judges:
  fast: {type: openai, model: llama, base_url: "http://vllm:8001/v1", family: llama}
  open: {type: openai, model: qwen, base_url: "http://vllm:8002/v1", family: qwen}
  a: {type: openai, model: gpt, api_key_env: OPENAI_KEY, family: gpt}
  b: {type: anthropic, model: claude, api_key_env: ANTHROPIC_KEY, family: claude}
rag:
  - {name: bot, cases: rag.jsonl, judge: fast, panel: [a, b, open], rules: [
      {id: night, metric: faithfulness, min: 0.9, profiles: nightly},
      {id: always, metric: faithfulness, min: 0.8}]}
  - {name: plain, cases: rag.jsonl, judge: fast, rules: [{id: r, metric: faithfulness, min: 0.8, profiles: [nightly]}]}
fairness:
  - {name: decided, cases: d.csv, prediction: p, attributes: {sex: [f, m]}, rules: [
      {id: floor, rate: selection, attribute: sex, worst_group: {min: 0.4}}]}
profiles:
  pr: {tags: [mini, core], judge: open, panel: [], max_seconds: 90, max_cost_usd: 0.02}
  nightly: {panel_always: true, max_calls: 50}
  answers: {suites: bot}
"""

Read = Callable[[str], Project]


def rules(config: Config) -> dict[str, list[str]]:
    return {suite.name: [rule.id for rule in suite.rules] for _, suite in config.placed}


@pytest.mark.parametrize(
    ("name", "judged", "suites_left_out"),
    [
        (None, {"decided": ["floor"], "bot": ["always"]}, ("plain",)),
        ("pr", {"decided": ["floor"], "bot": ["always"]}, ("plain",)),
        ("nightly", {"decided": ["floor"], "bot": ["night", "always"], "plain": ["r"]}, ()),
        ("answers", {"bot": ["always"]}, ("decided", "plain")),
    ],
)
def test_the_rules_in_force(
    read: Read, name: str | None, judged: dict[str, list[str]], suites_left_out: tuple[str, ...]
) -> None:
    project = with_profile(read(FILE), name)
    assert rules(project.config) == judged
    assert project.scope.suites_left_out == suites_left_out
    assert list(project.config.profiles) == ([name] if name else [])
    assert len(rules(project.written)) == 3


def test_a_profile_replaces_judge_panel_and_budgets(read: Read) -> None:
    config, scope = in_force(read(FILE).written, "pr")
    (bot,) = config.rag
    assert (bot.judge, bot.panel, bot.arbitrate) == ("open", None, "band")
    assert (config.max_calls, config.max_seconds, config.max_cost_usd) == (900, 90, 0.02)
    assert scope.tags == ("mini", "core")


def test_the_panel_is_asked_always_where_there_is_one(read: Read) -> None:
    config, _ = in_force(read(FILE).written, "nightly")
    assert [(suite.panel, suite.arbitrate) for suite in config.rag] == [(["a", "b", "open"], "always"), (None, "band")]
    assert config.max_calls == 50


def test_a_file_without_profiles_is_as_it_was(read: Read) -> None:
    text = FILE.partition("profiles:\n")[0].replace(", profiles: nightly", "").replace(", profiles: [nightly]", "")
    project = read(text)
    assert project.config == project.written
    assert project.scope == Scope(kept=project.scope.kept)


def test_lines_are_those_of_the_file(read: Read) -> None:
    project = with_profile(read(FILE), "answers")
    assert project.place(("rag", 0, "rules", 0, "min")).endswith(":10")
    assert "rag[0].rules[1]: here" in str(project.error(("rag", 0, "rules", 0), "here"))


def test_every_profile_of_a_file(tmp_path: Path, read: Read) -> None:
    read(FILE)
    assert [each.scope.profile for each in load_each(tmp_path / "fairgate.yaml")] == [None, "pr", "nightly", "answers"]


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("suites: bot", "suites: bott", ":18: profiles.answers.suites", "expected a suite of this file"),
        ("judge: open", "judge: opem", ":16: profiles.pr.judge", "expected a name under judges; did you mean open?"),
        ("panel: []", "panel: [a]", ":16: profiles.pr.panel", "a panel has three judges"),
        ("panel: []", "panel: [a, b, b]", ":16: profiles.pr.panel[2]", "stands in the panel twice"),
        ("profiles: nightly}", "profiles: nigthly}", ":9: rag[0].rules[0].profiles", "did you mean nightly?"),
        ("tags: [mini, core]", "tags: []", ":16: profiles.pr.tags", "expected at least one entry"),
        ("tags: [mini, core]", "tags: [mini, mini]", ":16: profiles.pr.tags[1]", "found mini twice"),
        ("max_seconds: 90", "max_seconds: 0", ":16: profiles.pr.max_seconds", "expected more than 0"),
        ("max_seconds: 90", "seconds: 90", ":16: profiles.pr.seconds", "did you mean max_seconds?"),
    ],
)  # fmt: skip
def test_what_is_refused_when_the_file_is_read(read: Read, old: str, new: str, place: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        read(FILE.replace(old, new, 1))
    assert place in str(error.value)
    assert message in str(error.value)


def test_a_panel_of_kin_is_refused_in_a_profile_too(read: Read) -> None:
    twice = FILE.replace('qwen, base_url: "http://vllm:8002/v1"', 'llama, base_url: "http://vllm:8001/v1"')
    with pytest.raises(ConfigError, match=r"profiles.pr.panel: suite bot: fast and open are the same model"):
        read(twice.replace("panel: []", "panel: [fast, open, a]"))


@pytest.mark.parametrize(
    ("old", "new", "name", "message"),
    [
        ("suites: bot", "suites: plain", "answers", r":18: profiles.answers: no rule applies under this profile"),
        ("panel: [a, b, open], ", "", "nightly", r":17: profiles.nightly.panel_always: no suite of this profile"),
        ("open], ", "open], arbitrate: pivotal, ", "pr", r":16: profiles.pr.panel: suite bot, arbitrate: pivotal"),
    ],
)  # fmt: skip
def test_a_profile_that_cannot_be_run(read: Read, tmp_path: Path, old: str, new: str, name: str, message: str) -> None:
    read(FILE.replace(old, new, 1))  # is no reason to refuse the others
    with pytest.raises(ConfigError, match=message):
        load(tmp_path / "fairgate.yaml", name)


def test_without_a_profile_nothing_may_be_left(tmp_path: Path) -> None:
    file = tmp_path / "fairgate.yaml"
    file.write_text(
        "fairness: {name: d, cases: d.csv, prediction: p, attributes: {sex: [f, m]}, rules: [{id: floor, "
        "rate: selection, attribute: sex, worst_group: {min: 0.4}, profiles: pr}]}\nprofiles: {pr: {}}\n"
    )
    with pytest.raises(ConfigError, match="name one with --profile"):
        load(file)
    assert [each.scope.profile for each in load_each(file)] == ["pr"]
    with pytest.raises(UsageError, match=r"profile 'no': .* has no profile of this name; it has: pr"):
        load(file, "no")
