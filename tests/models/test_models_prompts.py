"""Prompts: data stays data, files stay in the repository, errors name the prompt's own line."""

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from models_helpers import ask

from fairgate.config import Project
from fairgate.errors import ConfigError
from fairgate.models.prompts import BodyTemplate, Prompt, inline_prompt, load_prompt

WHERE = ("systems", "it", "messages", 0, "file")


@pytest.fixture
def load(tmp_path: Path, project: Callable[[dict[str, Any]], Project]) -> Callable[..., Prompt]:
    def make(text: str | bytes, name: str = "ask.j2") -> Prompt:
        folder = tmp_path / "prompts"
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        made = project({"type": "recorded", "answers": "a.jsonl"})
        return load_prompt(f"prompts/{name}", made, WHERE)[0]

    return make


@pytest.mark.parametrize(
    ("template", "fields", "text"),
    [
        ("Tên: {{ ten }}", {"ten": "Lan"}, "Tên: Lan"),
        ("{{ ten }}", {"ten": "{{ 7 * 7 }} {% raw %} {ten}"}, "{{ 7 * 7 }} {% raw %} {ten}"),
        ("{{ ten }}", {"ten": "<b>&"}, "<b>&"),
        ("\ufeff{{ ten }}", {"ten": "Lan"}, "Lan"),
        ("{{ fields['thu nhập'] }}", {"thu nhập": "4"}, "4"),
        ("{{ fields }}", {"fields": "own"}, "own"),
        (unicodedata.normalize("NFD", "{{ tuổi }}"), {"tuổi": "40"}, "40"),
        ("{% if nothing is defined %}a{% else %}b{% endif %}", {}, "b"),
        ("{% for x in list %}{{ x }},{% endfor %}", {"list": [1, 2]}, "1,2,"),
        ("a\nb\n", {}, "a\nb"),
    ],
)
def test_fills_fields_and_nothing_else(
    load: Callable[..., Prompt], template: str, fields: dict[str, Any], text: str
) -> None:
    assert load(template).render(ask(**fields)) == text


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("a\n\n{{ tne }}", r"prompts/ask\.j2:3: no field 'tne' \(did you mean 'ten'\?\); the case c1 has: ten, tuoi"),
        ("{{ xyz }}", r"prompts/ask\.j2:1: no field 'xyz'; the case c1 has: ten, tuoi"),
        ("\n{{ ten.first }}", r"prompts/ask\.j2:2: 'str object' has no attribute 'first'"),
        ("\n{{ ten + 1 }}", r"prompts/ask\.j2:2: TypeError: .* \(case c1\)"),
        ("{{ ten.__class__.__mro__ }}", r"prompts/ask\.j2:1: .*unsafe"),
        ("{{ range(1000000) }}", r"prompts/ask\.j2:1: OverflowError"),
        ("{% for i in range(99999) %}{{ 'x' * 40 }}{% endfor %}", r"becomes longer than 1,048,576 characters"),
        ("{% include 'no.j2' ~ ten %}", r"prompts/ask\.j2:1: TemplateNotFound: there is no file 'no\.j2Lan'"),
    ],
)
def test_an_error_while_filling_names_line_and_field(load: Callable[..., Prompt], template: str, said: str) -> None:
    prompt = load(template)
    with pytest.raises(ConfigError, match=said) as caught:
        prompt.render(ask(ten="Lan", tuoi="30"))
    assert "fairgate.yaml:" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a\n{{ ten", r"prompts/ask\.j2:2: "),
        ("a\n{% if x %}", r"prompts/ask\.j2:2: "),
        ("{{ x | nofilter }}", r"prompts/ask\.j2:1: No filter named 'nofilter'"),
        (b"a\nb\xff", r"prompts/ask\.j2:2: is not UTF-8"),
        ("x" * 1_048_577, r"prompts/ask\.j2: is longer than 1,048,576"),
        ("{% include '../../outside.j2' %}", "outside the repository"),
        ("{% include '/etc/passwd' %}", "outside the repository"),
        ("{% include '../.git/config' %}", "outside the repository"),
        ("{% include 'absent.j2' %}", "there is no file 'absent.j2'"),
        ("{% include 'a\0b.j2' %}", "'a b.j2' cannot be a file"),
    ],
)
def test_a_prompt_that_cannot_be_used_is_refused_before_anything_is_asked(
    load: Callable[..., Prompt], tmp_path: Path, content: str | bytes, said: str
) -> None:
    (tmp_path.parent / "outside.j2").write_text("secret", encoding="utf-8")
    with pytest.raises(ConfigError, match=said) as caught:
        load(content)
    assert "fairgate.yaml:" in str(caught.value)


def test_an_include_is_checked_and_named_too(load: Callable[..., Prompt], tmp_path: Path) -> None:
    (tmp_path / "shared.j2").write_text("one\n{{ tne }}", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"shared\.j2:2: no field 'tne'"):
        load("{% include '../shared.j2' %}").render(ask(ten="Lan"))
    (tmp_path / "shared.j2").write_text("one\n{{ oops", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"shared\.j2:2: "):
        load("{% include '../shared.j2' %}")


def test_a_link_out_of_the_repository_is_not_followed(load: Callable[..., Prompt], tmp_path: Path) -> None:
    (tmp_path.parent / "outside.j2").write_text("secret", encoding="utf-8")
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "link.j2").symlink_to(tmp_path.parent / "outside.j2")
    with pytest.raises(ConfigError, match="outside the repository"):
        load("{% include 'link.j2' %}")


def test_lists_the_files_a_prompt_is_made_of(project: Callable[[dict[str, Any]], Project], tmp_path: Path) -> None:
    made = project({"type": "recorded", "answers": "a.jsonl"})
    (tmp_path / "a.j2").write_text("{% include 'b.j2' %}", encoding="utf-8")
    (tmp_path / "b.j2").write_text("{% include 'a.j2' %}", encoding="utf-8")
    assert load_prompt("a.j2", made, WHERE)[1] == [tmp_path / "a.j2", tmp_path / "b.j2"]


def test_a_body_keeps_the_type_of_a_lone_field(project: Callable[[dict[str, Any]], Project]) -> None:
    made = project({"type": "recorded", "answers": "a.jsonl"})
    body = {"n": "{{ income }}", "s": "{{ income }} VND", "l": [1, None, "{{- tags -}}"], "k": True, "{{ x }}": 0}
    template = BodyTemplate(body, made, ("systems", "it", "body"))
    filled = template.render(ask(income=40, tags=["a", {"b": "{{ income }}"}]))
    assert filled == {"n": 40, "s": "40 VND", "l": [1, None, ["a", {"b": "{{ income }}"}]], "k": True, "{{ x }}": 0}


def test_a_leaf_of_a_body_names_its_place(project: Callable[[dict[str, Any]], Project]) -> None:
    made = project({"type": "http", "url": "http://x/", "answer": "a", "body": {"q": ["{{ tne }}"]}})
    where = ("systems", "it", "body")
    with pytest.raises(ConfigError, match=r"systems\.it\.body\.q\[0\]: no field 'tne' \(did you mean 'ten'\?\)"):
        BodyTemplate({"q": ["{{ tne }}"]}, made, where).render(ask(ten="Lan"))
    with pytest.raises(ConfigError, match=r"systems\.it\.body\.q\[0\]: .*line 1 of the template"):
        BodyTemplate({"q": ["{{ tne"]}, made, where)


# --- bounds ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{{ 'a' * 800000000 }}", r"ask\.j2:1: SecurityError: '\*' would make more"),
        ("{{ 800000000 * ten }}", r"'\*' would make more"),
        ("{{ [0] * 90000000 }}", r"'\*' would make more"),
        ("{{ 9 ** 9999999999 }}", r"'\*\*' would make more"),
        ("{{ ten|center(800000000) }}", "a filter would make more"),
        ("{{ ten|indent(width=800000000) }}", "a filter would make more"),
        ("{{ ('a' * 1000000)|replace('a', 'b' * 1000) }}", "a filter would make more"),
        ("{{ '%0800000000d'|format(1) }}", "a filter would make more"),
        ("{{ ten.center(800000000) }}", "a call would make more"),
        ("{{ ten.zfill(800000000) }}", "a call would make more"),
        ("{{ ('a' * 1000000).replace('a', 'b' * 1000) }}", "a call would make more"),
        ("{{ '%0800000000d' % 1 }}", "'%' would make more"),
        ("{{ '{:>800000000}'.format(1) }}", "a format would make more"),
        ("{% for a in range(99999) %}{{ 'a' * 99 }}{% endfor %}", "longer than 1,048,576"),
    ],
)
def test_no_operation_makes_more_than_a_prompt_holds(load: Callable[..., Prompt], template: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load(template).render(ask(ten="Lan"))


@pytest.mark.parametrize(
    ("template", "text"),
    [("{{ ten|center(7) }}", "  Lan  "), ("{{ ten|replace('L', 'M') }}", "Man"),
     ("{% macro dong(n) %}{{ '{:,}'.format(n) }}{% endmacro %}{{ dong(18000000) }}", "18,000,000"),
     ("{{ '%d'|format(18000000) }}", "18000000"), ("{{ '%s!'|format(ten) }}", "Lan!"),
     ("{{ '{}!'.format(ten) }}", "Lan!"), ("{{ 3 * 4 }}", "12"), ("{{ '-' * 3 }}", "---"),
     ("{{ 2 ** 10 }}", "1024"), ("{{ 2 ** -1 }}", "0.5"),
     ("{{ 1.5 * 2 }}", "3.0"), ("{{ '%.1f' % 2 }}", "2.0")],
)  # fmt: skip
def test_arithmetic_is_arithmetic(load: Callable[..., Prompt], template: str, text: str) -> None:
    assert load(template).render(ask(ten="Lan")) == text


def test_a_template_that_does_not_end_is_given_up_on(
    load: Callable[..., Prompt], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairgate.models.prompts.RENDER_S", 0.2)
    prompt = load("{% for a in range(3000) %}{% for b in range(3000) %}{% endfor %}{% endfor %}")
    with pytest.raises(ConfigError, match=r"prompts/ask\.j2: takes more than 0\.2 s \(case c1\)"):
        prompt.render(ask())


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}", "nested too deeply"),
        ("{% if ten %}" * 3000 + "{% endif %}" * 3000, "nested too deeply"),
        ("{% for a in ten %}" * 30 + "{% endfor %}" * 30, "too many statically nested blocks"),
        ("{{ 1" + "0" * 6000 + " }}", "cannot be read: Exceeds the limit"),
    ],
)
def test_a_template_nested_beyond_use_is_refused(
    load: Callable[..., Prompt], project: Callable[[dict[str, Any]], Project], template: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=rf"prompts/ask\.j2: .*{said}"):
        load(template)
    with pytest.raises(ConfigError, match=said):
        inline_prompt(template, project({"type": "recorded", "answers": "a.jsonl"}), WHERE)
