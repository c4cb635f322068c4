"""Audit published answers: recompute all means, and score all answers by the same rules."""
