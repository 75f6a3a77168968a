"""The report in its forms: Markdown and terminal. Knows nothing but the report."""
