"""The JSON Schema of ``fairgate.yaml``, for editors: generated from the model, so it cannot fall behind.

It accepts what fairgate accepts: one mapping for a list of one, a number or ``null`` where a text is meant (an editor
reads ``010`` and ``null`` that way). What lies between values (that a rule's attribute is declared) it cannot say.
"""

from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from fairgate.config.model import Config


class _Generator(GenerateJsonSchema):
    """pydantic's schemas without a title for every key: the key says it already."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def json_schema() -> dict[str, Any]:
    """JSON Schema, draft 2020-12."""
    schema = Config.model_json_schema(mode="validation", schema_generator=_Generator)
    return {"$schema": _Generator.schema_dialect, **schema, "title": "fairgate.yaml"}
