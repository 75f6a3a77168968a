"""An axis whose people come from a pack that is shipped: ``gender: {pack: vietnam/gender}``.

The people take the place of the mapping while the file is read, so that all that looks at a suite (its fingerprint, the
comparison with the base of a change) sees them and not only a name.
"""

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Discriminator, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, Tag, ValidationInfo
from pydantic_core import CoreSchema
from pydantic_core.core_schema import with_info_before_validator_function

from fairgate import packs
from fairgate.config import checks
from fairgate.config.section import Problem, Section
from fairgate.config.values import Filled, Name, OneOrMany, Whole, shown


def _fields_kind(value: Any) -> str:
    return "<renamed>" if isinstance(value, dict) else "<named>"


_Fields = Annotated[
    Annotated[dict[Name, Name], Field(min_length=1), Tag("<renamed>")]
    | Annotated[list[Name], Field(min_length=1), OneOrMany(), Tag("<named>")],
    Discriminator(_fields_kind),
]


class PackAxis(Section):
    """What is taken of a pack.

    :param fields: which of its fields: a list, or a mapping to the names that the cases have for them; None for all
    :param levels: which of its levels, in this order; None for all
    :param people: so many people of each level, the first ones; None for all
    """

    pack: Filled
    fields: _Fields | None = None
    levels: Annotated[list[Name], Field(min_length=2)] | None = None
    people: Whole | None = Field(default=None, ge=1)

    def problems(self) -> Iterator[Problem]:
        """The pack exists and has what is asked of it; no two of its fields become one."""
        if self.pack not in packs.names():
            yield ("pack",), checks.unknown(self.pack, packs.names(), "a pack that is shipped")
            return
        pack = packs.load(self.pack)
        for where, name in self._named_fields():
            if name not in pack.fields:
                yield ("fields", where), checks.unknown(name, pack.fields, f"a field of the pack {pack.name}")
        taken = list(self.taken.values())
        for position, name in checks.repeated(taken):
            yield (
                ("fields", list(self.taken)[position]),
                f"the field {shown(name)} is taken already; give it another name",
            )
        for position, level in enumerate(self.levels or ()):
            if level not in pack.levels:
                yield ("levels", position), checks.unknown(level, pack.levels, f"a level of the pack {pack.name}")
        for position, level in checks.repeated(self.levels or ()):
            yield ("levels", position), f"the level {shown(level)} is named twice; remove one"
        there = len(next(iter(pack.levels.values())))
        if self.people is not None and self.people > there:
            yield ("people",), f"found {self.people}, expected at most {there}: the pack {pack.name} has no more"

    @property
    def taken(self) -> dict[str, str]:
        """Field of the pack to the field of the case."""
        if isinstance(self.fields, dict):
            return self.fields
        return {name: name for name in self.fields or packs.load(self.pack).fields}

    @property
    def expanded(self) -> dict[str, list[dict[str, str]]]:
        """Level to people, as a suite writes them itself."""
        pack = packs.load(self.pack)
        return {
            level: [
                {name: person[field] for field, name in self.taken.items()}
                for person in pack.levels[level][: self.people]
            ]
            for level in self.levels or pack.levels
        }

    def _named_fields(self) -> Iterator[tuple[str | int, str]]:
        if isinstance(self.fields, dict):
            yield from ((name, name) for name in self.fields)
        else:
            yield from enumerate(self.fields or ())


def names_pack(value: Any) -> bool:
    """Whether an axis names a pack: a level called ``pack`` would hold people and no text."""
    return isinstance(value, dict) and isinstance(value.get("pack"), str)


def _expand(value: Any, info: ValidationInfo) -> Any:
    return PackAxis.model_validate(value, context=info.context).expanded if names_pack(value) else value


class FromPack:
    """Mark of an axis that may come from a pack."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Put the people in the place of the pack before the axis is validated."""
        return with_info_before_validator_function(_expand, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The levels, or a pack."""
        return {"anyOf": [handler(PackAxis.__pydantic_core_schema__), handler(schema)]}
