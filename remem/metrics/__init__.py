"""Scores of single answers, and intervals and tests over many scores."""
