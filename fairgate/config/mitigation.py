"""Fields and what is said about them, as they are written: what is masked, what a decision needs."""

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema
from pydantic_core.core_schema import no_info_before_validator_function

from fairgate.config.outcome import Outcome
from fairgate.config.section import Problem, Section
from fairgate.config.suite import Many
from fairgate.config.values import Filled, Name, Plain, refused, shown

MASKED = "[masked]"
"""What stands in a masked field unless the file says otherwise: the same for everybody."""


class EachField:
    """Mark of a mapping of fields to texts for which the names of the fields may stand alone.

    :param text: what is taken to be said of a field that stands alone
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Make a mapping of names before it is validated."""
        return no_info_before_validator_function(self._mapping, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """A name, a list of names, or the mapping."""
        names = {"type": "array", "items": {"type": "string"}, "minItems": 1}
        return {"anyOf": [{"type": "string"}, names, handler(schema)]}

    def _mapping(self, value: Any) -> Any:
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, list):
            return value
        for name in names:
            if not isinstance(name, str):
                raise refused(
                    f"found {shown(name)} in a list, expected names of fields, or one mapping of them to texts"
                )
        return dict.fromkeys(names, self._text)


Mask = Annotated[dict[Name, Plain], Field(min_length=1), EachField(MASKED)]
Needed = Annotated[dict[Name, Plain], Field(min_length=1), EachField("")]


AS_IT_IS = "as it is"
"""What the suite itself is called beside its mitigations."""

MASKED_ARM = "masked"
"""What ``mask`` of a suite is called among its mitigations."""


class Mitigation(Section):
    """Something to try beside the suite as it is: another system, fields masked, or both. Never a rule."""

    name: Filled
    system: Name | None = None
    mask: Mask | None = None
    outcome: Outcome | None = None
    profiles: Annotated[list[Name], Field(min_length=1), Many] | None = None

    def problems(self) -> Iterator[Problem]:
        """Something that is tried."""
        if self.system is None and self.mask is None:
            yield (), f"mitigation {self.name}: found neither system nor mask, expected one of them or both"

    def applies(self, profile: str | None) -> bool:
        """Whether it is tried in a run with this profile; None is a run without any."""
        return self.profiles is None or profile in self.profiles
