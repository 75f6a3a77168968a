"""fairgate: one step in a workflow that stops a change when an AI system starts to treat people differently."""

__version__ = "0.1.0"
