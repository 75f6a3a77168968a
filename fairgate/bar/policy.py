"""For every key of the configuration: in which direction a difference lowers the bar.

A key that is not in the table is compared all the same: any difference is shown to a person. So a key that somebody
forgets here costs a review too many, never a silent change; a test holds the table against the model.
"""

from enum import Enum
from inspect import get_annotations

from fairgate.config.section import Section


class Policy(Enum):
    """What a difference in a key means."""

    HARMLESS = "says nothing about the bar, or is what is under test"
    RAISED = "lowers the bar when it becomes larger, or goes"
    DROPPED = "lowers the bar when it becomes smaller, or goes"
    SWITCHED_OFF = "lowers the bar when true becomes false"
    SWITCHED_ON = "lowers the bar when false becomes true"
    SHRUNK = "lowers the bar when an entry goes or changes; more entries do not"
    ORDERED = "lowers the bar when an entry goes, changes or moves; entries added at the end do not"
    NESTED = "a part of its own, compared key by key"
    APART = "compared by a function of its own"
    LOOK = "any difference is shown"


POLICIES: dict[str, Policy] = {
    # the whole file
    "Config.version": Policy.HARMLESS,
    "Config.name": Policy.HARMLESS,
    "Config.confidence": Policy.DROPPED,
    "Config.systems": Policy.APART,
    "Config.swap": Policy.APART,
    "Config.fairness": Policy.APART,
    "Config.judges": Policy.APART,
    "Config.embeddings": Policy.NESTED,
    "Config.rag": Policy.APART,
    "Config.profiles": Policy.LOOK,
    "Config.baseline": Policy.LOOK,
    "Config.on_missing_baseline": Policy.LOOK,
    "Config.reuse": Policy.SWITCHED_ON,
    "Config.max_age": Policy.RAISED,
    "Config.max_calls": Policy.HARMLESS,  # what a budget leaves unasked is missing evidence
    "Config.max_cost_usd": Policy.HARMLESS,
    "Config.max_seconds": Policy.HARMLESS,
    "Config.cache": Policy.NESTED,
    "CacheConfig.max_age": Policy.RAISED,
    # a rule's name is what it is found by; who decided a limit and why may be said better at any time
    "Rule.id": Policy.HARMLESS,
    "Rule.decided_by": Policy.HARMLESS,
    "Rule.why": Policy.HARMLESS,
    "Rule.requires_manual_review": Policy.SWITCHED_OFF,
    "Rule.profiles": Policy.LOOK,
    "FairnessComparison.no_new_failures": Policy.SWITCHED_OFF,
    "SwapComparison.no_new_flips": Policy.SWITCHED_OFF,
    "SwapComparison.no_new_failures": Policy.SWITCHED_OFF,
    "SwapComparison.max_regression": Policy.RAISED,
    "SwapComparison.rate": Policy.LOOK,
    "SwapComparison.attribute": Policy.LOOK,
    "TriadComparison.no_new_failures": Policy.SWITCHED_OFF,
    "TriadComparison.max_regression": Policy.RAISED,
    "TriadComparison.metric": Policy.LOOK,
    "SwapRule.max_flip_rate": Policy.RAISED,
    "SwapRule.max_excess_flip_rate": Policy.RAISED,
    "SwapRule.max_group_gap": Policy.RAISED,
    "SwapRule.max_refusal_gap": Policy.RAISED,
    "SwapRule.rate": Policy.LOOK,
    "SwapRule.attribute": Policy.LOOK,
    "SwapRule.worst_group": Policy.NESTED,
    "WorstGroup.min": Policy.DROPPED,
    "WorstGroup.max": Policy.RAISED,
    "FairnessRule.rate": Policy.LOOK,
    "FairnessRule.attribute": Policy.LOOK,
    "FairnessRule.max_group_gap": Policy.RAISED,
    "FairnessRule.min_ratio": Policy.DROPPED,
    "FairnessRule.worst_group": Policy.NESTED,
    "FairnessRule.max_left_out": Policy.LOOK,
    "TriadRule.metric": Policy.LOOK,
    "TriadRule.min": Policy.DROPPED,
    "TriadRule.require": Policy.LOOK,
    "TriadRule.pass_rate": Policy.DROPPED,
    # suites; what their files hold is compared case by case
    "Reviewed.high_stakes": Policy.SWITCHED_OFF,
    "Reviewed.human_signoff": Policy.SWITCHED_OFF,
    "HarnessSuite.name": Policy.HARMLESS,
    "HarnessSuite.system": Policy.LOOK,
    "HarnessSuite.cases": Policy.APART,
    "HarnessSuite.axes": Policy.ORDERED,
    "HarnessSuite.design": Policy.LOOK,
    "HarnessSuite.outcome": Policy.NESTED,
    "HarnessSuite.must_respond_to": Policy.SHRUNK,
    "HarnessSuite.redact": Policy.SHRUNK,  # whose names a change would publish is for a person to see
    "HarnessSuite.control": Policy.DROPPED,
    "HarnessSuite.written_rules": Policy.APART,
    # what may carry an attribute and what else is tried are told beside the rules and decide nothing
    "HarnessSuite.proxies": Policy.HARMLESS,
    "HarnessSuite.needed": Policy.HARMLESS,
    "HarnessSuite.mask": Policy.HARMLESS,
    "HarnessSuite.mitigations": Policy.HARMLESS,
    **{f"Mitigation.{key}": Policy.HARMLESS for key in ("name", "system", "mask", "outcome", "profiles")},
    "Outcome.positive": Policy.LOOK,
    "Outcome.negative": Policy.LOOK,
    "Outcome.pattern": Policy.LOOK,
    "Outcome.path": Policy.LOOK,
    "Outcome.score": Policy.LOOK,
    "Outcome.refusal": Policy.LOOK,  # a new one makes outcomes of what was missing
    **{
        f"Score.{key}": Policy.LOOK
        for key in ("path", "pattern", "positive_from", "positive_up_to", "range", "decimal")
    },
    **{f"Refusal.{key}": Policy.LOOK for key in ("words", "pattern", "by_model")},
    "ColumnOutcome.column": Policy.LOOK,
    "DecisionsSuite.name": Policy.HARMLESS,
    "DecisionsSuite.decisions": Policy.APART,
    "DecisionsSuite.base": Policy.LOOK,
    "DecisionsSuite.axes": Policy.SHRUNK,
    "DecisionsSuite.outcome": Policy.NESTED,
    "DecisionsSuite.expected": Policy.NESTED,
    "DecisionsSuite.decision_maker": Policy.APART,
    "DecisionsSuite.written_rules": Policy.APART,
    "ExpectedCases.cases": Policy.DROPPED,
    "ExpectedCases.ids": Policy.LOOK,
    "FairnessSuite.name": Policy.HARMLESS,
    "FairnessSuite.cases": Policy.APART,
    "FairnessSuite.label": Policy.LOOK,
    "FairnessSuite.prediction": Policy.LOOK,
    "FairnessSuite.probability": Policy.HARMLESS,  # calibration is reported, never a rule
    "FairnessSuite.values": Policy.LOOK,
    "FairnessSuite.attributes": Policy.SHRUNK,
    "FairnessSuite.intersections": Policy.SHRUNK,
    "FairnessSuite.min_cell": Policy.DROPPED,
    "FairnessSuite.max_left_out": Policy.RAISED,
    "FairnessSuite.unit": Policy.LOOK,
    "FairnessSuite.expected": Policy.NESTED,
    "FairnessSuite.method": Policy.LOOK,
    "FairnessSuite.fail_error": Policy.LOOK,
    "FairnessSuite.strata": Policy.HARMLESS,  # a warning, never a rule
    "FairnessSuite.decision_maker": Policy.APART,
    "FairnessSuite.written_rules": Policy.APART,
    "RagSuite.name": Policy.HARMLESS,
    "RagSuite.cases": Policy.APART,
    "RagSuite.fields": Policy.LOOK,
    "RagSuite.system": Policy.LOOK,
    "RagSuite.judge": Policy.LOOK,
    "RagSuite.panel": Policy.SHRUNK,
    "RagSuite.band": Policy.DROPPED,
    "RagSuite.arbitrate": Policy.LOOK,
    "RagSuite.min_coverage": Policy.DROPPED,
    "RagSuite.allow_related_panel": Policy.SWITCHED_ON,
    "RagSuite.written_rules": Policy.APART,
    # judges: who judges is part of the bar, how often it may be asked is not
    "Limits.concurrency": Policy.HARMLESS,
    "Limits.timeout_s": Policy.HARMLESS,
    "Limits.retries": Policy.HARMLESS,
    "Limits.max_per_minute": Policy.HARMLESS,
    "Price.input": Policy.HARMLESS,
    "Price.output": Policy.HARMLESS,
    "InputPrice.input": Policy.HARMLESS,
    **{
        f"{model}.price": Policy.HARMLESS
        for model in ("OpenAIModel", "AnthropicModel", "LitellmModel", "OpenAIEmbeddings")
    },
    "ModelServer.api_key_env": Policy.HARMLESS,
    "ModelServer.api_key_header": Policy.HARMLESS,
    "ModelServer.headers": Policy.LOOK,
    "ModelServer.query": Policy.LOOK,
    "LitellmModel.api_key_env": Policy.HARMLESS,
    **{
        f"{model}.{key}": Policy.LOOK
        for model in ("OpenAIModel", "AnthropicModel", "LitellmModel", "OpenAIEmbeddings")
        for key in ("type", "model", "base_url", "family")
        if (model, key) != ("OpenAIEmbeddings", "family")
    },
    **{
        f"Profile.{key}": Policy.LOOK
        for key in (
            *("tags", "suites", "judge", "panel", "panel_always"),
            *("max_calls", "max_cost_usd", "max_seconds"),
        )
    },
    "LexicalJudge.type": Policy.LOOK,
    "LocalEmbeddings.type": Policy.LOOK,
}


def name_of(part: type[Section], key: str) -> str:
    """``Class.key`` of the class that declares the key, as the table has it: ``Rule.id``, not ``SwapRule.id``."""
    owner = next(one for one in part.__mro__ if key in get_annotations(one))
    return f"{owner.__name__}.{key}"


def policy_of(part: type[Section], key: str) -> Policy:
    """What a difference in a key of a part means; ``LOOK`` for one that the table does not know."""
    return POLICIES.get(name_of(part, key), Policy.LOOK)
