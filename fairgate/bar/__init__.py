"""What a change does to the bar itself: limits, rules, cases and judges of base and head, and who signed it off."""
