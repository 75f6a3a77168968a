"""The swap harness: the same case, only the person changed."""
