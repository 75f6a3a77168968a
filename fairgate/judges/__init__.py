"""Judges: models (or the embedded lexical rule) that answer the four tasks of ``fairgate.judges.tasks``."""
