"""What is really asked about one base case, variant by variant, for people to look at."""

from collections.abc import Mapping
from dataclasses import dataclass

from fairgate.config.model import HarnessSuite
from fairgate.config.project import Project
from fairgate.config.section import Where
from fairgate.models.protocol import System
from fairgate.swap.asked import request_for
from fairgate.swap.declared import shown_lines
from fairgate.swap.harness import plan
from fairgate.swap.rendered import differing, texts


@dataclass(frozen=True)
class ShownVariant:
    """One variant of the base.

    :param parts: place in the request to its lines; of the reference all, of the others those that differ from it,
        as ``[-was-]{+is+}``
    """

    group: Mapping[str, str]
    parts: Mapping[str, list[str]]


@dataclass(frozen=True)
class ShownBase:
    """One base case of a suite as its system is asked; the reference is the first of the variants."""

    suite: str
    case: str
    variants: tuple[ShownVariant, ...]


def shown_base(suite: HarnessSuite, project: Project, where: Where, system: System) -> ShownBase | None:
    """The first case that is in scope; None where no case is.

    :raises FairgateError: the golden file, or what the system would be asked, cannot be put together
    """
    case = next(iter(plan(suite, project, where)), None)
    if case is None:
        return None
    reference, *others = ((variant, request_for(system, variant)) for variant in case.grid)
    first = ShownVariant(reference[0].group, {place: text.split("\n") for place, text in texts(reference[1])})
    rest = (
        ShownVariant(
            variant.group,
            {place: shown_lines(one, other) for place, one, other in differing(reference[1], request)},
        )
        for variant, request in others
    )
    return ShownBase(suite.name, case.case.id, (first, *rest))
