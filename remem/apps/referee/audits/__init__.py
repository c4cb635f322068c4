"""Audit published answers: all their means again, and one measure for all of them."""
