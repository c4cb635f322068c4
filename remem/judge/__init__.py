"""Judges, which decide whether an answer is right."""
