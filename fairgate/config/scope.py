"""What a run is about: a profile put over a configuration. Pure: a configuration in, a configuration out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fairgate.config.model import Config, FairnessSuite, HarnessSuite, RagSuite, SwapSuite
from fairgate.config.profile import Profile
from fairgate.config.section import Where
from fairgate.config.triad import without_panel

Suite = SwapSuite | FairnessSuite | RagSuite
Kept = Mapping[Where, tuple[int, ...]]
"""A list of the configuration in force, by its place, and for each of its entries the position in the file."""

BUDGETS = ("max_calls", "max_cost_usd", "max_seconds")
"""Keys of a profile that stand for the same keys of the file."""


@dataclass(frozen=True)
class Scope:
    """Which part of the file a run is about; the default: all of it.

    :param profile: its name; None for a run without any
    :param tags: only cases with one of these are asked; empty for all
    :param left_out: suite to the ids of its rules that are not judged; all of them: the suite is not judged
    :param suites_left_out: suites that are not judged
    :param kept: where what is left stands in the file
    """

    profile: str | None = None
    tags: tuple[str, ...] = ()
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    suites_left_out: tuple[str, ...] = ()
    kept: Kept = field(default_factory=dict)

    def origin(self, where: Where) -> Where:
        """The place in the file of a place in the configuration in force."""
        return tuple(_position(step, self.kept.get(where[:depth])) for depth, step in enumerate(where))


def _position(step: str | int, positions: Sequence[int] | None) -> str | int:
    return positions[step] if positions is not None and isinstance(step, int) and step < len(positions) else step


def in_force(config: Config, name: str | None) -> tuple[Config, Scope]:
    """The configuration under a profile, and what of the file that is.

    A rule with ``profiles`` is judged in those alone, so never without a profile; a suite with no rule left is not
    judged. The other profiles are left out, so that a change in them changes no fingerprint but their own.

    :param name: a name under ``profiles``, or None
    """
    profile = config.profiles[name] if name is not None else None
    kept: dict[Where, tuple[int, ...]] = {}
    left_out: dict[str, tuple[str, ...]] = {}
    gone: list[str] = []
    changes: dict[str, Any] = {}
    for kind in ("swap", "fairness", "rag"):
        suites: list[Suite] = []
        positions: list[int] = []
        for position, suite in enumerate(getattr(config, kind)):
            rules = _rules(suite, profile, name)
            if without := [rule.id for at, rule in enumerate(suite.written_rules) if at not in rules]:
                left_out[suite.name] = tuple(without)
            if rules:
                kept[kind, len(suites), "rules"] = tuple(rules)
                left: dict[str, Any] = {"written_rules": [suite.written_rules[at] for at in rules]}
                if isinstance(suite, HarnessSuite):
                    tried = [at for at, one in enumerate(suite.mitigations) if one.applies(name)]
                    kept[kind, len(suites), "mitigations"] = tuple(tried)
                    left["mitigations"] = [suite.mitigations[at] for at in tried]
                suites.append(_under(profile, suite.model_copy(update=left)))
                positions.append(position)
            else:
                gone.append(suite.name)
        kept[kind,] = tuple(positions)
        changes[kind] = suites
    changes["profiles"] = {name: profile} if profile is not None else {}
    changes |= {key: value for key in BUDGETS if (value := getattr(profile, key, None)) is not None}
    tags = tuple(profile.tags or ()) if profile is not None else ()
    return config.model_copy(update=changes), Scope(name, tags, left_out, tuple(gone), kept)


def _rules(suite: Suite, profile: Profile | None, name: str | None) -> list[int]:
    """Positions of the rules that are judged."""
    if profile is not None and profile.suites is not None and suite.name not in profile.suites:
        return []
    return [position for position, rule in enumerate(suite.written_rules) if rule.applies(name)]


def _under(profile: Profile | None, suite: Any) -> Any:
    """The suite with the profile's judge and panel in place of its own."""
    if profile is None or not isinstance(suite, RagSuite):
        return suite
    changes: dict[str, Any] = {"judge": profile.judge} if profile.judge is not None else {}
    if profile.panel is not None:
        changes["panel"] = profile.panel or None
    if profile.panel_always and (profile.panel or suite.panel):
        changes["arbitrate"] = "always"
    return suite.model_copy(update=changes)


def misfit(config: Config, scope: Scope) -> tuple[Where, str] | None:
    """Why a profile cannot be run: nothing would be judged, or somebody asked for is not there. Place and sentence.

    :param config: in force
    """
    place: Where = ("profiles", scope.profile) if scope.profile is not None else ()
    if scope.suites_left_out and not list(config.placed):
        return place, _nothing_judged(scope)
    for where, suite in config.placed:
        if isinstance(suite, RagSuite) and suite.panel is None and suite.arbitrate != "band":
            told = f"suite {suite.name}, arbitrate: {suite.arbitrate}: {without_panel(suite.arbitrate)}"
            return ((*place, "panel"), told) if scope.profile is not None else ((*where, "arbitrate"), told)
    profile = config.profiles.get(scope.profile or "")
    if profile is not None and profile.panel_always and not any(suite.panel for suite in config.rag):
        return (*place, "panel_always"), "no suite of this profile has a panel; add panel, here or to a rag suite"
    return None


def _nothing_judged(scope: Scope) -> str:
    if scope.profile is None:
        return "every rule is limited to profiles, so a run without one judges nothing; name one with --profile"
    gone = ", ".join(scope.suites_left_out)
    return (
        f"no rule applies under this profile, so nothing would be judged (left out: {gone}); name the profile in the "
        "profiles of a rule, or widen its suites"
    )
