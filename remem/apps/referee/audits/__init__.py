"""Audit published answers: compute all their means again, and score all by the same rules."""
