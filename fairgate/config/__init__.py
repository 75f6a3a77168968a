"""The configuration: ``fairgate.yaml`` as typed values, read so that an error names file, line and remedy."""

from fairgate.config.project import Project, load, with_policy
from fairgate.config.schema import json_schema

__all__ = ["Project", "json_schema", "load", "with_policy"]
