"""Parity of decided cases between groups, with exact intervals."""
