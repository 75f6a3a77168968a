"""What a run will take and what it can decide, before any of it is asked or paid for."""
