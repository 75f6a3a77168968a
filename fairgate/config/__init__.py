"""The configuration: ``fairgate.yaml`` as typed values, read so that an error names file, line and remedy."""

from fairgate.config.project import Project, load, with_policy

__all__ = ["Project", "load", "with_policy"]
