"""Decided cases: who they are, what was decided, what would have been right, and who is absent."""

from collections import Counter
from dataclasses import dataclass
from unicodedata import normalize

import pandas as pd

from fairgate.config import Project
from fairgate.config.model import FairnessSuite
from fairgate.config.section import Where
from fairgate.golden.columns import binary, check_unique, odd_probabilities, probabilities, read_groups, texts
from fairgate.golden.expected import Absent, Needs, find_absent
from fairgate.golden.problems import Problems
from fairgate.golden.table import read_table


@dataclass(frozen=True)
class Decided:
    """The cases of a file with decisions, and those that were expected and are not in it.

    :param outcomes: one row per case: ``label`` and ``prediction`` (Int8, NA when unread or missing), ``probability``
        (float, NaN when unusable), ``present`` (False for an expected case that the file lacks)
    :param groups: one categorical per attribute, same index: first the declared groups, then undeclared spellings; a
        blank attribute is NaN
    :param declared: attribute to its declared groups, and stratum to every value found
    :param unknown: k, expected cases of which nothing but the number is known
    :param completeness_declared: whether ``expected`` says which cases have to be there
    :param odd_probabilities: spelling of what is no number in [0, 1], and how often; blanks are not counted here
    """

    outcomes: pd.DataFrame
    groups: pd.DataFrame
    declared: dict[str, tuple[str, ...]]
    unknown: int
    completeness_declared: bool
    odd_probabilities: Counter[str]


def read_decided(suite: FairnessSuite, project: Project, where: Where, needs: Needs) -> Decided:
    """Read the decided cases of a suite and hold them against what was expected.

    :param where: the suite's place in the configuration
    :raises InputError: the file cannot be read, or a value refuses it; up to five problems with their lines
    :raises ConfigError: a path leads nowhere
    """
    path = project.resolve(suite.cases, (*where, "cases"))
    table = read_table(path, needed=_columns(suite, needs), only_needed=True)
    frame = texts(table)
    problems = Problems(path)
    check_unique(table, "id", problems)
    if suite.unit is not None:
        consequence = "; cases of one person are not independent, keep one row per person"
        check_unique(table, normalize("NFC", suite.unit), problems, consequence)
    label = suite.label if needs.labels else None
    probability = probabilities(frame, suite.probability, table.delimiter)
    outcomes = pd.DataFrame(
        {
            "label": binary(table, label, "label", problems),
            "prediction": binary(table, suite.prediction, "prediction", problems),
            "probability": probability,
            "present": True,
        }
    )
    problems.check()
    absent = find_absent(table, suite, project, (*where, "expected"), needs)
    declared = suite.attributes | _strata(suite, frame)
    return Decided(
        outcomes=_with_absent(outcomes, absent),
        groups=read_groups(pd.concat([frame, absent.frame], ignore_index=True), declared),
        declared={name: tuple(groups) for name, groups in declared.items()},
        unknown=absent.unknown,
        completeness_declared=suite.expected is not None,
        odd_probabilities=odd_probabilities(frame, suite.probability, probability),
    )


def _strata(suite: FairnessSuite, frame: pd.DataFrame) -> dict[str, list[str]]:
    """The strata that are no attributes, each with every value that was found: nobody has to declare them."""
    return {
        name: sorted(set(frame[normalize("NFC", name)]) - {""}) for name in suite.strata if name not in suite.attributes
    }


def _columns(suite: FairnessSuite, needs: Needs) -> list[str]:
    label = suite.label if needs.labels else None
    optional = (label, suite.prediction, suite.probability, suite.unit)
    return list(
        dict.fromkeys(["id", *(name for name in optional if name is not None), *suite.attributes, *suite.strata])
    )


def _with_absent(outcomes: pd.DataFrame, absent: Absent) -> pd.DataFrame:
    if not len(absent.labels):
        return outcomes
    lacking = pd.DataFrame({"label": absent.labels, "prediction": pd.NA, "probability": float("nan"), "present": False})
    return pd.concat([outcomes, lacking.astype(outcomes.dtypes.to_dict())], ignore_index=True)
