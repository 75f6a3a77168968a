"""A rag suite from file to result: rounds of asking, what is asked of whom, and what the report says of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from triad_desk import SOURCE, Directions, TableJudge

from fairgate import gate
from fairgate.config import Project, load
from fairgate.models.protocol import CallFailed, Question, Reply
from fairgate.models.watch import Nobody
from fairgate.triad.evidence import NO_CONTEXTS
from fairgate.triad.suite import RagRun, check_rag, judge_rag
from fairgate.verdict import Verdict
from fairgate.world import World

CONFIG = """\
systems: {bot: {type: python, callable: "bot:answer"}}
judges:
  j: {type: openai, model: m1, base_url: "http://127.0.0.1:9/v1"}
  a: {type: openai, model: m2, base_url: "http://127.0.0.1:9/v1"}
  b: {type: openai, model: m3, base_url: "http://127.0.0.1:9/v1"}
  words: {type: lexical}
embeddings: {type: openai, model: e, base_url: "http://127.0.0.1:9/v1"}
rag:
  name: support
  cases: golden.jsonl
  judge: j
  rules:
    - {id: faithful, metric: faithfulness, min: 0.85}
"""


def project(folder: Path, config: str, *rows: dict[str, Any]) -> Project:
    (folder / "fairgate.yaml").write_text(config, encoding="utf-8")
    (folder / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return load(folder / "fairgate.yaml")


def row(id: str, **more: Any) -> dict[str, Any]:
    filled = {
        "user_query": f"question {id}",
        "retrieved_context": [SOURCE, "Another."],
        "generated_answer": "It is so.",
    }
    return {"sample_id": id, **filled, "expected_ground_truth": "so", **more}


def run(at: Project, judges: dict[str, TableJudge], embedder: Directions | None = None, system: Any = None) -> RagRun:
    (suite,) = at.config.rag
    systems = {} if system is None else {"bot": system}
    return judge_rag(suite, at, ("rag", 0), 0.95, systems, judges, embedder, World(environ={}), Nobody())


def listing(**claims: int) -> dict[tuple[str, str], Any]:
    return {(id, "list_claims"): {"claims": [f"claim {at}" for at in range(size)]} for id, size in claims.items()}


def tasks(judge: TableJudge) -> list[str]:
    return [question.id for question in judge.asked]


def test_rounds_ask_what_the_answers_before_allow(tmp_path: Path) -> None:
    judge = TableJudge(listing(s1=2, s2=0, s3=1) | {("s1", "check_claims"): "+-"})
    done = run(
        project(tmp_path, CONFIG, row("s1"), row("s2"), row("s3"), row("s4", generated_answer=" ")), {"j": judge}
    )
    assert sorted(tasks(judge)) == [
        "s1|check_claims|j", "s1|list_claims|j", "s2|list_claims|j", "s3|check_claims|j", "s3|list_claims|j",
    ]  # fmt: skip
    (first,) = [one.fields for one in judge.asked if one.id == "s1|check_claims|j"]
    assert first == {"task": "check_claims", "claims": ["claim 0", "claim 1"], "contexts": [SOURCE, "Another."]}
    result = done.result
    assert (result.verdict, result.kind, result.assumption) == (Verdict.FAIL, "rag", None)
    assert [case.scores["faithfulness"].reason for case in result.cases or []] == [
        None, "no_claims", "timeout", "empty_answer",
    ]  # fmt: skip
    counts = result.counts
    assert (counts.cases, counts.expected, counts.observed, counts.missing) == (4, 4, 1, 1)
    assert (counts.missing_reasons, counts.details) == ({"timeout": 1}, ["no answer within 60 s"])
    claims = (result.cases or [])[0].scores["faithfulness"].claims or []
    assert [(one.supported, one.quote_found, one.votes) for one in claims] == [
        (True, True, {"j": True}), (False, False, {"j": False}),
    ]  # fmt: skip


def test_evidence_has_a_line_for_every_judgement_that_was_expected(tmp_path: Path) -> None:
    judge = TableJudge(listing(s1=1, s2=0) | {("s1", "check_claims"): "+"})
    done = run(project(tmp_path, CONFIG, row("s1"), row("s2")), {"j": judge})
    assert [(line["id"], line["reason"]) for line in done.evidence] == [
        ("s1|list_claims|j", None), ("s1|check_claims|j", None), ("s2|list_claims|j", None),
        ("s2|check_claims|j", "not_asked"),
    ]  # fmt: skip
    assert all(line["metrics"] == ["faithfulness"] for line in done.evidence)
    assert len(done.answers) == 3


PANEL = CONFIG.replace("  judge: j\n", "  judge: j\n  panel: [j, a, b]\n")


def test_the_panel_is_asked_of_what_is_borderline_and_nobody_twice(tmp_path: Path) -> None:
    drawn = listing(s1=7, s2=1) | {("s1", "check_claims"): "++++++-", ("s2", "check_claims"): "+"}
    judges = {
        "j": TableJudge(drawn),
        "a": TableJudge({("s1", "check_claims"): "+++++++"}, model="m2"),
        "b": TableJudge({("s1", "check_claims"): "+++++--"}, model="m3"),
    }
    result = run(project(tmp_path, PANEL, row("s1"), row("s2")), judges).result
    assert (tasks(judges["a"]), tasks(judges["b"])) == (["s1|check_claims|a"], ["s1|check_claims|b"])
    assert tasks(judges["j"]).count("s1|check_claims|j") == 1
    assert judges["a"].asked[0].fields["claims"] == [f"claim {at}" for at in range(7)]
    score = (result.cases or [])[0].scores["faithfulness"]
    assert (score.arbitrated, score.majority, score.score) == (True, {"pass": 2, "fail": 1, "missing": 0}, 6 / 7)
    assert [one.name for one in score.judges] == ["j", "a", "b"]
    claims = score.claims or []
    assert (claims[5].supported, claims[6].supported) == (True, False)
    assert claims[6].votes == {"j": False, "a": True, "b": False}
    assert [(info.name, info.role, info.reported) for info in result.judges or []] == [
        ("j", "judge", ["m"]), ("j", "panel", ["m"]), ("a", "panel", ["m2"]), ("b", "panel", ["m3"]),
    ]  # fmt: skip
    assert result.verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("third", "verdict", "reason"),
    [("+++++--", Verdict.FAIL, None), ("!", Verdict.MANUAL_REVIEW, "panel_split"), ("+++++++", Verdict.PASS, None)],
)
def test_a_third_judge_that_is_down(tmp_path: Path, third: str, verdict: Verdict, reason: str | None) -> None:
    drawn = listing(s1=7) | {("s1", "check_claims"): "++++++-"}
    judges = {
        "j": TableJudge(drawn),
        "a": TableJudge({("s1", "check_claims"): "+++++--"}),
        "b": TableJudge({("s1", "check_claims"): third}),
    }
    result = run(project(tmp_path, PANEL, row("s1")), judges).result
    assert (result.verdict, (result.cases or [])[0].scores["faithfulness"].reason) == (verdict, reason)


RELEVANT = CONFIG.replace("metric: faithfulness, min: 0.85", "metric: answer_relevance, min: 0.7")
AWAY = {"question s1": (1.0, 0.0), "question s2": (0.0, 1.0), "on": (0.8, 0.6), "off": (0.0, 1.0)}


def asked_back(**words: str) -> dict[tuple[str, str], Any]:
    return {(id, "ask_back"): {"questions": [word] * 3} for id, word in words.items()}


def test_relevance_is_measured_against_the_floor_of_the_suite(tmp_path: Path) -> None:
    at = project(tmp_path, RELEVANT, row("s1"), row("s2", user_query="on"))
    judge = TableJudge(listing(s1=1, s2=1) | asked_back(s1="on", s2="on"))
    (rule,) = run(at, {"j": judge}, Directions(AWAY)).result.rules
    assert (rule.verdict, rule.reasons) == (Verdict.INSUFFICIENT_EVIDENCE, ["limit_below_floor"])  # .7 < .8
    assert "Unrelated questions of this suite score up to .80" in rule.message
    at = project(tmp_path, RELEVANT, row("s1"), row("s2"))
    judge = TableJudge(listing(s1=1, s2=1) | asked_back(s1="on", s2="off"))
    result = run(at, {"j": judge}, Directions(AWAY)).result
    assert result.verdict is Verdict.PASS
    assert (result.cases or [])[0].scores["answer_relevance"].score == pytest.approx(0.8)
    assert (result.cases or [])[0].scores["answer_relevance"].questions == ["on"] * 3
    (alone,) = run(project(tmp_path, RELEVANT, row("s1")), {"j": judge}, Directions(AWAY)).result.rules
    assert alone.reasons == ["floor_not_measured"]


def test_an_embedder_that_loses_a_text_costs_that_case_only(tmp_path: Path) -> None:
    at = project(tmp_path, RELEVANT, row("s1"), row("s2"), row("s3"))
    words = asked_back(s1="on", s2="lost", s3="on") | {("s3", "ask_back"): {"questions": ["on", "on"]}}
    judge = TableJudge(listing(s1=1, s2=1, s3=1) | words)
    done = run(at, {"j": judge}, Directions(AWAY, lost=["lost"]))
    found = [case.scores["answer_relevance"] for case in done.result.cases or []]
    assert [one.reason for one in found] == [None, "unreachable", "too_few_questions"]
    (line,) = [line for line in done.evidence if line["id"] == "s2|ask_back|j"]
    assert (line["cosines"], line["reason"]) == (None, "unreachable")


class Bot:
    """A system that answers from a table, and names its contexts."""

    concurrency, retries = 2, 0

    def __init__(self, answers: dict[str, Reply | None]) -> None:
        self.answers = answers
        self.asked: list[Question] = []

    def send(self, question: Question) -> Reply:
        self.asked.append(question)
        found = self.answers[question.fields["sample_id"]]
        if found is None:
            raise CallFailed("timeout", "too slow")
        return found

    def request(self, question: Question) -> Any:
        return dict(question.fields)

    def describe(self) -> dict[str, Any]:
        return {"type": "python"}

    def files(self) -> list[Path]:
        return []

    def close(self) -> None:
        """Nothing."""


def test_a_system_gives_answers_and_contexts(tmp_path: Path) -> None:
    at = project(tmp_path, CONFIG.replace("  judge: j\n", "  judge: j\n  system: bot\n"), *map(row, ("s1", "s2", "s3")))
    bot = Bot({"s1": Reply("It is.", contexts=(SOURCE,)), "s2": None, "s3": Reply("It is.", contexts=())})
    judge = TableJudge(listing(s1=1, s3=1) | {("s1", "check_claims"): "+"})
    done = run(at, {"j": judge}, system=bot)
    scores = [case.scores["faithfulness"] for case in done.result.cases or []]
    assert [(one.score, one.reason) for one in scores] == [(1.0, None), (None, "timeout"), (None, NO_CONTEXTS.reason)]
    assert not {"expected_ground_truth", "generated_answer"} & set(bot.asked[0].fields)
    first = done.evidence[0]
    assert (first["id"].partition("#")[0], first["answer"], first["contexts"]) == ("s1", "It is.", [SOURCE])


def test_a_judge_of_words_alone_never_reads_pass(tmp_path: Path) -> None:
    config = CONFIG.replace("  judge: j\n", "  judge: words\n")
    kept = row("s1", generated_answer="The shop opens at nine.", retrieved_context=["The shop opens at nine."])
    at = project(tmp_path, config, kept)
    done = gate.run(at, World(environ={}))
    (suite,) = done.report.suites
    assert (suite.verdict, suite.rules[0].underlying) == (Verdict.MANUAL_REVIEW, Verdict.PASS)
    assert suite.rules[0].reasons == ["within_limit", "unvalidated_judge"]
    assert done.report.evidence.calls == 0
    assert [info.embedded for info in suite.judges or []] == [True]
    at = project(tmp_path, config, kept | {"generated_answer": "The shop opens at ten."})
    assert gate.run(at, World(environ={})).report.verdict is Verdict.FAIL


# --- before anything is asked ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "severity", "message"),
    [
        ("min: 0.85}", "min: 0.85, require: pass_rate, pass_rate: 0.9}", "error", "On 2 cases a pass rate of 90 %"),
        ("metric: faithfulness", "metric: answer_relevance", "remark", "measured in the run"),
        ("judge: j", "judge: words", "remark", "MANUAL_REVIEW at best"),
        ("judge: j\n", "judge: j\n  system: chat\n", "error", "gives no contexts and the cases carry none"),
    ],
)
def test_validate(tmp_path: Path, old: str, new: str, severity: str, message: str) -> None:
    chat = "systems:\n  chat: {type: http, url: 'http://127.0.0.1:9', answer: a}\n "
    config = CONFIG.replace(old, new, 1).replace("systems: {", f"{chat} ").replace('answer"}}', 'answer"}')
    bare = [{"sample_id": id, "user_query": "?", "expected_ground_truth": "x"} for id in ("s1", "s2")]
    at = project(tmp_path, config, *(bare if "system" in new else (row("s1"), row("s2"))))
    found = check_rag(at.config.rag[0], at, ("rag", 0), 0.95, None)
    assert any(one.severity == severity and message in one.message for one in found), found


def test_validate_measures_the_floor_where_that_takes_no_call(tmp_path: Path) -> None:
    at = project(tmp_path, RELEVANT, row("s1"), row("s2", user_query="on"))
    found = check_rag(at.config.rag[0], at, ("rag", 0), 0.95, Directions(AWAY))
    errors = [one.message for one in found if one.severity == "error"]
    assert errors == [
        "rule faithful: unrelated questions of this suite score up to .80 with these embeddings; a limit of .70 would "
        "pass an answer off the question"
    ]
    words = project(tmp_path, RELEVANT.replace("judge: j", "judge: words"), row("s1"))
    assert any(
        "cannot ask questions back" in one.message
        for one in check_rag(words.config.rag[0], words, ("rag", 0), 0.95, None)
    )


def test_plan_counts_calls(tmp_path: Path) -> None:
    rules = "".join(
        f"    - {{id: {metric}, metric: {metric}, min: 0.8}}\n" for metric in ("context_precision", "answer_relevance")
    )
    rows = [row("s1"), row("s2"), row("s3", generated_answer=""), row("s4", expected="abstain")]
    at = project(tmp_path, PANEL + rules, *rows)
    assert [(one.kind, one.name, one.least, one.most) for one in gate.plan(at)] == [
        ("judge", "j", 3 + 2 + 3 + 2, 3 + 3 + 3 + 3), ("panel", "a", 0, 9), ("panel", "b", 0, 9),
        ("embeddings", "e", 1, 1),
    ]  # fmt: skip
    words = project(tmp_path, CONFIG.replace("judge: j", "judge: words"), row("s1"))
    assert gate.plan(words) == []
