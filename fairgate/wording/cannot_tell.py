"""What a report cannot tell: the sentences every report closes with, as far as they apply to what was judged."""

from collections.abc import Iterable, Sequence

from fairgate.results import SuiteResult
from fairgate.wording import sentence

_RATES_OF_LABELS = ("error", "false_positive", "false_negative", "positive_predictive_value", "false_discovery_rate")


def cannot_tell(suites: Sequence[SuiteResult]) -> list[str]:
    """The limits of these suites' results, in plain sentences, always in the same order.

    Some always hold (whose choice the limits are, groups nobody declared, the law); the others only where a suite
    gives cause: rows without a unit, rules that read labels, calibration shown, no declared completeness, judges that
    are models or only see words. Where answers alone were judged, no groups were compared and that is said instead.
    """
    compares = not suites or any(suite.kind != "rag" for suite in suites)
    told: list[str] = [sentence("cannot_tell", topic="choice" if compares else "choice_of_limit")]
    told.append(sentence("cannot_tell", topic="groups" if compares else "no_groups", attributes=_attributes(suites)))
    for topic, named in (
        ("twice", [suite.name for suite in suites if suite.kind == "fairness" and suite.assumption is not None]),
        ("labels", [suite.name for suite in suites if any(rule.rate in _RATES_OF_LABELS for rule in suite.rules)]),
        ("calibration", [suite.name for suite in suites if suite.calibration]),
        ("criteria", [suite.name for suite in suites if suite.kind == "swap"]),
        ("judge", [suite.name for suite in suites if _judges(suite, embedded=False)]),
        ("one_judge", [suite.name for suite in suites if len(_judges(suite, embedded=False)) == 1]),
        ("lexical", [suite.name for suite in suites if _judges(suite, embedded=True)]),
        ("sources", [suite.name for suite in suites if any(rule.metric == "faithfulness" for rule in suite.rules)]),
        ("completeness", [suite.name for suite in suites if suite.counts.completeness == "not_declared"]),
    ):
        if named:
            told.append(sentence("cannot_tell", topic=topic, suites=named))
    return [*told, sentence("cannot_tell", topic="law")]


def _judges(suite: SuiteResult, *, embedded: bool) -> set[str]:
    """The judges of a rag suite that are embedded, or that are models."""
    return {judge.name for judge in suite.judges or [] if judge.embedded == embedded}


def _attributes(suites: Iterable[SuiteResult]) -> list[str]:
    """Every attribute that some result speaks about, once, in order of appearance."""
    found: dict[str, None] = {}
    for suite in suites:
        for rule in suite.rules:
            found.update(dict.fromkeys(rule.attribute or []))
        for selection in suite.selection or []:
            found.update(dict.fromkeys(selection.attribute))
        for calibrated in suite.calibration or []:
            found.update(dict.fromkeys(calibrated.attribute))
    return list(found)
