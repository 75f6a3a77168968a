"""The only layer that knows GitHub: its environment, events, comments, summaries and outputs."""
