"""Exact statistics. Nothing here knows of files, models or GitHub."""
