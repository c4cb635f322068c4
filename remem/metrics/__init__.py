"""Scores of one answer, and intervals and tests over many."""
