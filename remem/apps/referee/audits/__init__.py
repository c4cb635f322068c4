"""Audit published answers: compute all means again, and score all answers by the same rules."""
