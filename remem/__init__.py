"""Measure memories for language agents: one loop, one record for each question, scores, tables."""
