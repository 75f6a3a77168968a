"""The law over a rag suite: hide any replies of a finished run, ask nobody anew, and no verdict improves.

What was put to the panel stays what was put to the panel.
"""

import json
from dataclasses import replace
from random import Random
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
RULES = (
    {"id": "all", "metric": "faithfulness"},
    {"id": "share", "metric": "faithfulness", "require": "pass_rate", "pass_rate": 0.5, "min": 0.5},
    {"id": "mean", "metric": "faithfulness", "require": "mean", "min": 0.5},
    {"id": "order", "metric": "context_precision", "min": 0.8},
    {"id": "topic", "metric": "answer_relevance", "min": 0.8},
)
DIRECTIONS = {"near": (0.96, 0.28), "border": (0.8, 0.6), "far": (0.28, 0.96)}


def drawn_judge(chance: Random, claims: dict[str, int], signs: str) -> TableJudge:
    table: dict[tuple[str, str], Any] = {}
    for id, size in claims.items():
        table[id, "list_claims"] = {"claims": [f"claim {at}" for at in range(size)]}
        table[id, "check_claims"] = "".join(chance.choices(signs, k=size)) or "!"
        table[id, "judge_contexts"] = "".join(chance.choices(signs.replace("x", "-"), k=3))
        table[id, "ask_back"] = {"questions": [chance.choice(list(DIRECTIONS))] * chance.choice([3, 3, 3, 2])}
    return TableJudge(table)


def finished(chance: Random) -> tuple[Evidence, dict[str, TableJudge]]:
    """A run as it would be, its judges in any disagreement."""
    ids = [f"c{at}" for at in range(chance.choice([1, 2, 6, 12]))]
    samples = [sample(id, chance.choice("+++++_"), contexts=3, abstain=chance.random() < 0.1) for id in ids]
    claims = {id: chance.choice([0, 1, 3, 7, 7, 7]) for id in ids}
    panel = chance.choice([None, ["a", "b", "c"], ["j", "a", "b"]])
    arbitrate = chance.choice(["band", "pivotal", "always"]) if panel else "band"
    suite = rag_suite(*RULES, panel=panel, arbitrate=arbitrate, min_coverage=chance.choice([0.0, 0.5, 0.9]))
    signs = chance.choice(["+", "+++++++++-", "+++++++-?x", "-", "+-?"])
    judges = {name: drawn_judge(chance, claims, signs) for name in suite.judge_names}
    directions = Directions({f"question {id}": (1.0, 0.0) for id in ids} | DIRECTIONS)
    asked = Asking(judges, directions, World(environ={}), Nobody()).judged(Evidence(suite, samples))
    return replace(asked, floor=chance.choice([None, 0.3, 0.3, 0.9])), judges


def without(reply: Reply | Missing, chance: Random, share: float) -> Reply | Missing:
    """A reply that is hidden, or of which single verdicts are."""
    if isinstance(reply, Missing) or chance.random() < share / 2:
        return HIDDEN
    value = json.loads(reply.text)
    if "verdicts" not in value:
        return reply
    return replace(
        reply, text=json.dumps({"verdicts": [one for one in value["verdicts"] if chance.random() >= share / 2]})
    )


@settings(max_examples=70, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32), share=st.sampled_from([0.1, 0.3, 0.7]))
def test_hiding_replies_never_improves_a_verdict(seed: int, share: float) -> None:
    chance = Random(seed)
    whole, judges = finished(chance)
    part = replace(
        whole,
        replies={key: without(reply, chance, share) for key, reply in whole.replies.items()},
        cosines={pair: HIDDEN if chance.random() < share / 2 else cosines for pair, cosines in whole.cosines.items()},
    )
    before, after = judge(whole, 0.95, judges), judge(part, 0.95, judges)
    for old, new in zip(before.rules, after.rules, strict=True):
        assert new.verdict not in DECIDED or new.verdict is old.verdict, (old, new)
    for was, now in zip(before.cases or [], after.cases or [], strict=True):
        for metric, found in now.scores.items():
            assert found.verdict not in DECIDED or found.verdict is was.scores[metric].verdict


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32), share=st.sampled_from([0.1, 0.3, 0.7]))
def test_hidden_answers_of_a_system_never_improve_a_verdict(seed: int, share: float) -> None:
    chance = Random(seed)
    whole, judges = finished(chance)
    suite = whole.suite.model_copy(update={"system": "bot"})
    texts = {one.id: one.answer or "" for one in whole.samples}
    answers = {
        id: Reply(text, contexts=(SOURCE,) * 3) if text else Missing("empty_answer", "it is empty")
        for id, text in texts.items()
    }
    whole = replace(whole, suite=suite, answers=answers)
    part = replace(whole, answers={id: HIDDEN if chance.random() < share else answer for id, answer in answers.items()})
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
