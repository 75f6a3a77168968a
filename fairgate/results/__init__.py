"""What judging yields: the result of a rule, of a suite, and the counts they rest on.

These are the words of ``report.json`` (schema ``fairgate.report/1``); ``fairgate.report`` puts a whole run together
from them and ``fairgate.render`` knows nothing else. Every rate is a float in [0, 1]; a value that does not exist is
``None``, never NaN.
"""

from fairgate.results.base import Counts, Interval, Remark, Result, Review
from fairgate.results.mitigation import Arm, ArmAxis, Beside, Carrier, Proxies, ProxyMeasure
from fairgate.results.parity import CalibrationBin, CalibrationGroup
from fairgate.results.rule import DenominatorShare, Gap, Group, GroupNeed, LeftOut, RuleResult, Settle
from fairgate.results.suite import Asked, Calls, Finding, SuiteResult
from fairgate.results.swap import (
    BaseOutcomes,
    Control,
    Difference,
    Direction,
    DirectionTest,
    FlipExample,
    Flips,
    OutcomeCell,
    Outcomes,
    Pattern,
    PositiveControl,
    RefusedDirection,
    ScoreGap,
    Selection,
    Side,
    Words,
)
from fairgate.results.triad import CaseResult, CaseScore, Claim, JudgeInfo, JudgeScore

__all__ = [
    "Arm",
    "ArmAxis",
    "Asked",
    "BaseOutcomes",
    "Beside",
    "CalibrationBin",
    "CalibrationGroup",
    "Calls",
    "Carrier",
    "CaseResult",
    "CaseScore",
    "Claim",
    "Control",
    "Counts",
    "DenominatorShare",
    "Difference",
    "Direction",
    "DirectionTest",
    "Finding",
    "FlipExample",
    "Flips",
    "Gap",
    "Group",
    "GroupNeed",
    "Interval",
    "JudgeInfo",
    "JudgeScore",
    "LeftOut",
    "OutcomeCell",
    "Outcomes",
    "Pattern",
    "PositiveControl",
    "Proxies",
    "ProxyMeasure",
    "RefusedDirection",
    "Remark",
    "Result",
    "Review",
    "RuleResult",
    "ScoreGap",
    "Selection",
    "Settle",
    "Side",
    "SuiteResult",
    "Words",
]
