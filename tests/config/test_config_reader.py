"""Reading YAML: what was written is kept, what cannot be meant is refused with its line."""

import re
from pathlib import Path

import pytest
from config_examples import ALL, FAIRNESS, SWAP
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairgate.config import load
from fairgate.config.reader import read_document, typed_scalar
from fairgate.config.values import Scalar
from fairgate.errors import ConfigError


def _document(tmp_path: Path, raw: bytes | str):
    file = tmp_path / "f.yaml"
    file.write_bytes(raw if isinstance(raw, bytes) else raw.encode())
    return read_document(file)


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("12:30", "12:30"),
        ("010", "010"),
        ("2020-01-01", "2020-01-01"),
        ("1_000", "1_000"),
        (".inf", ".inf"),
        ("nan", "nan"),
        ("1e999", "1e999"),
        ("0x1F", "0x1F"),
        ("1e3", 1000.0),
        ("1.10", 1.1),
        ("-5", -5),
        ("+5", 5),
        ("9007199254740993", 9007199254740993),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("９", "９"),
    ],
)
def test_unquoted_scalar_has_the_value_that_json_has(text: str, typed: object) -> None:
    found = typed_scalar(text)
    assert found == typed
    assert type(found) is type(typed)


def test_unquoted_is_a_scalar_and_quoted_is_text(tmp_path: Path) -> None:
    data = _document(tmp_path, "a: [no, 'no', !!str no]\n").data
    assert [type(item) for item in data["a"]] == [Scalar, str, str]
    assert [str(item) for item in data["a"]] == ["no", "no", "no"]


def test_lines_of_keys_items_and_aliases(tmp_path: Path) -> None:
    document = _document(tmp_path, "a:\n  - x\n  - b: 1\n    'c d': &k {e: 2}\nz: *k\n")
    assert document.locate(("a",)) == (1, "a")
    assert document.locate(("a", 1, "b")) == (3, "a[1].b")
    assert document.locate(("a", 1, "c d")) == (4, "a[1]['c d']")
    assert document.locate(("z", "e")) == (4, "z.e")
    assert document.locate(("a", 1, "missing")) == (3, "a[1].missing")
    assert document.locate(("z", 0, "<tag>", "e")) == (4, "z.e")
    assert document.locate(()) == (1, "")


LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{b}: &{b} [{','.join(['*' + a] * 10)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"", ":1: is empty, expected a mapping"),
        (b"# only a remark\n", ":1: is empty"),
        (b"---\n", ":2: found an empty value, expected a mapping"),
        (b"- a\n", ":1: found a list, expected a mapping"),
        (b"hello", ":1: found 'hello', expected a mapping"),
        (b"a: 1\n---\nb: 2\n", ":2: a second document begins, expected one"),
        (b"a: 1\nb: 2\na: 3\n", ":3: the key 'a' is already on line 1; remove one"),
        ("giới: 1\nb: 2\ngiới: 3\n".encode(), ":3: the key 'giới' is already on line 1"),
        ("gi\u1edbi: 1\ngio\u031b\u0301i: 3\n".encode(), ":2: the key 'giới' is already on line 1"),
        (b"a: {x: 1,\n x: 2}\n", ":2: the key 'x' is already on line 1"),
        (b"a: !!python/object:os.system x\n", ":1: found the tag 'tag:yaml.org,2002:python/object:os.system'"),
        (b"a: !secret x\n", ":1: found the tag '!secret': tags are not read"),
        (b"a: !!int '5'\n", ":1: found the tag"),
        (b"!!set x: 1\n", ":1: found the tag"),
        (b"a: &x {b: 1}\nc:\n  <<: *x\n", ":3: merge keys (<<) are not read"),
        (b"? [a, b]\n: 1\n", ":1: found a list, a mapping or an alias as a key"),
        (b"a: &x b\n*x : 1\n", ":2: found a list, a mapping or an alias as a key"),
        (b"?\n: 1\n", ":1: found an empty key"),
        (b"~: 1\n", ":1: found an empty key"),
        (b"a: &x [*x]\n", ":1: the alias *x stands inside of what it names"),
        (b"a: *x\n", ":1: the alias *x has no anchor &x"),
        (LAUGHS.encode(), "aliases multiply this file by more than 20000 values"),
        (b"a: " + b"[" * 5000, ":1: values are nested more than 40 deep"),
        (b"a: " + b"{b: " * 5000, ":1: values are nested more than 40 deep"),
        (b"fairness:\n\tname: x\n", ":2: tab on line 2, use spaces"),
        (b"a:\n  b: 1\n\tc: 2\n", ":3: tab on line 3, use spaces"),
        (b"a:\tb\n", ":1: tab on line 1, use spaces"),
        (b"a: b: c\n", ":1: is not valid YAML: mapping values are not allowed here"),
        (b"a: {b\n", ":2: is not valid YAML while parsing a flow mapping that begins on line 1"),
        (b"a: 'x\n", "is not valid YAML while scanning a quoted scalar"),
        (b'a: "x\x07"\n', ":1: found the character U+0007"),
        (b"b: 1\na: \x00\n", ":2: found the character U+0000"),
        (b'a: "\\ud800"\n', ":1: found half of a character"),
        (b'a: "\\UFFFFFFFF"\n', "stands for no character"),
        (b"a: \xe9\n", ":1: found the byte 0xE9, which is not UTF-8: save it as UTF-8"),
        (b"a: 1\nb: \xff\n", ":2: found the byte 0xFF"),
        ("a: 1\n".encode("utf-16"), ":1: is UTF-16, expected UTF-8"),
        (b"a: " + b"x" * (1 << 20), ": is larger than 1 MiB"),
        (b"%YAML 9.9\n---\na: 1\n", ":1: is not valid YAML: found incompatible YAML document"),
    ],
)
def test_refused_with_file_and_line(tmp_path: Path, raw: bytes, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        _document(tmp_path, raw)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "f.yaml"))


def test_every_structural_problem_is_shown(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        _document(tmp_path, "a: 1\na: 2\nb: !x 3\n<<: 4\n")
    assert [int(line) for line in re.findall(r"f\.yaml:(\d+): ", str(caught.value))] == [2, 3, 4]


def test_byte_order_mark_and_windows_lines(tmp_path: Path) -> None:
    document = _document(tmp_path, b"\xef\xbb\xbfa: 1\r\nb:\r\n  c: 2\r\n")
    assert document.data == {"a": "1", "b": {"c": "2"}}
    assert document.locate(("b", "c"))[0] == 3


def test_folder_and_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is a folder, expected a YAML file"):
        load(tmp_path)
    with pytest.raises(ConfigError, match="there is no such file"):
        load(tmp_path / "none.yaml")
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path / "a\0b")


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """An example with a few pieces cut, doubled or replaced."""
    text = draw(st.sampled_from([*ALL.values(), FAIRNESS + SWAP]))
    lines = text.splitlines(keepends=True)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        pieces = re.split(r"(\W+)", lines[at])
        pieces[draw(st.integers(0, len(pieces) - 1))] = draw(
            st.sampled_from(
                ["", "~", "null", ": ", "- ", "[", "]", "{", "}", "&a ", "*a", "5%", "\t", "0", "nan", "<<: "]
            )
            | st.text(max_size=5)
        )
        lines[at] = "".join(pieces)
    return "".join(lines).encode("utf-8", "surrogatepass")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(raw=st.binary(max_size=200) | mutated())
def test_nothing_but_a_config_error_comes_out(tmp_path: Path, raw: bytes) -> None:
    file = tmp_path / "fuzz.yaml"
    file.write_bytes(raw)
    try:
        load(file)
    except ConfigError as error:
        assert all(line.startswith(f"{file}:") for line in str(error).splitlines())  # noqa: PT017 - none is fine, too


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: [" + "{}," * 300_000 + "]", "holds more than 10,000 keys and values; cases and prompts belong into files"),
        ("a:\n" + "- x\n" * 19_000, "holds more than 10,000 keys and values"),
        ("".join(f"k{i}: v\n" for i in range(19_000)), "holds more than 10,000 keys and values"),
        ("\n" * 1_000_000 + "a: b", "has more than 20,000 lines"),
        ("a: " + "x\n " * 300_000, "has more than 20,000 lines"),
        ("a: " + "[" * 1_000_000, "nested more than 40 deep"),
        ("- " * 500_000, "nested more than 40 deep"),
        ("a: &a x\nb: [" + "*a ," * 200_000 + "]", "more than 10,000 keys and values"),
    ],
)
def test_a_megabyte_of_anything_is_refused_with_a_sentence(tmp_path: Path, text: str, expected: str) -> None:
    file = tmp_path / "fairgate.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=expected):
        read_document(file)
