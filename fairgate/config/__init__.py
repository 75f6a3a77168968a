"""The configuration: ``fairgate.yaml`` as typed values, read so that an error names file, line and remedy."""
