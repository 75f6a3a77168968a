"""A run beside an earlier one: what became better, what became worse. Pure functions of two reports."""
