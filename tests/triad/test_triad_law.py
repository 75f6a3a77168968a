"""The law over a rag suite: hide any replies of a finished run, ask nobody anew, and no verdict improves.

What was put to the panel stays what was put to the panel.
"""

import json
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from triad_desk import SOURCE, Directions, TableJudge, rag_suite, sample

from fairgate.models.protocol import Missing, Reply
from fairgate.models.watch import Nobody
from fairgate.triad.evidence import Evidence
from fairgate.triad.suite import Asking, judge
from fairgate.verdict import Verdict
from fairgate.world import World

DECIDED = Verdict.PASS, Verdict.FAIL
HIDDEN = Missing("hidden", "taken away")
SIGN = st.sampled_from("+++++-?x")
RULES = (
    {"id": "all", "metric": "faithfulness"},
    {"id": "share", "metric": "faithfulness", "require": "pass_rate", "pass_rate": 0.5, "min": 0.5},
    {"id": "mean", "metric": "faithfulness", "require": "mean", "min": 0.5},
    {"id": "order", "metric": "context_precision", "min": 0.8},
    {"id": "order-mean", "metric": "context_precision", "require": "mean", "min": 0.5},
    {"id": "topic", "metric": "answer_relevance", "min": 0.8},
)
DIRECTIONS = {"near": (0.96, 0.28), "border": (0.8, 0.6), "far": (0.28, 0.96)}


def drawn_judge(data: st.DataObject, ids: list[str], claims: dict[str, int]) -> TableJudge:
    table: dict[tuple[str, str], Any] = {}
    for id in ids:
        table[id, "list_claims"] = {"claims": [f"claim {at}" for at in range(claims[id])]}
        table[id, "check_claims"] = "".join(data.draw(SIGN) for _ in range(claims[id])) or "!"
        table[id, "judge_contexts"] = data.draw(st.text("++-?", min_size=3, max_size=3))
        word = data.draw(st.sampled_from(list(DIRECTIONS)))
        table[id, "ask_back"] = data.draw(st.sampled_from([None, {"questions": [word] * 3}, {"questions": [word] * 3}]))
    return TableJudge(table)


def finished(data: st.DataObject) -> tuple[Evidence, dict[str, TableJudge]]:
    """A run as it would be, its judges in any disagreement."""
    count = data.draw(st.sampled_from([1, 2, 6, 12]))
    drawings = [data.draw(st.sampled_from(["+", "+", "+", "_"])) for _ in range(count)]
    samples = [
        sample(f"c{at}", drawing, contexts=3, abstain=data.draw(st.integers(0, 5)) == 0)
        for at, drawing in enumerate(drawings)
    ]
    ids = [one.id for one in samples]
    claims = {id: data.draw(st.sampled_from([0, 1, 3, 7, 7])) for id in ids}
    panel = data.draw(st.sampled_from([None, ["a", "b", "c"], ["j", "a", "b"]]))
    arbitrate = data.draw(st.sampled_from(["band", "pivotal"])) if panel else "band"
    coverage = data.draw(st.sampled_from([0.0, 0.5, 0.9]))
    suite = rag_suite(*RULES, panel=panel, arbitrate=arbitrate, min_coverage=coverage)
    judges = {name: drawn_judge(data, ids, claims) for name in suite.judge_names}
    floor = Directions({f"question {id}": (1.0, 0.0) for id in ids} | DIRECTIONS)
    asked = Asking(judges, floor, World(environ={}), Nobody()).judged(Evidence(suite, samples))
    return replace(asked, floor=data.draw(st.sampled_from([None, 0.3, 0.9]))), judges


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example])
@given(data=st.data())
def test_hiding_replies_never_improves_a_verdict(data: st.DataObject) -> None:
    whole, judges = finished(data)
    keys = list(whole.replies)
    pairs = list(whole.cosines)
    hidden = data.draw(st.sets(st.sampled_from(keys))) if keys else set()
    lost = data.draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    part = replace(
        whole,
        replies={key: HIDDEN if key in hidden else reply for key, reply in whole.replies.items()},
        cosines={pair: HIDDEN if pair in lost else cosines for pair, cosines in whole.cosines.items()},
    )
    before, after = judge(whole, 0.95, judges), judge(part, 0.95, judges)
    for old, new in zip(before.rules, after.rules, strict=True):
        assert new.verdict not in DECIDED or new.verdict is old.verdict, (old, new)
    for was, now in zip(before.cases or [], after.cases or [], strict=True):
        for metric, found in now.scores.items():
            assert found.verdict not in DECIDED or found.verdict is was.scores[metric].verdict


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_hidden_answers_of_a_system_never_improve_a_verdict(data: st.DataObject) -> None:
    whole, judges = finished(data)
    suite = whole.suite.model_copy(update={"system": "bot"})
    texts = {one.id: one.answer or "" for one in whole.samples}
    answers = {
        id: Reply(text, contexts=(SOURCE,) * 3) if text else Missing("empty_answer", "it is empty")
        for id, text in texts.items()
    }
    whole = replace(whole, suite=suite, answers=answers)
    hidden = data.draw(st.sets(st.sampled_from(list(answers))))
    part = replace(whole, answers={id: HIDDEN if id in hidden else answer for id, answer in answers.items()})
    for old, new in zip(judge(whole, 0.95, judges).rules, judge(part, 0.95, judges).rules, strict=True):
        assert new.verdict not in DECIDED or new.verdict is old.verdict, (old, new)


def test_one_reply_without_claims_that_is_lost_does_not_lift_coverage() -> None:
    """With the case that may be idle counted as covered, hiding it would turn undecided into PASS."""
    suite = rag_suite({"require": "pass_rate", "pass_rate": 0.9})
    ids = [f"c{at}" for at in range(100)]
    table = {(id, "list_claims"): {"claims": ["one"] if at >= 11 else []} for at, id in enumerate(ids)}
    table |= {(id, "check_claims"): {"verdicts": [{"id": 1, "supported": True, "quote": SOURCE}]} for id in ids}
    judges = {"j": TableJudge(table)}
    asking = Asking(judges, None, World(environ={}), Nobody())
    whole = asking.judged(Evidence(suite, [sample(id) for id in ids]))
    assert judge(whole, 0.95, judges).rules[0].reasons == ["coverage_too_low"]
    idle = next(key for key in whole.replies if key.case == "c0")
    part = replace(whole, replies={**whole.replies, idle: HIDDEN})
    assert judge(part, 0.95, judges).rules[0].verdict is Verdict.INSUFFICIENT_EVIDENCE
    assert json.loads(judge(part, 0.95, judges).model_dump_json())["counts"]["missing"] == 1
