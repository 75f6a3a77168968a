"""The part ``profiles`` of the configuration: which part of the file a run is about, who judges, what it may take."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Annotated

from pydantic import Field

from fairgate.config import checks
from fairgate.config.rule import Rule
from fairgate.config.section import Problem, Section, Where
from fairgate.config.triad import panel_problems
from fairgate.config.values import Flag, Name, Number, OneOrMany, Whole

Names = Annotated[list[Name], Field(min_length=1), OneOrMany()]


class Profile(Section):
    """What a run with ``--profile`` does otherwise than the file says; a key that is absent changes nothing."""

    tags: Names | None = None
    suites: Names | None = None
    judge: Name | None = None
    panel: list[Name] | None = None
    panel_always: Flag = False
    max_calls: Whole | None = Field(default=None, ge=1)
    max_cost_usd: Number | None = Field(default=None, gt=0)
    max_seconds: Number | None = Field(default=None, gt=0)

    def problems(self) -> Iterator[Problem]:
        """Nothing named twice, a panel that can have a majority, or none."""
        for key in ("tags", "suites"):
            for i, name in checks.repeated(getattr(self, key) or []):
                yield (key, i), f"found {name} twice; remove one"
        if self.panel:
            yield from panel_problems(self.panel)
        elif self.panel is not None and self.panel_always:
            yield (
                ("panel_always",),
                "panel: [] takes the panel away, so it cannot always be asked; remove one of the two",
            )


def profile_problems(profiles: Mapping[str, Profile], suites: Collection[str]) -> Iterator[Problem]:
    """Suites that a profile names and that do not exist."""
    for name, profile in profiles.items():
        for i, suite in enumerate(profile.suites or []):
            if suite not in suites:
                found = checks.unknown(suite, suites, "a suite of this file")
                yield ("profiles", name, "suites", i), found


def rule_problems(rules: Sequence[tuple[Where, Rule]], profiles: Collection[str]) -> Iterator[Problem]:
    """Profiles that a rule names and that do not exist: the rule would never be judged.

    :param rules: each with its place in the file
    """
    for where, rule in rules:
        for i, name in enumerate(rule.profiles or []):
            if name not in profiles:
                found = checks.unknown(name, profiles, "a name under profiles")
                yield (*where, "profiles", i), f"rule {rule.id}: {found}"
