"""The parts judges, embeddings and rag: every refusal by its place and its words."""

from collections.abc import Callable

import pytest
from config_examples import RAG

from fairgate.config import Project
from fairgate.errors import ConfigError

Read = Callable[[str], Project]
CHAT = (
    'support: {type: chat, model: {type: openai, model: M, base_url: "http://x/v1", family: F}, '
    "messages: [{role: user, file: p.j2}]}\n"
)


def test_what_is_read(read: Read) -> None:
    config = read(RAG).config
    (suite,) = config.rag
    assert suite.judge_names == ["fast", "a", "b"]
    assert suite.metrics == ["faithfulness", "context_precision", "answer_relevance"]
    assert (suite.band, suite.min_coverage, suite.arbitrate) == (0.02, 0.8, "pivotal")
    assert [rule.require for rule in suite.rules] == ["all", "pass_rate", "mean"]
    assert config.embeddings is not None
    assert config.judges["b"].type == "anthropic"


@pytest.mark.parametrize(
    ("old", "new", "where", "message"),
    [
        ("judge: fast", "judge: fats", "rag.judge", "did you mean fast?"),
        ("panel: [a, b, fast]", "panel: [a, b, c]", "rag.panel[2]", "expected a name under judges"),
        ("panel: [a, b, fast]", "panel: [a, b]", "rag.panel", "three judges"),
        ("panel: [a, b, fast]", "panel: [a, b, b]", "rag.panel[2]", "stands in the panel twice"),
        ("  panel: [a, b, fast]\n", "", "rag.arbitrate", "there is none; add panel"),
        ("system: support", "system: suport", "rag.system", "did you mean support?"),
        ("user_query: question", "query: question", "rag.fields.query", "expected one of sample_id"),
        ("{user_query: question}", "{user_query: q, sample_id: q}", "rag.fields.sample_id", "another field already"),
        ("embeddings: {type: local}\n", "", "rag.rules[2].metric", "add embeddings"),
        (", pass_rate: 0.9", "", "rag.rules[1]", "needs pass_rate"),
        ("require: mean", "pass_rate: 0.9", "rag.rules[2].pass_rate", "read with require: pass_rate only"),
        ("metric: faithfulness", "metric: faithful", "rag.rules[0].metric", "expected 'faithfulness'"),
        ("id: precise", "id: faithful", "rag.rules[1].id", "taken already"),
        ("type: lexical", "type: lexica", "judges.words.type", "expected one of openai, anthropic, litellm, lexical"),
        ("type: local", "type: remote", "embeddings.type", "expected one of local, openai"),
        ("min: 0.85", "min: 85", "rag.rules[0].min", "write 0.85"),
        ("band: 0.02", "bands: 0.02", "rag.bands", "did you mean band?"),
    ],
)
def test_refusals(read: Read, old: str, new: str, where: str, message: str) -> None:
    assert RAG.count(old) == 1
    with pytest.raises(ConfigError) as caught:
        read(RAG.replace(old, new))
    assert any(f": {where}: " in line and message in line for line in str(caught.value).splitlines()), caught.value


@pytest.mark.parametrize(
    ("judge", "system", "message"),
    [
        ("{type: openai, model: llama, base_url: 'http://vllm:8001/v1/', family: other}", None, "a and fast are the"),
        ("{type: openai, model: m2, family: qwen}", ("m", "Qwen"), "a is of the family qwen"),
        ("{type: openai, model: m, base_url: 'http://x/v1', family: other}", ("m", "qwen"), "a is the model under"),
        ("{type: openai, model: m2}", ("m", "qwen"), None),
        ("{type: lexical}", None, None),
    ],
)
def test_a_related_panel_is_refused_unless_allowed(
    read: Read, judge: str, system: tuple[str, str] | None, message: str | None
) -> None:
    flat = RAG.replace("},\n    answer", "}, answer")
    lines = [f"  a: {judge}" if line.startswith("  a:") else line for line in flat.splitlines()]
    text = "\n".join(lines)
    if system is not None:
        chat = CHAT.replace("M,", f"{system[0]},").replace("F}", f"{system[1]}}}")
        text = "\n".join(f"  {chat}" if line.startswith("  support:") else line for line in lines)
    if message is None:
        assert read(text)
        return
    with pytest.raises(ConfigError, match=message):
        read(text)
    assert read(text.replace("  judge: fast", "  judge: fast\n  allow_related_panel: true"))
